"""
LeRobot's numbers of joints, by its own bus and by the plug-in, as JSON: the largest differences. Arguments: LeRobot's calibration
file, the bridge's, what the bridge says of the arm's joints, and the port of the servos or "-".
"""

import json
import math
import sys

import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops")

from lerobot.motors import Motor, MotorCalibration, MotorNormMode
from lerobot.motors.feetech import FeetechMotorsBus
from lerobot_robot_arm_bridge.units import angles, joints_of, numbers

theirs_path, ours_path, facts_path, port = sys.argv[1:]
with open(theirs_path) as theirs, open(ours_path) as ours, open(facts_path) as told:
    calibration = {name: MotorCalibration(**found) for name, found in json.load(theirs).items()}
    mounts = json.load(ours)["joints"]
    facts = json.load(told)


def bus_of(use_degrees):
    body = MotorNormMode.DEGREES if use_degrees else MotorNormMode.RANGE_M100_100
    motors = {
        name: Motor(found.id, "sts3215", MotorNormMode.RANGE_0_100 if name == "gripper" else body)
        for name, found in calibration.items()
    }
    return FeetechMotorsBus("-" if port == "-" else port, motors, calibration)


def angle_at(name, steps):
    return mounts[name]["sign"] * (steps - mounts[name]["zero"]) * 2 * math.pi / 4096


def steps_at(name, angle):
    return mounts[name]["sign"] * angle * 4096 / (2 * math.pi) + mounts[name]["zero"]


read, written = 0.0, 0.0
for use_degrees in (True, False):
    bus = bus_of(use_degrees)
    joints = joints_of(facts, use_degrees)
    ids = {joint.name: calibration[joint.name].id for joint in joints}
    for steps in range(0, 4096, 5):
        expected = bus._normalize({id: steps for id in ids.values()})
        seen = numbers(joints, [angle_at(joint.name, steps) for joint in joints])
        read = max(read, *(abs(seen[f"{name}.pos"] - expected[id]) for name, id in ids.items()))
    for part in range(101):
        # What the joints can reach: the plug-in goes no further.
        reachable = [joint.number_of(lower + part / 100 * (upper - lower)) for joint, (lower, upper) in
                     ((joint, joint._limits) for joint in joints)]
        expected = bus._unnormalize(dict(zip(ids.values(), reachable, strict=True)))
        goals = angles(joints, {f"{name}.pos": value for name, value in zip(ids, reachable, strict=True)})
        for name, id in ids.items():
            written = max(written, abs(steps_at(name, goals[name]) - expected[id]) * 360 / 4096)

present = None
if port != "-":
    bus = bus_of(True)
    # A busy machine may let answers come too late; its handshake asks for none twice.
    bus.connect(handshake=False)
    present = bus.sync_read("Present_Position", num_retry=200)
    bus.disconnect(disable_torque=False)
print(json.dumps({"read": read, "written": written, "present": present}))
