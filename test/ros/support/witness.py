"""A ROS 2 program that does what a test asks and tells what it saw: one JSON object per line, in and out."""

import importlib
import json
import sys
import threading
import time

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.serialization import serialize_message


def interface(name):
    package, kind, type_name = name.split("/")
    return getattr(importlib.import_module(f"{package}.{kind}"), type_name)


def to_json(value):
    if hasattr(value, "get_fields_and_field_types"):
        return {name: to_json(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (str, bool, int, float)):
        return value
    return [to_json(element) for element in value]


def fill(message, fields):
    for name, value in fields.items():
        if isinstance(value, dict):
            fill(getattr(message, name), value)
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
        future = client.call_async(interface(request["type"]).Request())
        if not self.wait_until(future.done, request["timeout"]):
            raise RuntimeError(f"no answer of {name}")
        return to_json(future.result())

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
