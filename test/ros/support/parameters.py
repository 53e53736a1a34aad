"""Tells which parameters rclpy gives to nodes; a list of {namespace, args} on stdin, one object per entry on stdout."""

import json
import sys

import rclpy

ROS_OWN = ("use_sim_time", "start_type_description_service")
answers = []
for case in json.load(sys.stdin):
    context = rclpy.Context()
    rclpy.init(args=["program", *case["args"]], context=context)
    node = rclpy.create_node(
        "arm_bridge",
        namespace=case["namespace"],
        context=context,
        automatically_declare_parameters_from_overrides=True,
        start_parameter_services=False,
    )
    values = {name: parameter.value for name, parameter in node._parameters.items() if name not in ROS_OWN}
    answers.append({name: list(value) if hasattr(value, "tolist") else value for name, value in values.items()})
    node.destroy_node()
    rclpy.shutdown(context=context)
print(json.dumps(answers))
