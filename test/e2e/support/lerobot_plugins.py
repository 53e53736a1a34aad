"""What the robot and the teleoperator of the plug-ins do besides teleoperation, on the bridge of ARM_BRIDGE_URL, as JSON."""

import json
import time

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from arm_bridge_client import Bridge
from busy import patiently
from lerobot.common.control_utils import teleop_smooth_move_to, teleop_supports_feedback
from lerobot.robots import make_robot_from_config
from lerobot.robots.config import RobotConfig
from lerobot.teleoperators import make_teleoperator_from_config
from lerobot.teleoperators.config import TeleoperatorConfig
from lerobot.utils.import_utils import register_third_party_plugins

register_third_party_plugins()
bridge = Bridge()
RobotConfigOf = RobotConfig.get_choice_class("arm_bridge")
TeleoperatorConfigOf = TeleoperatorConfig.get_choice_class("arm_bridge")


def error_of(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def connected(make):
    device = make()

    def connect():
        if not device.is_connected:
            device.connect()

    patiently(connect)
    return device


def led(robot, action):
    """The observation once the arm is where an action leads it."""
    for _ in range(2000):
        sent = patiently(lambda: robot.send_action(action))
        seen = patiently(robot.get_observation)
        if all(abs(seen[key] - value) < 2 for key, value in sent.items()):
            return sent, seen
        time.sleep(0.02)
    raise AssertionError((sent, seen))


robot = make_robot_from_config(RobotConfigOf(arm="follower", id="mine"))
features = [robot.observation_features, robot.action_features]
before = error_of(robot.get_observation)
robot = connected(lambda: robot)
held = patiently(robot.get_observation)
sent, seen = led(robot, {**held, "shoulder_pan.pos": held["shoulder_pan.pos"] + 20, "gripper.pos": 60})
age = time.time() - robot.sampled
clipped, _ = led(robot, {"shoulder_pan.pos": 500, "gripper.pos": 300})
faults = [
    error_of(lambda: robot.send_action({"knee.pos": 1})),
    error_of(lambda: robot.send_action({"gripper.pos": float("nan")})),
]
robot.calibrate()
bridge.stop()


def refused():
    for _ in range(200):
        error = error_of(lambda: robot.send_action(held))
        if error is not None:
            return error
        time.sleep(0.02)


after_stop = refused()
bridge.reset()
robot.disconnect()
state = bridge.arm("follower").state()

leader = make_teleoperator_from_config(TeleoperatorConfigOf(arm="leader"))
leader = connected(lambda: leader)
action = patiently(leader.get_action)
feedback = [list(leader.feedback_features) == list(action), teleop_supports_feedback(leader)]
limp = bridge.arm("leader").state()["torque"]
goal = {**action, "shoulder_pan.pos": action["shoulder_pan.pos"] + 20}


def handed_over():
    """As often as it takes: LeRobot does not wait for the arm, and a stream that was refused has to pause."""
    for _ in range(10):
        teleop_smooth_move_to(leader, goal, duration_s=2)
        if abs(leader.get_action()["shoulder_pan.pos"] - goal["shoulder_pan.pos"]) < 2:
            return
        time.sleep(1)
    raise AssertionError((goal, leader.get_action()))


patiently(handed_over)
patiently(leader.disable_torque)
floats = bridge.arm("leader").state()["state"]
patiently(leader.enable_torque)
holds = [bridge.arm("leader").state()[key] for key in ("state", "torque")]
strange = error_of(lambda: leader.send_feedback({"knee.pos": 1}))
patiently(leader.disconnect)

print(
    json.dumps(
        {
            "features": [{key: kind.__name__ for key, kind in known.items()} for known in features],
            "before": before,
            "moved": seen["shoulder_pan.pos"] - held["shoulder_pan.pos"],
            "gripper": seen["gripper.pos"],
            "young": age < 10,
            "clipped": clipped,
            "faults": faults,
            "after_stop": after_stop,
            "state": [state["state"] in ("ready", "disconnected"), state["owner"]],
            "action": list(action) == list(leader.action_features),
            "feedback": feedback,
            "handed_over": [limp, floats, holds, strange],
        }
    )
)
