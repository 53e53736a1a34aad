"""The commands of ros2 that one reaches for, on a ROS 2 without its command line tools: the one from PyPI.

    npm run ros -- topic list | echo TOPIC [TYPE] | hz TOPIC | pub TOPIC TYPE VALUES
    npm run ros -- service list | call SERVICE TYPE [VALUES]
    npm run ros -- action list | send_goal ACTION TYPE GOAL
    npm run ros -- param list NODE | get NODE NAME | set NODE NAME VALUE
    npm run ros -- node list

VALUES are YAML as ros2 takes them. Ends with 0, with 1 when nobody answers or the answer is a failure, with 2 on wrong arguments.
"""

import argparse
import importlib
import re
import sys
import time

import rclpy
import yaml
from action_msgs.msg import GoalStatus
from rcl_interfaces.msg import ParameterType
from rclpy.action import ActionClient, get_action_names_and_types
from rclpy.executors import ExternalShutdownException
from rclpy.parameter import Parameter, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# What is on the graph is known once nothing new has been found for so long, at the latest after the other time, s.
QUIET = 1.0
DISCOVERY = 4.0
# Until a service, an action or a reader must have been found, s.
PATIENCE = 10.0


class Refused(Exception):
    """What cannot be done, for people."""


def type_named(name, kind):
    """The class of `package/kind/Type`, of which `kind` may be left out."""
    parts = name.split("/")
    if len(parts) not in (2, 3):
        raise Refused(f'"{name}" is no type: write package/{kind}/Type')
    try:
        return getattr(importlib.import_module(f"{parts[0]}.{kind}"), parts[-1])
    except (ImportError, AttributeError) as error:
        raise Refused(f'there is no type "{name}" here ({error})') from None


def read_yaml(text):
    try:
        values = yaml.safe_load(text) if text else {}
    except yaml.YAMLError as error:
        raise Refused(f"the values are no YAML: {error}") from None
    if not isinstance(values, dict):
        raise Refused(f'the values are fields and values, as in "{{x: 0.1}}", not {text!r}')
    return values


def element(field_type, value, clock):
    """One value of a field or of an array, by the type that the interface gives it."""
    nested = re.search(r"(\w+)/(\w+)", field_type)
    if nested:
        message = type_named(nested.group(0), "msg")()
        if value == "now" and nested.group(2) == "Time":
            return clock.now().to_msg()
        if value == "auto" and nested.group(2) == "Header":
            message.stamp = clock.now().to_msg()
            return message
        fill(message, value, clock)
        return message
    return float(value) if re.search(r"double|float", field_type) else value


def fill(message, values, clock):
    """Sets the fields that are named. Raises Refused on one that the type does not have."""
    fields = message.get_fields_and_field_types()
    if not isinstance(values, dict):
        raise Refused(f"{type(message).__name__} takes fields and values, not {values!r}")
    for name, value in values.items():
        if name not in fields:
            raise Refused(f'{type(message).__name__} has no field "{name}"; it has {", ".join(fields)}')
        kind = fields[name]
        many = kind.startswith("sequence<") or kind.endswith("]")
        try:
            if many != isinstance(value, list):
                raise TypeError("a list in brackets is expected" if many else "one value is expected")
            parts = [element(kind, part, clock) for part in (value if many else [value])]
            setattr(message, name, parts if many else parts[0])
        except (AssertionError, TypeError, ValueError) as error:
            raise Refused(f"{name} ({kind}): {error}") from None


