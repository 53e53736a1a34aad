"""Arms of a bridge's configuration as one robot: its URDF, its SRDF and the parameters of MoveIt.

The configuration file of the bridge says which arms there are, of which model, and where they stand. The data of each model
(config/<model>) are macros and files without a prefix; what is written here joins them.
"""

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from itertools import permutations

import xacro
import yaml
from ament_index_python.packages import get_package_share_directory

PACKAGE = "arm_bridge_moveit"
WORLD = "world"
#: Largest speed at which the bridge moves an arm whose angles may be wrong, rad/s.
UNCALIBRATED = 0.3
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


class ArmsError(Exception):
    """The arms that were asked for do not go together; the message says what to change."""


@dataclass(frozen=True)
class Arm:
    """An arm of the configuration: its name, its model, what its joints and links begin with, and where it stands."""

    name: str
    model: str
    #: What belongs to the model: a folder of this package, or `moveit` in the folder of a model given by its path.
    folder: str
    prefix: str
    xyz: tuple
    rpy: tuple
    #: Parts of its speeds and accelerations that the bridge allows, and whether it drives an arm whose angles may be wrong,
    #: which is slow.
    speed: float = 1.0
    acceleration: float = 1.0
    uncalibrated: bool = False


def data(*path):
    """A file of this package."""
    return os.path.join(get_package_share_directory(PACKAGE), "config", *path)


def read(*path):
    """A YAML file of this package, or of an absolute path."""
    with open(data(*path), encoding="utf-8") as file:
        return yaml.safe_load(file)


def folder_of(model, config):
    """The folder with what belongs to a model. Paths are relative to the configuration file. Raises ArmsError."""
    named = "/" not in model
    folder = data(model) if named else os.path.join(os.path.abspath(os.path.dirname(config)), model, "moveit")
    folder = os.path.normpath(folder)
    if os.path.isfile(os.path.join(folder, "joint_limits.yaml")):
        return folder
    remedy = "" if named else f", since {folder} is not there: write it with scripts/moveit/generate.mjs MODEL_FOLDER"
    raise ArmsError(f'{PACKAGE} has nothing for the model "{model}"{remedy}')


def arms_of(config, names, prefix):
    """The arms of a bridge's configuration file by their names.

    prefix: what the bridge was given as ros.joint_prefix; None: what the file says. Raises ArmsError.
    """
    with open(config, encoding="utf-8") as file:
        content = yaml.safe_load(file) or {}
    known = {arm["name"]: arm for arm in content.get("arms", [])}
    if prefix is None:
        prefix = (content.get("ros") or {}).get("joint_prefix")
    arms = []
    for name in names:
        if name not in known:
            raise ArmsError(f'{config} has no arm "{name}"; it has {", ".join(known)}')
        arm = known[name]
        model = arm.get("model", "so101")
        folder = folder_of(model, config)
        model = os.path.basename(os.path.normpath(model))
        mount = arm.get("mount") or {}
        pose = (tuple(mount.get("xyz", (0, 0, 0))), tuple(mount.get("rpy", (0, 0, 0))))
        begins = f"{name}_" if prefix == "auto" else prefix or ""
        parts = (arm.get("speed_scale", 1.0), arm.get("acceleration_scale", 1.0))
        arms.append(Arm(name, model, folder, begins, *pose, *parts, arm.get("uncalibrated", False)))
    folders = {}
    for arm in arms:
        if folders.setdefault(arm.model, arm.folder) != arm.folder:
            raise ArmsError(f'two different models are called "{arm.model}": give one of their folders another name')
    if len({arm.prefix for arm in arms}) < len(arms):
        raise ArmsError(
            f'{" and ".join(names)} would share their joint names: let them begin with the names of the arms, by '
            "ros: { joint_prefix: auto } in the configuration of the bridge (here: prefix:=auto)"
        )
    return arms


def includes(arms, kind):
    files = sorted({os.path.join(arm.folder, f"{arm.model}.{kind}.xacro") for arm in arms})
    return "".join(f'<xacro:include filename="{file}"/>' for file in files)


def numbers(values):
    return " ".join(str(value) for value in values)


