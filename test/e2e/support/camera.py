"""
A camera: publishes a picture, the same compressed, and its facts, 20 times a second, until its input ends. Arguments: width and height
of the picture, and bytes of the compressed one; 64, 48 and 15 where they are left out.
"""
import select
import sys
from array import array

import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

rclpy.init()
node = rclpy.create_node("camera")
types = {"image_raw": Image, "image_raw/compressed": CompressedImage, "camera_info": CameraInfo}
publishers = {name: node.create_publisher(type, f"/camera/{name}", qos_profile_sensor_data) for name, type in types.items()}
width, height, size = (int(number) for number in sys.argv[1:4] or (64, 48, 15))
# What is an array already is not looked through number by number.
pixels = array("B", (k % 251 for k in range(width * height * 3)))
compressed = array("B", b"\xff\xd8 no picture" + bytes(size - 15) + b"\xff\xd9")
while True:
    stamp = node.get_clock().now().to_msg()
    for name, publisher in publishers.items():
        message = types[name]()
        message.header.stamp = stamp
        message.header.frame_id = "camera"
        if name == "image_raw":
            message.height, message.width, message.step = height, width, 3 * width
            message.encoding, message.data = "rgb8", pixels
        elif name == "camera_info":
            message.height, message.width = height, width
            message.distortion_model, message.d = "plumb_bob", [0.1, 0.2, 0.0, 0.0, 0.0]
        else:
            message.format, message.data = "jpeg", compressed
        publisher.publish(message)
    if select.select([sys.stdin], [], [], 0.05)[0]:
        break
node.destroy_node()
rclpy.shutdown()
