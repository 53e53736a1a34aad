"""LeRobot's own command lerobot-teleoperate, with its plug-ins as it finds them. Arguments: those of the command."""

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from lerobot.scripts.lerobot_teleoperate import main

main()
