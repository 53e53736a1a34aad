"""record.py SECONDS TOPIC...: records sensor_msgs/JointState topics with rclpy and prints them as JSON:
{topic: [[stamp, [position, ...]], ...], "names": {topic: [...]}}. Stamps are seconds."""

import json
import sys
import time

import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

seconds, topics = float(sys.argv[1]), sys.argv[2:]
rclpy.init()
node = rclpy.create_node("recorder")
rows = {topic: [] for topic in topics}
names = {}


def keep(topic):
    def callback(message):
        names[topic] = list(message.name)
        stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
        rows[topic].append([stamp, list(message.position)])

    return callback


qos = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE)
for topic in topics:
    node.create_subscription(JointState, topic, keep(topic), qos)
end = time.monotonic() + seconds
while time.monotonic() < end:
    rclpy.spin_once(node, timeout_sec=0.1)
node.destroy_node()
rclpy.shutdown()
print(json.dumps({**rows, "names": names}))
