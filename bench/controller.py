"""How late the arm is behind a controller that stands outside of the bridge: a stand-in for controller_manager with
joint_state_topic_hardware_interface, which in every cycle takes the newest joint_states and publishes joint_commands, unless
the joints are within a threshold of their commands.

    build/ros/bin/python bench/controller.py [ARM] [SECONDS] [THRESHOLD]

Against a running bridge whose arm is ready. One joint (the last before the gripper) swings by a sine; the lag of a series
behind the command is the difference of their phases. Then it goes on slowly and rests. Prints milliseconds, and how far from
its command the joint was on the slow way and at the end, rad.
"""

import json
import math
import sys
import threading
import time

import numpy
import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState

RATE = 100.0
AMPLITUDE = 0.2
FREQUENCY = 0.5
SETTLE = 4.0
# The slow way, rad/s and s, and the rest before and after it, s.
SLOW = 0.02
WAY = 4.0
REST = 1.0

arm = sys.argv[1] if len(sys.argv) > 1 else "follower"
duration = float(sys.argv[2]) if len(sys.argv) > 2 else 20.0
# That of moveit/arm_bridge_moveit/launch/ros2_control.launch.py.
threshold = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-5

rclpy.init()
node = rclpy.create_node("controller_stand_in")
latest = []
goals = []
node.create_subscription(JointState, f"/{arm}/joint_states", lambda m: latest.__setitem__(slice(None), [m]), qos_profile_sensor_data)
node.create_subscription(JointState, f"/{arm}/joint_goals", goals.append, 100)
publisher = node.create_publisher(JointState, f"/{arm}/joint_commands", QoSProfile(depth=1))


def spin():
    try:
        rclpy.spin(node)
    except ExternalShutdownException:
        pass


spinning = threading.Thread(target=spin)
spinning.start()
while not latest:
    time.sleep(0.01)
names = list(latest[0].name)
joint = len(names) - 2
held = list(latest[0].position)


def seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


commands, states, seen, slow = [], [], [], []
began = time.time()
turned = SETTLE + duration
# Cycles since the end of the swing, which are the time from there on: a program that is paused on a busy computer goes on from
# where it was, instead of leaping ahead of the arm.
cycles = 0


def swing(elapsed):
    return AMPLITUDE * math.sin(2 * math.pi * FREQUENCY * elapsed)


def wanted(elapsed):
    """Where the joint is to be, rad from where it began."""
    if elapsed < turned:
        return swing(elapsed)
    return swing(turned) + SLOW * min(max(elapsed - turned - REST, 0.0), WAY)


while cycles < (REST + WAY + REST) * RATE:
    # As a controller does: read, update, write.
    state = latest[0]
    now = time.time()
    swinging = now - began < turned
    cycles += not swinging
    position = held[joint] + wanted(now - began if swinging else turned + cycles / RATE)
    if swinging:
        states.append((seconds(state.header.stamp), state.position[joint]))
        seen.append((now, state.position[joint]))
    elif cycles >= REST * RATE:
        slow.append((seconds(state.header.stamp), state.position[joint]))
    message = JointState(name=names, position=[*held[:joint], position, *held[joint + 1 :]])
    if sum(abs(a - b) for a, b in zip(message.position, state.position)) > threshold:
        message.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(message)
    commands.append((now, position))
    time.sleep(max(0.0, began + len(commands) / RATE - time.time()) if swinging else 1 / RATE)


def phase(series):
    """Phase of the sine in a series, rad, by least squares."""
    times, values = (numpy.array(column) for column in zip(*series))
    keep = (times > began + SETTLE) & (times < began + turned)
    angle = 2 * math.pi * FREQUENCY * (times[keep] - began)
    table = numpy.stack([numpy.sin(angle), numpy.cos(angle), numpy.ones_like(angle)], axis=1)
    sine, cosine, _ = numpy.linalg.lstsq(table, values[keep], rcond=None)[0]
    return math.atan2(cosine, sine)


asked = phase(commands)
# What a state tells is held against the command of its time, however late it has come.
times, positions = zip(*commands)
crept = times[round(-(WAY + REST) * RATE)]
off = [abs(numpy.interp(stamp, times, positions) - angle) for stamp, angle in slow if stamp >= crept]
sent = [(seconds(m.header.stamp), m.position[list(m.name).index(names[joint])]) for m in goals]
print(
    json.dumps(
        {
            name: round(1000 * (asked - phase(series)) / (2 * math.pi * FREQUENCY), 1)
            for name, series in {"servo goal": sent, "joint": states, "joint, as the controller sees it": seen}.items()
        }
        | {"slow": round(max(off), 4), "end": round(off[-1], 4)}
        | {"rate": round((len(commands) - 1) / (commands[-1][0] - commands[0][0]), 1)}
    )
)
rclpy.try_shutdown()
spinning.join()
