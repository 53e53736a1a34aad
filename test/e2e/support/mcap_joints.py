"""Prints the joint states of an MCAP file as JSON: its container read here byte by byte, its messages by rclpy."""
import json
import struct
import sys

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

MAGIC = b"\x89MCAP0\r\n"
CHUNK, SCHEMA, CHANNEL, MESSAGE = 6, 3, 4, 5


def records(data):
    at = 0
    while at < len(data):
        opcode, length = struct.unpack_from("<BQ", data, at)
        yield opcode, data[at + 9 : at + 9 + length]
        at += 9 + length


def text(data, at):
    (length,) = struct.unpack_from("<I", data, at)
    return data[at + 4 : at + 4 + length].decode(), at + 4 + length


data = open(sys.argv[1], "rb").read()
assert data.startswith(MAGIC) and data.endswith(MAGIC)
schemas, channels, messages = {}, {}, []


def take(opcode, body):
    if opcode == SCHEMA:
        (number,) = struct.unpack_from("<H", body)
        name, at = text(body, 2)
        encoding, _ = text(body, at)
        schemas[number] = [name, encoding]
    elif opcode == CHANNEL:
        number, schema = struct.unpack_from("<HH", body)
        topic, at = text(body, 4)
        encoding, _ = text(body, at)
        channels[number] = {"topic": topic, "encoding": encoding, "schema": schemas[schema]}
    elif opcode == MESSAGE:
        channel, _sequence, log_time, _publish_time = struct.unpack_from("<HIQQ", body)
        message = deserialize_message(bytes(body[22:]), JointState)
        stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
        messages.append(
            {"log_time": log_time * 1e-9, "stamp": stamp, "name": list(message.name), "position": list(message.position)}
            | {"velocity": list(message.velocity), "effort": list(message.effort)}
        )
    elif opcode == CHUNK:
        compression, at = text(body, 28)
        assert compression == ""
        (length,) = struct.unpack_from("<Q", body, at)
        for inner in records(body[at + 8 : at + 8 + length]):
            take(*inner)


for record in records(data[len(MAGIC) : -len(MAGIC)]):
    take(*record)
print(json.dumps({"channels": list(channels.values()), "messages": messages}))
