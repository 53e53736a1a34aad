"""Reads an episode by programs that are not ours; prints what they found as JSON. Arguments: its folder, its MCAP file, a Python text."""
import json
import sys
from pathlib import Path

from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore
from ruamel.yaml import YAML

folder, file, text = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

with open(file, "rb") as stream:
    reader = make_reader(stream, validate_crcs=True)
    count = sum(1 for _ in reader.iter_messages())
    summary = reader.get_summary()
    metadata = {one.name: one.metadata for one in reader.iter_metadata()}
    attachments = [one.name for one in reader.iter_attachments()]

typestore = get_typestore(Stores.ROS2_JAZZY)
yaml = YAML(typ="safe").load(folder / "metadata.yaml")["rosbag2_bagfile_information"]
topics, poses, wrenches, events, urdf, frames, cameras = {}, [], [], [], {}, set(), {}


def camera(message):
    """What a camera says, as the definition of its type in the file has it."""
    kind = message.__msgtype__
    if kind.endswith("/CameraInfo"):
        return [kind, message.height, message.width, message.distortion_model, list(message.d), message.header.frame_id]
    if kind.endswith("/CompressedImage"):
        return [kind, message.format, len(message.data), message.header.frame_id]
    return [kind, message.height, message.width, message.encoding, len(message.data), message.header.frame_id]


with Reader(folder) as bag:
    for connection, stamp, data in bag.messages():
        message = typestore.deserialize_cdr(data, connection.msgtype)
        topics[connection.topic] = topics.get(connection.topic, 0) + 1
        if connection.topic.endswith("/end_effector/pose"):
            poses.append([message.pose.position.x, message.pose.position.y, message.pose.position.z])
        elif connection.topic.endswith("/external_wrench"):
            wrenches.append([message.header.frame_id, message.wrench.force.z, message.wrench.torque.x])
        elif connection.topic == "/events":
            events.append([message.function, message.name, message.msg])
        elif connection.topic.endswith("/robot_description"):
            urdf[connection.topic] = message.data[:20]
        elif connection.topic in ("/tf", "/tf_static"):
            frames |= {one.child_frame_id for one in message.transforms}
    bagged = {"messages": bag.message_count, "duration": bag.duration, "custom": yaml["custom_data"]}
# Message definitions out of the file itself, by the other reader of that package.
with AnyReader([folder]) as bag:
    own = 0
    for connection, _, data in bag.messages():
        message = bag.deserialize(data, connection.msgtype)
        own += 1
        if connection.topic.startswith("/camera/"):
            cameras[connection.topic] = camera(message)

scope = {}
exec(text.replace('"pick-1.mcap"', json.dumps(file)), scope)
frame = scope["positions"]
print(
    json.dumps(
        {
            "count": count,
            "statistics": summary.statistics.message_count,
            "metadata": metadata,
            "attachments": attachments,
            "topics": topics,
            "poses": len(poses),
            "wrenches": wrenches[-1:],
            "events": events,
            "urdf": urdf,
            "frames": sorted(frames),
            "cameras": cameras,
            "bag": bagged,
            "own": own,
            "columns": list(frame.columns),
            "rows": len(frame),
            "last": frame.iloc[-1].tolist(),
        }
    )
)