def urdf(arms, more=""):
    """The URDF of the arms in one world. more: xacro text that goes into it too."""
    body = f'<link name="{WORLD}"/>' + includes(arms, "urdf")
    for arm in arms:
        body += (
            f'<xacro:{arm.model} prefix="{arm.prefix}" parent="{WORLD}" '
            f'xyz="{numbers(arm.xyz)}" rpy="{numbers(arm.rpy)}"/>'
        )
    return _process(body + more)


def srdf(arms):
    """The SRDF of the arms: a group and an end effector for each, one group of all, and what needs no check."""
    body = includes(arms, "srdf") + "".join(f'<xacro:{arm.model}_srdf prefix="{arm.prefix}"/>' for arm in arms)
    if len(arms) > 1:
        groups = "".join(f'<group name="{arm.prefix}arm"/>' for arm in arms)
        body += f'<group name="all_arms">{groups}</group>' + _poses_of_all(arms)
        body += _between(arms)
    return _process(body)


def _poses_of_all(arms):
    """Group states of all_arms: the named poses that every arm has."""
    poses = [_poses(arm) for arm in arms]
    shared = [name for name in poses[0] if all(name in others for others in poses)]
    return "".join(
        f'<group_state name="{name}" group="all_arms">{"".join(of[name] for of in poses)}</group_state>' for name in shared
    )


def _poses(arm):
    """Joints of an arm's named poses as XML, by the name of the pose."""
    tree = ElementTree.fromstring(srdf([arm]))
    return {
        state.get("name"): "".join(ElementTree.tostring(joint, "unicode") for joint in state.iter("joint"))
        for state in tree.iter("group_state")
        if state.get("group") == f"{arm.prefix}arm"
    }


def _process(body):
    document = xacro.parse(f'<robot name="arms" {XACRO}>{body}</robot>')
    xacro.process_doc(document)
    return document.toprettyxml(indent="  ")


def _between(arms):
    """Pairs of links of different arms that need no check: each arm stands on a table of its own, and what stands on a table
    does not move."""
    tree = ElementTree.fromstring(urdf(arms))
    links = {arm.name: [] for arm in arms}
    for link in tree.iter("link"):
        if link.find("collision") is None:
            continue
        name = link.get("name")
        arm = max((arm for arm in arms if name.startswith(arm.prefix)), key=lambda arm: len(arm.prefix))
        links[arm.name].append(name)
    joints = {joint.find("child").get("link"): joint for joint in tree.iter("joint") if joint.find("child") is not None}

    def stands(link):
        while link in joints and joints[link].get("type") == "fixed":
            link = joints[link].find("parent").get("link")
        return link == WORLD

    pairs = set()
    for one, other in permutations(arms, 2):
        for link in links[other.name]:
            pairs.add((f"{one.prefix}table", link))
        for here in filter(stands, links[one.name]):
            pairs.update((here, there) for there in links[other.name] if stands(there))
    unique = {tuple(sorted(pair)) for pair in pairs}
    return "".join(f'<disable_collisions link1="{a}" link2="{b}" reason="User"/>' for a, b in sorted(unique))


def joined(arms, file, change):
    """The contents of a file of each arm's model, changed for the arm and put together."""
    together = {}
    for arm in arms:
        _merge(together, change(read(arm.folder, file), arm))
    return together


def _merge(into, values):
    for key, value in values.items():
        if isinstance(value, dict):
            _merge(into.setdefault(key, {}), value)
        elif isinstance(value, list) and key in into:
            into[key] = into[key] + [entry for entry in value if entry not in into[key]]
        else:
            into[key] = value


def renamed(values, arm):
    return {f"{arm.prefix}{name}": value for name, value in values.items()}


def joint_limits(arms):
    def change(text, arm):
        slowest = UNCALIBRATED if arm.uncalibrated else float("inf")
        limits = {
            name: {
                **limit,
                "max_velocity": min(arm.speed * limit["max_velocity"], slowest),
                "max_acceleration": arm.acceleration * limit["max_acceleration"],
            }
            for name, limit in text["joint_limits"].items()
        }
        return {**text, "joint_limits": renamed(limits, arm)}

    return joined(arms, "joint_limits.yaml", change)


