"""A camera: publishes a picture, the same compressed, and its facts, 20 times a second, until its input ends."""
import select
import sys

import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

rclpy.init()
node = rclpy.create_node("camera")
types = {"image_raw": Image, "image_raw/compressed": CompressedImage, "camera_info": CameraInfo}
publishers = {name: node.create_publisher(type, f"/camera/{name}", qos_profile_sensor_data) for name, type in types.items()}
pixels = bytes(k % 251 for k in range(64 * 48 * 3))
while True:
    stamp = node.get_clock().now().to_msg()
    for name, publisher in publishers.items():
        message = types[name]()
        message.header.stamp = stamp
        message.header.frame_id = "camera"
        if name == "image_raw":
            message.height, message.width, message.step, message.encoding, message.data = 48, 64, 192, "rgb8", pixels
        elif name == "camera_info":
            message.height, message.width, message.distortion_model, message.d = 48, 64, "plumb_bob", [0.1, 0.2, 0.0, 0.0, 0.0]
        else:
            message.format, message.data = "jpeg", b"\xff\xd8 no picture\xff\xd9"
        publisher.publish(message)
    if select.select([sys.stdin], [], [], 0.05)[0]:
        break
node.destroy_node()
rclpy.shutdown()
