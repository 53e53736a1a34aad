"""A ROS 2 program at the other end of the graph: records topics, publishes streams and calls services for a test.

One JSON object per line on stdin ({"do": ..., ...}), one answer per line on stdout. It spins while it waits for lines,
so that whatever comes is kept with the time at which it was published.
"""

import json
import sys
import threading
import time
import traceback

import rclpy
from arm_bridge.msg import MirrorState
from geometry_msgs.msg import PoseStamped
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

TIMEOUT = 20


def seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


def joint_row(message):
    return {"stamp": seconds(message.header.stamp), "names": list(message.name), "position": list(message.position)}


def pose_row(message):
    p, q = message.pose.position, message.pose.orientation
    return {
        "stamp": seconds(message.header.stamp),
        "frame": message.header.frame_id,
        "position": [p.x, p.y, p.z],
        "orientation": [q.x, q.y, q.z, q.w],
    }


def mirror_row(message):
    pairs = [{"leader": pair.leader, "follower": pair.follower, "state": pair.state} for pair in message.pairs]
    return {"stamp": seconds(message.header.stamp), "active": message.active, "pairs": pairs, "reason": message.reason}


KINDS = {"joints": (JointState, joint_row), "pose": (PoseStamped, pose_row), "mirror": (MirrorState, mirror_row)}


class Peer:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("test_peer")
        self.rows = {}
        self.publishers = {}
        self.clients = {}
        executor = SingleThreadedExecutor()
        executor.add_node(self.node)
        self.thread = threading.Thread(target=self.spin, args=(executor,))
        self.thread.start()

    def spin(self, executor):
        try:
            executor.spin()
        except ExternalShutdownException:
            pass

    def wait(self, condition, what):
        end = time.monotonic() + TIMEOUT
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError(f"{what} within {TIMEOUT} s")
            time.sleep(0.005)

    def record(self, topic, kind):
        """Keeps what comes on a topic from now on, once somebody publishes it."""
        message_type, row = KINDS[kind]
        rows = self.rows[topic] = []

        def keep(message, info):
            kept = row(message)
            kept["published"] = info["source_timestamp"] * 1e-9
            rows.append(kept)

        latched = kind == "mirror"
        quality = QoSProfile(
            depth=1 if latched else 200,
            reliability=QoSReliabilityPolicy.RELIABLE,
            durability=QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE,
        )
        subscription = self.node.create_subscription(message_type, topic, keep, quality)
        self.wait(lambda: subscription.get_publisher_count() > 0, f"nobody publishes {topic}")

    def take(self, topic):
        """Hands over, and forgets, what has come on a topic."""
        rows = self.rows[topic]
        taken = rows[:]
        del rows[: len(taken)]
        return taken

    def publishers_of(self, topic):
        infos = self.node.get_publishers_info_by_topic(topic)
        return sorted(info.node_namespace.rstrip("/") + "/" + info.node_name for info in infos)

    def advertise(self, topic):
        self.publishers[topic] = publisher = self.node.create_publisher(JointState, topic, 10)
        self.wait(lambda: publisher.get_subscription_count() > 0, f"nobody reads {topic}")

    def publish(self, topic, points, period):
        """Publishes points ({joint: rad}), one each period; returns the time of the last."""
        publisher = self.publishers[topic]
        due = time.monotonic()
        for point in points:
            message = JointState(name=list(point), position=[float(value) for value in point.values()])
            message.header.stamp = self.node.get_clock().now().to_msg()
            publisher.publish(message)
            due += period
            time.sleep(max(0.0, due - time.monotonic()))
        return time.time()

    def find(self, service):
        """Makes a client that has found its service."""
        if service not in self.clients:
            self.clients[service] = self.node.create_client(Trigger, service)
        self.wait(self.clients[service].service_is_ready, f"no service {service}")

    def call(self, service):
        self.find(service)
        future = self.clients[service].call_async(Trigger.Request())
        self.wait(future.done, f"no answer of {service}")
        answer = future.result()
        return {"success": answer.success, "message": answer.message}


def main():
    peer = Peer()
    print(json.dumps({"result": "ready"}), flush=True)
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = {"result": getattr(peer, request.pop("do"))(**request)}
            except Exception:  # the test is to see whatever went wrong
                answer = {"error": traceback.format_exc()}
            print(json.dumps(answer), flush=True)
    finally:
        rclpy.try_shutdown()
        peer.thread.join()


main()
