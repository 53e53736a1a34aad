"""Writes a recording again with compressed chunks, by the writer of mcap. Arguments: the file, the new file, the compression. Prints the number of messages."""
import json
import sys

from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

old, new, compression = sys.argv[1:]
count = 0
with open(old, "rb") as source, open(new, "wb") as target:
    writer = Writer(target, compression=CompressionType[compression])
    writer.start(profile="ros2")
    channels = {}
    for schema, channel, message in make_reader(source).iter_messages():
        if channel.id not in channels:
            kind = writer.register_schema(schema.name, schema.encoding, schema.data)
            channels[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, kind, channel.metadata)
        writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time)
        count += 1
    writer.finish()
print(json.dumps(count))
