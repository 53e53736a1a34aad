"""The robot that arm_bridge_moveit makes of a configuration: {config, arms, prefix, through, distro} on stdin, one answer."""

import json
import sys

from arm_bridge_moveit import robot

request = json.load(sys.stdin)
try:
    arms = robot.arms_of(request["config"], request["arms"], request.get("prefix"))
    parameters = robot.move_group(arms, request.get("through", ""), request.get("distro", "jazzy"))
    answer = {
        "urdf": parameters.pop("robot_description"),
        "srdf": parameters.pop("robot_description_semantic"),
        "parameters": parameters,
        "controllers": [robot.ros2_controllers(arm) for arm in arms],
    }
    if "positions" in request:
        topics = ("/a/joint_states", "/a/joint_commands")
        answer["ros2_control"] = robot.ros2_control(arms[0], *topics, request["positions"], 0.05)
except robot.ArmsError as error:
    answer = {"error": str(error)}
json.dump(answer, sys.stdout)
