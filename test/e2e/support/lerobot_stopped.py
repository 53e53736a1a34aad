"""
Disconnects a teleoperator and its robot after a stop, in LeRobot's order: once with a leader that floated, once with one that was
driven. Prints as JSON, for each, what they said, and whether they are still connected. Argument: the bridge.
"""

import json
import sys

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from arm_bridge_client import Bridge
from busy import patiently
from lerobot_robot_arm_bridge import ArmBridgeRobot, ArmBridgeRobotConfig
from lerobot_teleoperator_arm_bridge import ArmBridgeTeleoperator, ArmBridgeTeleoperatorConfig

bridge = Bridge(sys.argv[1])


def ended(driven):
    robot = ArmBridgeRobot(ArmBridgeRobotConfig(arm="follower", url=sys.argv[1]))
    config = ArmBridgeTeleoperatorConfig(arm="leader", url=sys.argv[1], gravity_compensation=True)
    leader = ArmBridgeTeleoperator(config)
    patiently(robot.connect)
    patiently(leader.connect)
    if driven:
        patiently(leader.enable_torque)
    bridge.stop()
    told = None
    try:
        leader.disconnect()
        robot.disconnect()
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
    bridge.reset()
    return [told, leader.is_connected, robot.is_connected]


print(json.dumps([ended(False), ended(True)]))
