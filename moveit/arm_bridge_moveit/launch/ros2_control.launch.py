"""ros2_control on top of a running bridge: controller_manager with joint_trajectory_controller and a gripper controller, over
joint_states and joint_commands of one arm (joint_state_topic_hardware_interface).

The hardware interface commands what it was started with until a controller writes. So this file waits for one message on
joint_states and begins where the arm is.
"""

import os
import tempfile

import rclpy
import yaml
from ament_index_python.packages import get_package_share_directory
from arm_bridge_moveit import robot
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from sensor_msgs.msg import JointState

# How long joint_states may be silent, s.
PATIENCE = 20.0


def present_positions(topic):
    """Positions by joint name, of the first message on a topic. Raises ArmsError when none comes."""
    context = rclpy.Context()
    # Arguments of the launch file look like rules of remapping.
    rclpy.init(args=[], context=context)
    node = rclpy.create_node("arm_bridge_positions", context=context, enable_rosout=False)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    received = rclpy.task.Future(executor=executor)
    try:
        node.create_subscription(
            JointState, topic, lambda message: received.done() or received.set_result(message), rclpy.qos.qos_profile_sensor_data
        )
        executor.add_node(node)
        executor.spin_until_future_complete(received, timeout_sec=PATIENCE)
        if not received.done():
            raise robot.ArmsError(f"nothing came on {topic} for {PATIENCE:.0f} s: is the bridge running, and the arm connected?")
        message = received.result()
        return dict(zip(message.name, message.position))
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


def nodes(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    config = given("config") or os.path.join(get_package_share_directory("arm_bridge"), "config", "default.yaml")
    (arm,) = robot.arms_of(config, [given("arm")], given("prefix") or None)
    above = given("namespace").strip("/")
    space = "".join(f"/{part}" for part in (above, arm.name) if part)
    topics = (f"{space}/joint_states", f"{space}/joint_commands")
    description = robot.ros2_control(arm, *topics, present_positions(topics[0]), float(given("threshold")))
    controllers = robot.ros2_controllers(arm)
    names = sorted(controllers["/**/controller_manager"]["ros__parameters"].keys() - {"update_rate"})
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix="arm_bridge_controllers_", delete=False) as file:
        yaml.safe_dump(controllers, file)
    namespace = f"{space}/ros2_control"
    forget = OnShutdown(on_shutdown=lambda *_: os.path.exists(file.name) and os.unlink(file.name))
    return [
        RegisterEventHandler(forget),
        Node(
            package="controller_manager",
            executable="ros2_control_node",
            namespace=namespace,
            output="screen",
            parameters=[file.name],
        ),
        # Tells controller_manager the description.
        Node(
            package="robot_state_publisher",
            executable="robot_state_publisher",
            namespace=namespace,
            parameters=[{"robot_description": description}],
            # The frames of the arm are the bridge's.
            remappings=[("/tf", "tf"), ("/tf_static", "tf_static")],
        ),
        Node(
            package="controller_manager",
            executable="spawner",
            namespace=namespace,
            output="screen",
            arguments=[*names, "--param-file", file.name],
        ),
    ]


def generate_launch_description():
    arguments = [
        ("config", "", "configuration file of the bridge: arms and models; empty: the simulated pair"),
        ("arm", "follower", "the arm that the controllers drive"),
        ("namespace", "", "what stands before the namespace of the arm, as for the bridge"),
        ("prefix", "", "ros.joint_prefix of the bridge, where it differs from the configuration file: auto, or a text"),
        # Upstream's default. A larger one frees a resting arm, but leaves joints that far from their goals: the joint is behind
        # its command, so a braking one comes within the threshold before its last commands were sent.
        ("threshold", "1e-5", "sum over the joints of the distance from state to command, rad, up to which nothing is sent"),
    ]
    declared = [DeclareLaunchArgument(name, default_value=value, description=text) for name, value, text in arguments]
    return LaunchDescription([*declared, OpaqueFunction(function=nodes)])
