"""A ROS 2 program that does what a test asks and tells what it saw: one JSON object per line, in and out."""

import importlib
import json
import math
import re
import sys
import threading
import time

import rclpy
from rclpy.action import ActionClient
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.serialization import serialize_message


def interface(name):
    package, kind, type_name = name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), type_name)


def to_json(value):
    if hasattr(value, "get_fields_and_field_types"):
        return {name: to_json(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, bytes):
        return value[0]
    return [to_json(element) for element in value]


def fill(message, fields):
    kinds = message.get_fields_and_field_types()
    for name, value in fields.items():
        if isinstance(value, dict):
            fill(getattr(message, name), value)
        elif isinstance(value, list) and any(isinstance(element, dict) for element in value):
            package, kind = re.fullmatch(r"sequence<(\w+)/(\w+)>", kinds[name]).groups()
            element_type = interface(f"{package}/msg/{kind}")
            setattr(message, name, [fill(element_type(), element) for element in value])
        elif kinds[name] == "double":
            # JSON does not tell 1.0 from 1, and rclpy takes the bits of what it is given.
            setattr(message, name, float(value))
        else:
            setattr(message, name, value)
    return message


def quality(request):
    return QoSProfile(
        depth=request.get("depth", 10),
        reliability=QoSReliabilityPolicy[request.get("reliability", "RELIABLE")],
        durability=QoSDurabilityPolicy[request.get("durability", "VOLATILE")],
    )


class Witness:
    def __init__(self):
        rclpy.init()
        self.node = rclpy.create_node("witness")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.received = {}
        self.publishers = {}
        self.clients = {}
        self.deaf_clients = {}
        self.action_clients = {}
        self.goals = {}
        self.frames = {}
        self.listening = False
        self.thread = threading.Thread(target=self.spin)
        self.thread.start()

    def spin(self):
        try:
            self.executor.spin()
        except ExternalShutdownException:
            pass

    def wait_until(self, condition, timeout):
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        return True

    def subscribe(self, request):
        seen = self.received[request["id"]] = []
        self.node.create_subscription(
            interface(request["type"]),
            request["topic"],
            lambda message: seen.append({"at": time.time(), "message": to_json(message)}),
            quality(request),
        )

    def messages(self, request):
        """Waits for as many messages as asked and hands over, and forgets, all there are."""
        seen = self.received[request["id"]]
        self.wait_until(lambda: len(seen) >= request["count"], request["timeout"])
        taken = seen[:]
        del seen[: len(taken)]
        return taken

    def advertise(self, request):
        """Makes a publisher and waits for the given number of readers."""
        publisher = self.node.create_publisher(interface(request["type"]), request["topic"], quality(request))
        self.publishers[request["id"]] = (publisher, interface(request["type"]))
        readers = request["readers"]
        return self.wait_until(lambda: publisher.get_subscription_count() >= readers, request["timeout"])

    def publish(self, request):
        publisher, kind = self.publishers[request["id"]]
        for fields in request["messages"]:
            publisher.publish(fill(kind(), fields))
            time.sleep(request.get("period", 0))

    def call(self, request):
        name = request["service"]
        if name not in self.clients:
            self.clients[name] = self.node.create_client(interface(request["type"]), name)
        client = self.clients[name]
        if not client.wait_for_service(request["timeout"]):
            raise RuntimeError(f"no service {name}")
        future = client.call_async(fill(interface(request["type"]).Request(), request.get("fields", {})))
        if not self.wait_until(future.done, request["timeout"]):
            raise RuntimeError(f"no answer of {name}")
        return to_json(future.result())

    def ask_deaf(self, request):
        """Sends a request of a client that never gets its answer: it wants to read earlier ones too, which no service keeps."""
        name = request["service"]
        kind = interface(request["type"])
        if name not in self.deaf_clients:
            latched = quality({"durability": "TRANSIENT_LOCAL"})
            self.deaf_clients[name] = self.node.create_client(kind, name, qos_profile=latched)
        self.deaf_clients[name].call_async(kind.Request())

    def send_goal(self, request):
        """Sends a goal of an action; tells whether it was accepted."""
        name = request["action"]
        kind = interface(request["type"])
        if name not in self.action_clients:
            self.action_clients[name] = ActionClient(self.node, kind, name)
        client = self.action_clients[name]
        if not client.wait_for_server(request["timeout"]):
            raise RuntimeError(f"no action {name}")
        feedback = []
        future = client.send_goal_async(
            fill(kind.Goal(), request["fields"]), lambda message: feedback.append(to_json(message.feedback))
        )
        if not self.wait_until(future.done, request["timeout"]):
            raise RuntimeError(f"no answer of {name}")
        handle = future.result()
        if handle.accepted:
            self.goals[request["id"]] = (handle, handle.get_result_async(), feedback)
        return handle.accepted

    def cancel_goal(self, request):
        future = self.goals[request["id"]][0].cancel_goal_async()
        if not self.wait_until(future.done, request["timeout"]):
            raise RuntimeError("no answer to the cancellation")
        return len(future.result().goals_canceling)

    def goal_result(self, request):
        """Waits for the end of a goal; tells its status, its result and its feedback."""
        _, future, feedback = self.goals[request["id"]]
        if not self.wait_until(future.done, request["timeout"]):
            raise RuntimeError("no result")
        answer = future.result()
        status = {4: "succeeded", 5: "canceled", 6: "aborted"}.get(answer.status, str(answer.status))
        return {"status": status, "result": to_json(answer.result), "feedback": feedback}

    def transform(self, request):
        """Waits for the transform between two frames that tf_messages tell; metres and x, y, z, w."""

        def chain(frame):
            links = []
            while frame != request["target"]:
                if frame not in self.frames:
                    return None
                parent, pose = self.frames[frame]
                links.append(pose)
                frame = parent
            return list(reversed(links))

        self.listen_to_frames()
        self.wait_until(lambda: chain(request["source"]) is not None, request["timeout"])
        return chain(request["source"])

    def listen_to_frames(self):
        if self.listening:
            return
        self.listening = True

        def take(message):
            for transform in message.transforms:
                self.frames[transform.child_frame_id] = (transform.header.frame_id, to_json(transform.transform))

        kind = interface("tf2_msgs/msg/TFMessage")
        self.node.create_subscription(kind, "/tf", take, QoSProfile(depth=100))
        latched = quality({"depth": 100, "durability": "TRANSIENT_LOCAL"})
        self.node.create_subscription(kind, "/tf_static", take, latched)

    def serialize(self, request):
        return serialize_message(fill(interface(request["type"])(), request["fields"])).hex()

    def graph(self, request):
        """Waits until the given node is seen; tells nodes, services of the bridge and publishers of topics."""
        wanted = request["node"]

        def names():
            return sorted(space.rstrip("/") + "/" + name for name, space in self.node.get_node_names_and_namespaces())

        self.wait_until(lambda: wanted in names(), request["timeout"])
        topics = {}
        for topic, types in self.node.get_topic_names_and_types():
            topics[topic] = {
                "types": types,
                "publishers": [
                    {
                        "node": info.node_namespace.rstrip("/") + "/" + info.node_name,
                        "reliability": info.qos_profile.reliability.name,
                        "durability": info.qos_profile.durability.name,
                    }
                    for info in self.node.get_publishers_info_by_topic(topic)
                ],
                "subscribers": len(self.node.get_subscriptions_info_by_topic(topic)),
            }
        services = {name: types for name, types in self.node.get_service_names_and_types()}
        return {"nodes": names(), "topics": topics, "services": services}

    def crowd(self, request):
        """Makes further nodes that read a topic each: crowd_1, crowd_2 and so on."""
        for number in range(1, request["count"] + 1):
            node = rclpy.create_node(f"crowd_{number}")
            node.create_subscription(interface(request["type"]), request["topic"], lambda message: None, 1)
            self.executor.add_node(node)

    def servers(self, request):
        """How many nodes offer a service."""
        return self.node.count_services(request["service"])

    def close(self):
        rclpy.try_shutdown()
        self.thread.join()


def main():
    witness = Witness()
    print(json.dumps({"result": "ready"}), flush=True)
    try:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = {"result": getattr(witness, request["op"])(request)}
            except Exception as error:  # the test is to see whatever went wrong
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), flush=True)
    finally:
        witness.close()


main()
