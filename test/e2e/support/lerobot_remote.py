"""What the plug-ins and the export say of an arm of another machine, as JSON."""

import importlib.util
import json
from pathlib import Path

if importlib.util.find_spec("torch") is None:
    import stand_ins

    stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from lerobot_robot_arm_bridge.connected_arm import ConnectedArm
from lerobot_robot_arm_bridge.export import Episode, joints_in

JOINTS = [{"name": "gripper", "lower": -0.2, "upper": 1.7, "travel": [-0.2, 1.7], "turned": False}]


def error_of(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


arm = ConnectedArm("http://localhost:1", None, "far", True)
arm.arm.facts = lambda: {"name": "far", "remote": True, "joints": JOINTS, "gripper": {"index": 0}}
recorded = {"name": "far", "bus": "ros", "joints": JOINTS, "gripper": {"joint": "gripper"}}
episode = Episode(Path("far.mcap"), {}, {"far": recorded}, [])
print(json.dumps([error_of(lambda: arm.features), error_of(lambda: joints_in(episode, "far", True))]))
