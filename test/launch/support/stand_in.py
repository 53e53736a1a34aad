"""Stands in for a program of ROS 2 that this machine lacks: writes down what it was given, and waits until it is ended.

What it was given is read by rcl itself: the node's name and namespace, parameters from files and arguments, remaps. Executed
under the name of the program; `spawner` ends at once, as the real one does. Ctrl-C ends it without a word at any time, also while
it starts, which may take long on a busy machine.
"""

import json
import os
import sys
import tempfile
import time

# What the real program calls its node where that is not its own name.
NODES = {"ros2_control_node": "controller_manager"}


def main() -> None:
    import rclpy
    from rclpy.executors import ExternalShutdownException
    from rclpy.utilities import remove_ros_args

    program = os.path.basename(sys.argv[0])
    package = os.path.basename(os.path.dirname(sys.argv[0]))
    rclpy.init(args=sys.argv)
    try:
        node = rclpy.create_node(
            NODES.get(program, program),
            automatically_declare_parameters_from_overrides=True,
            allow_undeclared_parameters=True,
            enable_rosout=False,
        )
        note = {
            "program": program,
            "package": package,
            "node": node.get_fully_qualified_name(),
            "arguments": remove_ros_args(sys.argv)[1:],
            "parameters": {name: parameter.value for name, parameter in node._parameters.items()},
            "topics": {name: node.resolve_topic_name(name) for name in ("joint_states", "robot_description", "/tf", "/tf_static")},
        }
        folder = os.environ["STAND_IN_NOTES"]
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            json.dump(note, file)
        # Complete as soon as it is seen.
        os.rename(file.name, os.path.join(folder, f"{program}-{os.getpid()}-{time.time_ns()}.json"))
        if program != "spawner":
            # Whatever ends this has rclpy shut itself down, beside which a second time would be an error.
            rclpy.spin(node)
            return
        node.destroy_node()
        rclpy.try_shutdown()
    except ExternalShutdownException:
        pass


try:
    main()
except KeyboardInterrupt:
    pass
