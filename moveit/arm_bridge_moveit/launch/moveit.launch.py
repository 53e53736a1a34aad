"""MoveIt for one or several arms of a running bridge, or of one that is started here (bridge:=true).

One arm: everything stands in the namespace of the arm. Several: in the one above, as one robot with a group for each arm and
the group all_arms; their joints need names that differ (ros.joint_prefix: auto in the configuration, or prefix:=auto).
"""

import os

from ament_index_python.packages import get_package_share_directory
from arm_bridge_moveit import robot
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def nodes(context):
    def given(name):
        return LaunchConfiguration(name).perform(context)

    config = given("config") or os.path.join(get_package_share_directory("arm_bridge"), "config", "default.yaml")
    prefix = given("prefix") or None
    arms = robot.arms_of(config, given("arms").split(","), prefix)
    above = given("namespace").strip("/")
    namespace = "/".join(part for part in (above, arms[0].name if len(arms) == 1 else "") if part)
    frames = [(f"/tf{kind}", given("tf") + kind) for kind in ("", "_static")]
    parameters = robot.move_group(arms, given("controllers"))
    started = [
        Node(
            package="moveit_ros_move_group",
            executable="move_group",
            namespace=namespace,
            output="screen",
            parameters=[parameters],
            remappings=frames,
        )
    ]
    for arm in arms if len(arms) > 1 else []:
        # MoveIt reads one topic for all joints.
        started.append(
            Node(
                package="topic_tools",
                executable="relay",
                name=f"{arm.name}_joint_states",
                namespace=namespace,
                arguments=[f"{arm.name}/joint_states", "joint_states"],
            )
        )
    if given("bridge") == "true":
        started.append(
            Node(
                package="arm_bridge",
                executable="bridge",
                namespace=above,
                output="screen",
                arguments=["--config", config, "--port", given("http_port")],
                parameters=[{"ros.joint_prefix": prefix}] if prefix else [],
                remappings=frames,
                # At its end the bridge lowers its arms, which takes up to 35 s; a second signal would keep it from that.
                sigterm_timeout="40.0",
            )
        )
    if given("rviz") == "true":
        description = ("robot_description", "robot_description_semantic", "robot_description_kinematics")
        shown = {name: parameters[name] for name in (*description, "robot_description_planning")}
        layout = os.path.join(get_package_share_directory(robot.PACKAGE), "rviz", "moveit.rviz")
        started.append(
            Node(
                package="rviz2",
                executable="rviz2",
                namespace=namespace,
                arguments=["-d", layout],
                parameters=[shown],
                remappings=frames,
            )
        )
    return started


def generate_launch_description():
    arguments = [
        ("config", "", "configuration file of the bridge: arms, models, mounts; empty: the simulated pair"),
        ("arms", "follower", "the arm to plan for, or several: left,right"),
        ("namespace", "", "what stands before the namespaces of the arms, as for the bridge"),
        ("tf", "/tf", "topic of the frames, as for the bridge; /lab/tf comes with /lab/tf_static"),
        ("prefix", "", "ros.joint_prefix of the bridge, where it differs from the configuration file: auto, or a text"),
        ("controllers", "", "namespace of the controllers below the arm's; ros2_control: those of ros2_control.launch.py"),
        ("bridge", "false", "start the bridge too"),
        ("http_port", "8020", "port of its HTTP interface; 0 takes a free one"),
        ("rviz", "false", "start rviz2 with MoveIt's display"),
    ]
    declared = [DeclareLaunchArgument(name, default_value=value, description=text) for name, value, text in arguments]
    return LaunchDescription([*declared, OpaqueFunction(function=nodes)])
