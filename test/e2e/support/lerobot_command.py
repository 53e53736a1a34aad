"""A command of LeRobot's own, with the plug-ins that it finds. Argument: its command line, as people type it."""

import importlib
import shlex
import sys

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops", "pynput")

command, *arguments = shlex.split(sys.argv[1])
sys.argv = [command, *arguments]
importlib.import_module(f"lerobot.scripts.{command.replace('-', '_')}").main()