def kinematics(arms):
    return joined(arms, "kinematics.yaml", renamed)


def release(distro):
    """What MoveIt of a release of ROS 2 is told otherwise than others."""
    releases = read("releases.yaml")
    return releases.get(distro, releases["others"])


def controllers(arms, through, distro):
    """Controllers of moveit_simple_controller_manager. through: namespace between the arm's and its controllers', or ''.

    One arm's names are relative to its namespace, several arms' to the one above.
    """
    many = len(arms) > 1
    gripper = release(distro)["gripper"]

    def change(text, arm):
        space = "".join(f"{part}/" for part in (arm.name if many else "", through) if part)
        known = text["moveit_simple_controller_manager"]
        changed = {}
        for name in known["controller_names"]:
            controller = dict(known[name], joints=[f"{arm.prefix}{joint}" for joint in known[name]["joints"]])
            if "command_joint" in controller:
                controller["command_joint"] = f'{arm.prefix}{controller["command_joint"]}'
                controller["type"] = gripper["type"]
                name = gripper["controller"]
            changed[f"{space}{name}"] = controller
        changed["controller_names"] = list(changed)
        return {**text, "moveit_simple_controller_manager": changed}

    return joined(arms, "moveit_controllers.yaml", change)


def ompl(arms, distro):
    def change(text, arm):
        return {"planner_configs": text["planner_configs"], **renamed(text["groups"], arm)}

    parameters = {**read(release(distro)["pipeline"]), **joined(arms, "ompl_planning.yaml", change)}
    if len(arms) > 1:
        # One path check for all arms is as fine as the finest of theirs, over the sum of their ranges.
        groups = [parameters[f"{arm.prefix}arm"] for arm in arms]
        step = 1 / sum(1 / group["longest_valid_segment_fraction"] for group in groups)
        parameters["all_arms"] = {**groups[0], "longest_valid_segment_fraction": round(step, 7)}
    return parameters


def move_group(arms, through="", distro=None):
    """Parameters of move_group for the arms."""
    description = {"robot_description": urdf(arms), "robot_description_semantic": srdf(arms)}
    distro = distro or os.environ.get("ROS_DISTRO", "")
    return {
        **description,
        "robot_description_kinematics": kinematics(arms),
        "robot_description_planning": joint_limits(arms),
        "planning_pipelines": ["ompl"],
        "default_planning_pipeline": "ompl",
        "ompl": ompl(arms, distro),
        **controllers(arms, through, distro),
        **read("trajectory_execution.yaml"),
        "publish_robot_description_semantic": True,
        "publish_planning_scene": True,
        "publish_geometry_updates": True,
        "publish_state_updates": True,
        "publish_transforms_updates": True,
    }


def ros2_control(arm, joint_states, joint_commands, positions, threshold):
    """The URDF of an arm with its <ros2_control> block. positions: where its joints are, by name with prefix."""
    initial = {name.removeprefix(arm.prefix): float(value) for name, value in positions.items()}
    more = includes([arm], "ros2_control") + (
        f'<xacro:{arm.model}_ros2_control prefix="{arm.prefix}" joint_states="{joint_states}" '
        f'joint_commands="{joint_commands}" threshold="{threshold}" initial="${{dict({_arguments(initial)})}}"/>'
    )
    return urdf([arm], more)


def _arguments(values):
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def ros2_controllers(arm):
    """Parameters of controller_manager and its controllers, as in a parameter file."""
    parameters = read(arm.folder, "ros2_controllers.yaml")
    trajectory = parameters["/**/arm_controller"]["ros__parameters"]
    joints = trajectory["joints"]
    trajectory["joints"] = [f"{arm.prefix}{joint}" for joint in joints]
    constraints = trajectory["constraints"]
    trajectory["constraints"] = {
        (f"{arm.prefix}{name}" if name in joints else name): value for name, value in constraints.items()
    }
    gripper = parameters.get("/**/gripper_controller")
    if gripper is not None:
        gripper["ros__parameters"]["joint"] = f'{arm.prefix}{gripper["ros__parameters"]["joint"]}'
    return parameters
