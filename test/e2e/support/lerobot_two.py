"""
Two robots follow leaders of their own in one bridge; a third one cannot connect, and the first one is disconnected, whose stream has
broken. Prints as JSON the states of all arms before
and after it. Argument: the bridge.
"""

import json
import sys
import time
from contextlib import suppress

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from arm_bridge_client import Bridge
from busy import patiently
from lerobot_robot_arm_bridge import ArmBridgeRobot, ArmBridgeRobotConfig

bridge = Bridge(sys.argv[1])


def states():
    return {arm: bridge.arm(arm).state()["state"] for arm in ("leader_1", "follower_1", "leader_2", "follower_2")}


def led(number):
    config = ArmBridgeRobotConfig(arm=f"follower_{number}", leader=f"leader_{number}", url=sys.argv[1], take_over=True)
    robot = ArmBridgeRobot(config)
    patiently(robot.connect)
    return robot


robots = [led(1), led(2)]
before = states()


def refused():
    raise RuntimeError("as where somebody else has the pair")


third = ArmBridgeRobot(ArmBridgeRobotConfig(arm="follower_2", leader="leader_2", url=sys.argv[1]))
third.configure = refused
with suppress(RuntimeError):
    third.connect()
robots[0]._arm.stream.close()
robots[0].disconnect()
# The leader that is let go is lowered in its own time.
for _ in range(300):
    if states()["leader_1"] == "connected":
        break
    time.sleep(0.2)
after = states()
# Somebody else ends the pair of the other robot while it is disconnected.
pair_ended = bridge.end_pair


def ended_twice(follower):
    pair_ended(follower)
    return pair_ended(follower)


robots[1]._arm.bridge.end_pair = ended_twice
robots[1].disconnect()
print(json.dumps({"before": before, "after": after}))
