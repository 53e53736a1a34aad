"""Prints joint positions and tool pose of an arm, twice a second.

    build/ros/bin/python docs/watch.py [arm] [--once]

With a sourced ROS 2 any Python that has rclpy runs it. Ends with Ctrl-C; with --once after one line of each.
"""

import argparse
import math

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState

PERIOD = 0.5


class Watch(Node):
    def __init__(self, arm):
        super().__init__("watch_" + arm)
        self.joints = None
        self.pose = None
        self.printed = 0
        self.create_subscription(JointState, f"/{arm}/joint_states", self.take_joints, 10)
        self.create_subscription(PoseStamped, f"/{arm}/end_effector/pose", self.take_pose, 10)
        self.create_timer(PERIOD, self.show)

    def take_joints(self, message):
        self.joints = message

    def take_pose(self, message):
        self.pose = message

    def show(self):
        if self.joints is None or self.pose is None:
            return
        angles = zip(self.joints.name, self.joints.position)
        print("joints (deg): " + "  ".join(f"{name} {math.degrees(angle):.1f}" for name, angle in angles))
        at = self.pose.pose.position
        print(f"tool in {self.pose.header.frame_id} (m): x {at.x:.4f}  y {at.y:.4f}  z {at.z:.4f}", flush=True)
        self.printed += 1


def main():
    parser = argparse.ArgumentParser(description="Prints joint positions and tool pose of an arm.")
    parser.add_argument("arm", nargs="?", default="follower")
    parser.add_argument("--once", action="store_true", help="end after one line of each")
    options = parser.parse_args()
    rclpy.init()
    watch = Watch(options.arm)
    try:
        while rclpy.ok() and not (options.once and watch.printed > 0):
            rclpy.spin_once(watch)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        watch.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
