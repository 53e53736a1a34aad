"""A command that LeRobot or a plug-in has installed, as people type it. Argument: its command line."""

import importlib.metadata
import shlex
import sys

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops", "pynput")

sys.argv = shlex.split(sys.argv[1])
[command] = importlib.metadata.entry_points(group="console_scripts", name=sys.argv[0])
command.load()()
