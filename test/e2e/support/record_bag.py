"""record_bag.py FOLDER SITE WANTED: records what is on the graph as `ros2 bag record --all` does, which the ROS 2 from PyPI lacks.

Every topic that somebody publishes is subscribed to, hidden ones aside, with a quality of service that all of its publishers match.
What comes is written as it came, with the definition of its type that its package has installed. It ends when as many messages have
come as WANTED asks for ([topic, what stands in the message, count] each, as JSON: several nodes may publish a topic), and prints what
was recorded. SITE holds the Python packages that write the bag.
"""

import importlib
import json
import os
import re
import sys
import time
from collections import Counter

folder, site, wanted = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
# Behind those of ROS.
sys.path.append(site)

import rclpy  # noqa: E402
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy  # noqa: E402
from rosbags.interfaces import (  # noqa: E402
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import StoragePlugin, Writer  # noqa: E402

# Far more than it takes, s.
PATIENCE = 240
LINE = "=" * 80
FOREVER = QosTime(2147483647, 4294967295)


def installed(kind, ending):
    package, _, name = kind.split("/")
    for prefix in os.environ["AMENT_PREFIX_PATH"].split(os.pathsep):
        file = os.path.join(prefix, "share", package, "msg", name + ending)
        if os.path.exists(file):
            with open(file, encoding="utf-8") as text:
                return text.read()
    raise FileNotFoundError(f"no package has installed {kind}{ending}: a bag has no definition of it")


def definition(kind):
    """The text of a message type, and of all types in it."""
    texts = {}
    waiting = [kind]
    while waiting:
        one = waiting.pop(0)
        if one in texts:
            continue
        texts[one] = installed(one, ".msg")
        for package, name in re.findall(r"^\s*(?:(\w+)/(?:msg/)?)?([A-Z]\w*)(?:\[[^]]*\])?\s+\w", texts[one], re.MULTILINE):
            waiting.append(f"{package or one.split('/')[0]}/msg/{name}")
    first, *others = texts
    parts = [f"{LINE}\nMSG: {other.replace('/msg/', '/')}\n{texts[other]}" for other in others]
    return "\n".join([texts[first], *parts])


def type_hash(kind):
    hashes = json.loads(installed(kind, ".json"))["type_hashes"]
    return next(entry["hash_string"] for entry in hashes if entry["type_name"] == kind)


def offered(profile):
    return Qos(
        QosHistory(profile.history.value),
        profile.depth,
        QosReliability(profile.reliability.value),
        QosDurability(profile.durability.value),
        FOREVER,
        FOREVER,
        QosLiveliness.AUTOMATIC,
        FOREVER,
        False,
    )


rclpy.init()
node = rclpy.create_node("bag")
counts = Counter()
messages = 0
seen = set()
deadline = time.monotonic() + PATIENCE
with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as bag:

    def listen(topic, kind, publishers):
        profiles = [publisher.qos_profile for publisher in publishers]
        reliable = all(profile.reliability == QoSReliabilityPolicy.RELIABLE for profile in profiles)
        latched = all(profile.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL for profile in profiles)
        quality = QoSProfile(
            depth=1000,
            reliability=QoSReliabilityPolicy.RELIABLE if reliable else QoSReliabilityPolicy.BEST_EFFORT,
            durability=QoSDurabilityPolicy.TRANSIENT_LOCAL if latched else QoSDurabilityPolicy.VOLATILE,
        )
        connection = bag.add_connection(
            topic,
            kind,
            msgdef=definition(kind),
            rihs01=type_hash(kind),
            offered_qos_profiles=[offered(profile) for profile in profiles],
        )

        def take(data):
            global messages
            messages += 1
            for place, text, _ in wanted:
                counts[place, text] += place == topic and text.encode() in data
            bag.write(connection, time.time_ns(), data)

        package, _, name = kind.split("/")
        node.create_subscription(getattr(importlib.import_module(f"{package}.msg"), name), topic, take, quality, raw=True)

    while any(counts[topic, text] < count for topic, text, count in wanted):
        for topic, kinds in node.get_topic_names_and_types():
            publishers = node.get_publishers_info_by_topic(topic)
            if topic in seen or not publishers or any(part.startswith("_") for part in topic.split("/")):
                continue
            seen.add(topic)
            listen(topic, kinds[0], publishers)
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            rclpy.spin_once(node, timeout_sec=0.05)
        if time.monotonic() > deadline:
            sys.exit(f"too few messages came within {PATIENCE} s: {dict(counts)}")
node.destroy_node()
rclpy.shutdown()
print(json.dumps({"messages": messages}))
