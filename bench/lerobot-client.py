"""
LeRobot's robot of the plug-in, as its loops use it: observes and acts RATE times a second, and COUNT times moves all goals by a little
once they have rested. Prints when it has done so, how old observations were, s, and how often the bridge had to end the stream because
the machine was too busy, as JSON. Arguments: URL RATE COUNT REST.
"""

import importlib.util
import json
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / name) for name in ("clients/lerobot/robot", "clients/python/src", "test/e2e/support")]
if importlib.util.find_spec("torch") is None:
    import stand_ins

    stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from arm_bridge_client import Refused
from lerobot_robot_arm_bridge import ArmBridgeRobot, ArmBridgeRobotConfig

#: A stream that was refused has to pause, s; and the arm approaches its goals anew.
PAUSE = 1.0
APPROACH = 3.0
#: Degrees, and parts of a hundred for the gripper: less than what is approached slowly.
STEP = 1.5

url, rate, count, rest = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
robot = ArmBridgeRobot(ArmBridgeRobotConfig(arm="follower", url=url))
robot.connect()
goal = {**robot.get_observation(), "gripper.pos": 50.0}
sent, ages, interrupted = [], [], 0
due = 0.0


def act(duration):
    """Goes on for a time, a frame after the other."""
    global due
    end = time.monotonic() + duration
    while due < end:
        time.sleep(max(0.0, due - time.monotonic()))
        robot.get_observation()
        ages.append(time.time() - robot.sampled)
        robot.send_action(goal)
        due += 1 / rate


def moved():
    """Moves all goals by a little, at any time within a cycle of the bridge's loop, and lets them rest. Returns when."""
    global goal, due
    goal = {key: value + (STEP if len(sent) % 2 else -STEP) for key, value in goal.items()}
    time.sleep(random.uniform(0, 0.01))
    began = time.monotonic()
    robot.send_action(goal)
    due = time.monotonic() + 1 / rate
    act(rest)
    return began


follows = False
while len(sent) < count:
    try:
        if not follows:
            due = time.monotonic()
            act(APPROACH)
            follows = True
        sent.append(moved())
    except Refused:
        follows = False
        interrupted += 1
        if interrupted > count:
            raise
        time.sleep(PAUSE)
robot.disconnect()
print(json.dumps({"sent": sent, "ages": ages, "interrupted": interrupted}))