def plain(value):
    """A message as dicts, lists and scalars."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return list(value) if isinstance(value, bytes) else value


def show(value):
    print(yaml.safe_dump(plain(value), sort_keys=False, default_flow_style=None), end="---\n", flush=True)


def discovered(node, look):
    """What `look` finds once the graph has come to rest."""
    end = time.monotonic() + DISCOVERY
    found, quiet = look(), end
    while time.monotonic() < min(quiet, end):
        rclpy.spin_once(node, timeout_sec=0.1)
        now = look()
        if now != found:
            found, quiet = now, time.monotonic() + QUIET
    return found


def waited(node, what, condition):
    limit = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > limit:
            raise Refused(f"{what} within {PATIENCE:.0f} s: is the bridge running, with ROS, in the same ROS_DOMAIN_ID?")
        rclpy.spin_once(node, timeout_sec=0.1)


def result_of(node, future):
    rclpy.spin_until_future_complete(node, future)
    return future.result()


def print_names(rows, types):
    for name, kinds in sorted(rows):
        print(f"{name} [{', '.join(kinds)}]" if types else name)


def type_of(node, options):
    if options.type:
        return type_named(options.type, "msg")
    waited(node, f"nobody publishes {options.topic}", lambda: node.get_publishers_info_by_topic(options.topic))
    return type_named(node.get_publishers_info_by_topic(options.topic)[0].topic_type, "msg")


def subscribe(node, options, callback):
    """Reads with the quality that is offered, as a reader that asks for more gets nothing."""
    kind = type_of(node, options)
    offers = [info.qos_profile for info in node.get_publishers_info_by_topic(options.topic)]
    quality = QoSProfile(depth=10)
    if offers and all(offer.durability == DurabilityPolicy.TRANSIENT_LOCAL for offer in offers):
        quality.durability = DurabilityPolicy.TRANSIENT_LOCAL
    if not all(offer.reliability == ReliabilityPolicy.RELIABLE for offer in offers):
        quality.reliability = ReliabilityPolicy.BEST_EFFORT
    return node.create_subscription(kind, options.topic, callback, quality)


def topic_list(node, options):
    rows = discovered(node, node.get_topic_names_and_types)
    # As `ros2` does: those with a part that begins with _ are hidden.
    print_names([row for row in rows if "/_" not in row[0]], options.show_types)


def topic_echo(node, options):
    seen = []

    def take(message):
        if options.once and seen:
            return
        seen.append(True)
        show(message)

    subscribe(node, options, take)
    while not (options.once and seen):
        rclpy.spin_once(node)


def topic_hz(node, options):
    times = []
    subscribe(node, options, lambda message: times.append(time.monotonic()))
    end = time.monotonic() + options.seconds if options.seconds else float("inf")
    while time.monotonic() < end:
        stop = min(time.monotonic() + 1, end)
        while time.monotonic() < stop:
            rclpy.spin_once(node, timeout_sec=0.05)
        del times[: -options.window]
        if len(times) < 2:
            print("no messages yet", flush=True)
            continue
        gaps = [after - before for before, after in zip(times, times[1:])]
        mean = sum(gaps) / len(gaps)
        print(f"average rate: {1 / mean:.3f}\n\tmin: {min(gaps):.3f}s max: {max(gaps):.3f}s window: {len(times)}", flush=True)


def topic_pub(node, options):
    kind = type_named(options.type, "msg")
    values = read_yaml(options.values)
    publisher = node.create_publisher(kind, options.topic, 10)
    times = 1 if options.once else options.times
    readers = int(bool(times)) if options.wait is None else options.wait
    if readers:
        missing = f"nobody reads {options.topic}" if readers == 1 else f"{options.topic} does not have {readers} readers"
        waited(node, missing, lambda: publisher.get_subscription_count() >= readers)
    sent = 0
    while times is None or sent < times:
        message = kind()
        fill(message, values, node.get_clock())
        publisher.publish(message)
        sent += 1
        end = time.monotonic() + 1 / options.rate
        while time.monotonic() < end:
            rclpy.spin_once(node, timeout_sec=max(0, end - time.monotonic()))
    publisher.wait_for_all_acked()


def service_list(node, options):
    rows = discovered(node, node.get_service_names_and_types)
    print_names([row for row in rows if "/_action/" not in row[0]], options.show_types)


def service_call(node, options):
    kind = type_named(options.type, "srv")
    request = kind.Request()
    fill(request, read_yaml(options.values), node.get_clock())
    client = node.create_client(kind, options.service)
    waited(node, f"nobody serves {options.service}", client.service_is_ready)
    answer = result_of(node, client.call_async(request))
    show(answer)
    return 0 if getattr(answer, "success", True) else 1


def action_list(node, options):
    print_names(discovered(node, lambda: get_action_names_and_types(node)), options.show_types)


def action_send_goal(node, options):
    kind = type_named(options.type, "action")
    goal = kind.Goal()
    fill(goal, read_yaml(options.goal), node.get_clock())
    client = ActionClient(node, kind, options.action)
    waited(node, f"nobody serves {options.action}", client.server_is_ready)
    feedback = (lambda message: show(message.feedback)) if options.feedback else None
    handle = result_of(node, client.send_goal_async(goal, feedback_callback=feedback))
    if not handle.accepted:
        raise Refused(f"{options.action} refuses the goal")
    future = handle.get_result_async()
    try:
        answer = result_of(node, future)
    except KeyboardInterrupt:
        result_of(node, handle.cancel_goal_async())
        answer = result_of(node, future)
    show(answer.result)
    names = {value: name for name, value in vars(GoalStatus).items() if name.startswith("STATUS_")}
    print(f"goal finished: {names.get(answer.status, answer.status)}")
    return 0 if answer.status == GoalStatus.STATUS_SUCCEEDED else 1


def parameters_of(node, options):
    client = AsyncParameterClient(node, options.node)
    waited(node, f"there is no node {options.node} with parameters", client.services_are_ready)
    return client


def param_list(node, options):
    for name in sorted(result_of(node, parameters_of(node, options).list_parameters()).result.names):
        print(name)


def param_get(node, options):
    value = result_of(node, parameters_of(node, options).get_parameters([options.name])).values[0]
    if value.type == ParameterType.PARAMETER_NOT_SET:
        raise Refused(f"{options.node} has no parameter {options.name}")
    print(parameter_value_to_python(value))


def param_set(node, options):
    parameter = Parameter(options.name, value=yaml.safe_load(options.value))
    answer = result_of(node, parameters_of(node, options).set_parameters([parameter])).results[0]
    if not answer.successful:
        raise Refused(answer.reason)


def node_list(node, options):
    names = discovered(node, lambda: sorted(node.get_node_names_and_namespaces()))
    for name, namespace in names:
        if name != node.get_name():
            print(f"{namespace.rstrip('/')}/{name}")


def arguments():
    parser = argparse.ArgumentParser(prog="npm run ros --", description="What one needs of ros2, without it.")
    groups = parser.add_subparsers(dest="group", required=True)
    verbs = {}

    def command(run, *names):
        group, verb = run.__name__.split("_", 1)
        if group not in verbs:
            verbs[group] = groups.add_parser(group).add_subparsers(dest="verb", required=True)
        added = verbs[group].add_parser(verb)
        for name in names:
            added.add_argument(name)
        added.set_defaults(run=run)
        return added

    for lister in (topic_list, service_list, action_list):
        command(lister).add_argument("-t", "--show-types", action="store_true")
    command(node_list)
    echo = command(topic_echo, "topic")
    echo.add_argument("type", nargs="?")
    echo.add_argument("--once", action="store_true", help="end after one message")
    hz = command(topic_hz, "topic")
    hz.add_argument("--window", type=int, default=10000, help="messages that count")
    hz.add_argument("--seconds", type=float, help="end after this time")
    hz.set_defaults(type=None)
    pub = command(topic_pub, "topic", "type")
    pub.add_argument("values", nargs="?", default="")
    pub.add_argument("-1", "--once", action="store_true", help="publish once, when somebody reads")
    pub.add_argument("-r", "--rate", type=float, default=1.0, help="Hz")
    pub.add_argument(
        "-w", "--wait-matching-subscriptions", dest="wait", type=int, metavar="N", help="begin when N read it; 1 with --once or --times"
    )
    pub.add_argument("-t", "--times", type=int, help="how often; until Ctrl-C without it")
    call = command(service_call, "service", "type")
    call.add_argument("values", nargs="?", default="")
    goal = command(action_send_goal, "action", "type", "goal")
    goal.add_argument("-f", "--feedback", action="store_true", help="print the feedback too")
    command(param_list, "node")
    command(param_get, "node", "name")
    command(param_set, "node", "name", "value")
    return parser.parse_args()


def main():
    options = arguments()
    rclpy.init(args=[])
    node = rclpy.create_node("ros_stand_in", start_parameter_services=False, enable_rosout=False)
    try:
        return options.run(node, options) or 0
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, ExternalShutdownException, BrokenPipeError):
        return 0
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


sys.exit(main())
