"""
phosphobot's own client of another phosphobot (RemotePhosphobot, from PyPI) against the bridge: each of its methods, or its
leader-follower loop as phosphobot runs it.

Arguments: address of the bridge, a folder for phosphobot's files, and `methods` or `mirror SECONDS`. Prints what it saw as JSON.
"""

import asyncio
import json
import math
import os
import sys
import time
from urllib.parse import urlsplit

# phosphobot makes folders in the user's home, and asks nobody.
os.environ["HOME"] = sys.argv[2]

import stand_ins  # noqa: E402

stand_ins.replace(
    *["av", "cv2", "datasets", "fastapi", "go2_webrtc_driver", "huggingface_hub", "loguru", "netifaces", "pandas", "piper_sdk"],
    *["posthog", "pybullet", "rich", "scipy", "sentry_sdk", "supabase", "toml", "tqdm", "zmq"],
)

import numpy as np  # noqa: E402
from phosphobot.control_signal import ControlSignal  # noqa: E402
from phosphobot.hardware.phosphobot import RemotePhosphobot  # noqa: E402
from phosphobot.leader_follower import LeaderFollowerThread, RobotPair  # noqa: E402
from phosphobot.models import BaseRobotConfig  # noqa: E402

address = urlsplit(sys.argv[1])
# Joints that a hand moves; the gripper goes by openings.
ARM = 5
# What its abstract class asks for and it leaves out is none of this.
RemotePhosphobot.__abstractmethods__ = frozenset()


def remote(robot_id):
    robot = RemotePhosphobot(ip=address.hostname, port=address.port, robot_id=robot_id)
    asyncio.run(robot.connect())
    return robot


async def methods():
    """Each method in the order in which a program would call them, in one event loop, as phosphobot's server runs them."""
    robot = RemotePhosphobot(ip=address.hostname, port=address.port, robot_id=0)
    await robot.connect()
    report = {}
    await robot.move_to_initial_position()
    report["zero"] = [*robot.initial_position, *robot.initial_orientation_rad]
    await robot.move_robot_absolute(np.array([0.0, 0.03, -0.03]), np.zeros(3))
    report["absolute"] = list(robot.forward_kinematics()[0])
    await robot.move_robot_relative(np.array([None, None, 0.01]), np.array([None, None, None]))
    await asyncio.sleep(1)
    report["relative"] = list(robot.forward_kinematics()[0])
    config = robot.config
    BaseRobotConfig.model_validate(config.model_dump())
    report["config"] = [len(config.servos_offsets), robot.GRIPPER_JOINT_INDEX, robot.SERVO_IDS, robot.RESOLUTION]
    report["open_command"] = float(robot._rad_to_open_command(0.3))
    state, joints = robot.get_observation("robot")
    report["observation"] = [len(state), len(joints)]
    robot.control_gripper(0.7)
    await asyncio.sleep(1.5)
    report["gripper"] = float(robot.get_observation("robot")[0][6])
    target = robot.read_joints_position(unit="rad", source="robot")
    target[0] += 0.2
    robot.set_motors_positions(target)
    await asyncio.sleep(1)
    report["set"] = float(robot.read_joints_position(unit="rad", source="robot")[0] - target[0])
    robot.write_joint_positions([5.0], unit="degrees", joints_ids=[0])
    await asyncio.sleep(1)
    report["write"] = float(robot.read_joints_position(unit="degrees", source="robot")[0])
    report["torque"] = len(robot.current_torque())
    report["voltage"] = [float(volt) for volt in robot.current_voltage()]
    robot.enable_torque()
    report["status"] = robot.status().name
    await robot.move_to_sleep()
    robot.disable_torque()
    robot.disconnect()
    report["connected"] = robot.is_connected
    await asyncio.sleep(0.1)
    return report


class Leader:
    """A robot of phosphobot's, moved by a hand whose way is known."""

    name = "leader"
    device_name = "hand"
    initial_position = initial_orientation_rad = np.zeros(3)
    GRIPPER_JOINT_INDEX = 5

    def __init__(self, zero):
        self.zero = zero
        self.cycles = []

    def read_joints_position(self, unit, source):
        now = time.time()
        self.cycles.append(now)
        return self.zero + moved(now)

    def _rad_to_open_command(self, _radians):
        return 0.5

    def enable_torque(self):
        pass

    def disable_torque(self):
        pass


def moved(now):
    """Where the hand has led the joints from where they began, rad: three of them at up to 0.9 rad/s."""
    return np.array([0.4, 0.2, 0, 0.1, 0, 0]) * math.sin(2.2 * (now - began))


def mirror(seconds):
    global began
    follower = remote(0)
    asyncio.run(initialise(follower))
    assert follower.config is not None
    began = time.time()
    zero = np.array(follower.read_joints_position(unit="rad", source="robot"))
    leader = Leader(zero)
    signal = ControlSignal()
    signal.start()
    loop = LeaderFollowerThread([RobotPair(leader, follower)], signal, False, False, None, None)
    # The arm is not to be lowered at the end.
    follower.disable_torque = lambda: None
    loop.start()
    seen = []
    watcher = remote(0)
    end = began + seconds
    while time.time() < end:
        truth = watcher.client.get("/sim/truth", params={"robot_id": 0}).json()
        if truth["time"] > began + 3:
            seen.append((truth["time"], np.array(list(truth["joints"].values()))[:ARM]))
        time.sleep(0.05)
    alive = signal.is_in_loop()
    signal.stop()
    loop.join()
    leader_cycles = [cycle for cycle in leader.cycles if cycle > began + 3]

    def miss(lag):
        # Half of the samples: those beside which the machine was busy are none of the bridge's doing.
        return float(np.median([np.abs(q - (zero + moved(t - lag))[:ARM]).max() for t, q in seen]))

    lag = min((step * 0.005 for step in range(60)), key=miss)
    return {
        "alive": alive,
        "rate": 1 / float(np.median(np.diff(leader_cycles))),
        "lag": lag,
        "miss": miss(lag),
        "samples": len(seen),
    }


async def initialise(robot):
    await robot.move_to_initial_position()


print(json.dumps(asyncio.run(methods()) if sys.argv[3] == "methods" else mirror(float(sys.argv[4]))))
