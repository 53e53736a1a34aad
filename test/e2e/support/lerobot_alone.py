"""
Ends a robot and a teleoperator whose bridge is gone: prints a line once both are connected, waits for one, and prints as JSON what
each of them said, whether it is still connected, and whether the robot's camera is. Argument: the bridge.
"""

import json
import sys

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from arm_bridge_client import BridgeError
from busy import patiently
from lerobot_robot_arm_bridge import ArmBridgeRobot, ArmBridgeRobotConfig
from lerobot_teleoperator_arm_bridge import ArmBridgeTeleoperator, ArmBridgeTeleoperatorConfig


class Camera:
    is_connected = False

    def connect(self):
        self.is_connected = True

    def disconnect(self):
        self.is_connected = False


robot = ArmBridgeRobot(ArmBridgeRobotConfig(arm="follower", url=sys.argv[1], disable_torque_on_disconnect=True))
camera = robot.cameras["front"] = Camera()
leader = ArmBridgeTeleoperator(ArmBridgeTeleoperatorConfig(arm="leader", url=sys.argv[1]))
patiently(robot.connect)
patiently(leader.connect)
patiently(leader.enable_torque)
print("connected", flush=True)
sys.stdin.readline()
told = []
for device in (robot, leader):
    try:
        device.disconnect()
        told.append(None)
    except BridgeError as error:
        told.append(type(error).__name__)
print(json.dumps({"told": told, "connected": [robot.is_connected, leader.is_connected], "camera": camera.is_connected}))
