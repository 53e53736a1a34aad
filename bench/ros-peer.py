"""The other side of bench/ros.ts in rclpy: publish ALONE HEARD | read TOPIC | listen ARM SECONDS; JSON lines on stdout."""

import json
import statistics
import sys
import threading
import time

import rclpy
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

NAMES = ["shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper"]


def tell(value):
    print(json.dumps(value), flush=True)


def publish(node, alone, heard):
    """Publishes as asked, one request a line on stdin: ["burst", COUNT], or ["loop" | "alone" | "heard", RATE, SECONDS]."""
    publishers = {"alone": node.create_publisher(JointState, alone, 10), "heard": node.create_publisher(JointState, heard, 10)}
    message = JointState(name=NAMES)

    def send(kind, index):
        if kind == "loop":
            return
        message.header.stamp.nanosec = index
        message.position = message.velocity = message.effort = [index * 1e-6] * len(NAMES)
        publishers[kind].publish(message)

    def burst(count):
        began = time.perf_counter()
        for index in range(count):
            send("alone", index)
        return (time.perf_counter() - began) / count

    def paced(kind, rate, seconds):
        calls = []
        began, thread, all_threads = time.perf_counter(), time.thread_time(), time.process_time()
        while time.perf_counter() - began < seconds:
            while len(calls) < (time.perf_counter() - began) * rate:
                before = time.perf_counter()
                send(kind, len(calls))
                calls.append(time.perf_counter() - before)
            time.sleep(0.001)
        used = time.process_time() - all_threads
        return {
            "thread": (time.thread_time() - thread) / len(calls),
            "all": used / (time.perf_counter() - began),
            "clock": statistics.median(calls),
        }

    tell("ready")
    for line in sys.stdin:
        kind, *numbers = json.loads(line)
        tell(burst(*numbers) if kind == "burst" else paced(kind, *numbers))


def read(node, topic):
    node.create_subscription(JointState, topic, lambda message: None, 10)
    tell("ready")
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set())).start()
    while not ended.is_set():
        rclpy.spin_once(node, timeout_sec=0.1)


def listen(node, arm, seconds):
    """Two topics tell of every sample: what one has and the other lacks was lost."""
    states, poses = [], []

    def stamp(message):
        return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec

    node.create_subscription(JointState, f"{arm}/joint_states", lambda m: states.append((stamp(m), time.time())), 10)
    node.create_subscription(PoseStamped, f"{arm}/end_effector/pose", lambda m: poses.append(stamp(m)), 10)
    while not (states and poses):
        rclpy.spin_once(node, timeout_sec=0.1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
    told = [s for s, _ in states]
    first, last = max(told[0], poses[0]), min(told[-1], poses[-1])
    within = [set(s for s in stamps if first <= s <= last) for stamps in (told, poses)]
    arrivals = [at for _, at in states]
    intervals = sorted(b - a for a, b in zip(arrivals, arrivals[1:]))
    tell(
        {
            "received": len(told),
            "gaps": len(within[0] ^ within[1]),
            "backwards": sum(b <= a for a, b in zip(told, told[1:])),
            "p99": intervals[int(0.99 * len(intervals))],
        }
    )


rclpy.init()
bench = rclpy.create_node("bench_peer")
kind, *args = sys.argv[1:]
if kind == "publish":
    publish(bench, *args)
elif kind == "read":
    read(bench, args[0])
else:
    listen(bench, args[0], float(args[1]))
rclpy.try_shutdown()
