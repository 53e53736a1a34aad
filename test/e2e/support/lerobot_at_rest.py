"""The action of a limp arm by the teleoperator, once the arm has come to rest, as JSON. Argument: the bridge."""

import json
import sys
import time

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from lerobot_teleoperator_arm_bridge import ArmBridgeTeleoperator, ArmBridgeTeleoperatorConfig

leader = ArmBridgeTeleoperator(ArmBridgeTeleoperatorConfig(arm="follower", url=sys.argv[1]))
leader.connect()
before = leader.get_action()
for _ in range(200):
    time.sleep(0.5)
    action = leader.get_action()
    if all(abs(action[name] - before[name]) < 0.05 for name in action):
        break
    before = action
leader.disconnect()
print(json.dumps(action))
