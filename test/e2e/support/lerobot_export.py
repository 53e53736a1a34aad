"""`arm-bridge-to-lerobot`, with a stand-in for torch where there is none. Arguments: its own."""

import importlib.util

if importlib.util.find_spec("torch") is None:
    import stand_ins

    stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from lerobot_robot_arm_bridge.export import main

if __name__ == "__main__":
    main()
