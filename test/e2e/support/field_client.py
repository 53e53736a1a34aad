"""
A program as people write it for phosphobot: requests, one arm, robot_id in the query, a pose in centimetres and degrees, a
circle drawn by a loop of moves, joints read and written. It knows nothing of this bridge; where the tool is in the end
pinocchio tells, from the joints that were read.

Argument: address of the bridge. Prints what it saw as JSON.
"""

import json
import math
import sys

import numpy
import pinocchio
import requests

BASE = sys.argv[1]
ROBOT = {"robot_id": 0}


def call(path, body=None, **query):
    answer = requests.post(f"{BASE}{path}", json=body, params={**ROBOT, **query}, timeout=60)
    answer.raise_for_status()
    return answer.json()


model = pinocchio.buildModelFromXML(requests.get(f"{BASE}/api/v1/arms/arm/urdf", timeout=10).text)
data = model.createData()
tool = model.getFrameId(sys.argv[2])


def where():
    """The tool in the base frame, cm, by the joints that the bridge reads."""
    angles = call("/joints/read", {"unit": "rad", "joints_ids": None})["angles"]
    pinocchio.framesForwardKinematics(model, data, numpy.array(angles))
    return 100 * data.oMf[tool].translation


report = {"status": requests.get(f"{BASE}/status", timeout=10).json()["robots"]}
call("/move/init")
zero = where()
misses = []
for step in (1, 2):
    x, y = 0, 4 * math.sin(step * math.pi / 2)
    z = 4 * math.cos(step * math.pi / 2)
    moved = call("/move/absolute", {"x": x, "y": y, "z": z, "rx": 0, "ry": 0, "rz": 0, "open": step % 2})
    asked = numpy.array([x, y, z])
    read = call("/end-effector/read")
    misses.append(
        {
            "status": moved["status"],
            "position": float(numpy.linalg.norm(where() - zero - asked)),
            "read": float(numpy.linalg.norm(numpy.array([read["x"], read["y"], read["z"]]) - asked)),
            "open": abs(read["open"] - step % 2),
        }
    )
report["circle"] = misses
report["relative"] = call("/move/relative", {"x": 0, "y": 0, "z": 2, "rx": 0, "ry": 0, "rz": 0, "open": 0})["status"]
report["write"] = call("/joints/write", {"angles": [0, -0.5, 0.5, 0, 0, 0]})
report["torque"] = call("/torque/toggle", {"torque_status": True})
report["sleep"] = call("/move/sleep")["status"]
print(json.dumps(report))
