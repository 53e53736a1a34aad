"""
Disconnects a teleoperator and its robot after a stop, in the order of lerobot-teleoperate: once with a leader that floated, once
with one that was driven; and once in that of lerobot-record, with a robot that is to be let down and given back. Prints as JSON, for each, what they said, and whether they are still connected. Argument: the bridge.
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


def ended(driven=False, robot_first=False):
    wishes = {"disable_torque_on_disconnect": robot_first, "take_over": robot_first}
    robot = ArmBridgeRobot(ArmBridgeRobotConfig(arm="follower", url=sys.argv[1], **wishes))
    config = ArmBridgeTeleoperatorConfig(arm="leader", url=sys.argv[1], gravity_compensation=True)
    leader = ArmBridgeTeleoperator(config)
    patiently(robot.connect)
    patiently(leader.connect)
    if driven:
        patiently(leader.enable_torque)
    bridge.stop()
    told = None
    try:
        for device in (robot, leader) if robot_first else (leader, robot):
            device.disconnect()
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
    bridge.reset()
    return [told, leader.is_connected, robot.is_connected]


print(json.dumps([ended(), ended(driven=True), ended(robot_first=True)]))
