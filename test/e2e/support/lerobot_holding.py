"""What the robot observes of an arm that holds, once it rests, as JSON. Argument: the bridge."""

import json
import sys
import time

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from lerobot_robot_arm_bridge import ArmBridgeRobot, ArmBridgeRobotConfig

robot = ArmBridgeRobot(ArmBridgeRobotConfig(arm="follower", url=sys.argv[1]))
robot.connect()
before = robot.get_observation()
for _ in range(200):
    time.sleep(0.5)
    seen = robot.get_observation()
    if seen == before:
        break
    before = seen
robot.disconnect()
print(json.dumps(seen))
