"""
What the plug-ins and the export say of an arm of another machine, what the export says of a pair whose joints turn the other way, and
which episodes others replace, as JSON.
"""

import importlib.util
import json
from pathlib import Path

if importlib.util.find_spec("torch") is None:
    import stand_ins

    stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from lerobot_robot_arm_bridge.connected_arm import ConnectedArm
from lerobot_robot_arm_bridge.export import Episode, joints_in, parts_of, require_alike

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
episode = Episode(Path("far.mcap"), {}, {"far": recorded}, [], (0, 1))
errors = [error_of(lambda: arm.features), error_of(lambda: joints_in(episode, "far", True))]


def paired(scale):
    names = {"leader": "shoulder_pan", "follower": "shoulder_pan", "scale": scale, "offset": 0}
    pairs = json.dumps([{"leader": "leader", "follower": "follower", "joints": [names]}])
    arms = {name: {**recorded, "model": "so101"} for name in ("leader", "follower")}
    return Episode(Path("paired.mcap"), {"pairs": pairs}, arms, [], (0, 1))


inverted = [error_of(lambda: require_alike(paired(scale), "leader", "follower")) for scale in (1, -1)]


def made(name, span, trimmed=False):
    return Episode(Path(f"{name}.mcap"), {"trimmed": "{}"} if trimmed else {}, {"far": recorded}, [], span)


# A source that was renamed, another one that got its name later, a part of a part, and a copy of the whole.
episodes = [
    made("first", (0, 100)),
    made("pick", (200, 300)),
    made("pick-trimmed", (10, 90), True),
    made("pick-trimmed-2", (20, 80), True),
    made("whole", (400, 500)),
    made("whole-trimmed", (400, 500), True),
]
replaced = sorted(parts_of(episodes))
print(json.dumps([errors, inverted, replaced]))
