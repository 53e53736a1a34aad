"""
What two of phosphobot's examples ask, at their own rates, with the library that they use: `circles`, where circles_absolute.py leads
the tool round a circle of 4 cm, 30 steps with pauses of 0.03 s, and `crane`, where crane.py goes by steps of 2 cm, 20 times a second,
while a key is held. Neither is in phosphobot's package: these are written after what they do.

Arguments: address of the bridge, and which of them. Prints how it was answered as JSON.
"""

import json
import math
import sys
import time

import requests

url, example = sys.argv[1:]
STEPS = 30
#: Of five.
CIRCLES = 2
RADIUS = 4

took = []


def ask(move, body):
    """One request on a connection of its own, as the examples ask. Returns how it went."""
    began = time.monotonic()
    answer = requests.post(f"{url}/move/{move}", json=body)
    took.append(time.monotonic() - began)
    answer.raise_for_status()
    told = answer.json()
    return told["message"] if told["status"] == "error" else None


def circles():
    problems = []
    for _lap in range(CIRCLES):
        for step in range(STEPS):
            angle = 2 * math.pi * step / STEPS
            y, z = RADIUS * math.sin(angle), RADIUS * math.cos(angle)
            problems.append(ask("absolute", {"x": 0, "y": y, "z": z, "rx": 0, "ry": 0, "rz": 0, "open": 0}))
            time.sleep(0.03)
    return problems


def crane():
    """A hand that presses one key for six centimetres, and then the other one."""
    problems = [ask("absolute", {"x": 0, "y": 0, "z": 0, "rx": 1.5, "ry": 0, "rz": 0, "open": 1})]
    time.sleep(1)
    for x in (-2, -2, -2, 2, 2, 2) * 3:
        problems.append(ask("relative", {"x": x, "y": 0, "z": 0, "rx": 0, "ry": 0, "rz": 0, "open": 1}))
        time.sleep(0.05)
    return problems


for _ in range(20):
    if ask("init", {}) is None:
        break
    time.sleep(0.5)
time.sleep(2)
took.clear()
problems = (circles if example == "circles" else crane)()
print(
    json.dumps(
        {
            "problems": sorted({problem for problem in problems if problem is not None}),
            "requests": len(took),
            "answered": sorted(took)[len(took) // 2],
        }
    )
)
