"""Random poses that an arm can have, touching nothing, by MuJoCo alone.

Reads {"urdf", "tool", "init", "joints", "count", "seed"} from standard input; `joints` has name, lower, upper and whether it
is the gripper, `init` the positions at the zero of the absolute frame. Writes the zero's position (m, base frame) and the
targets as the HTTP interface takes them: cm and degrees.
"""

import json
import math
import re
import sys

import mujoco
import numpy as np

CLEARANCE = 0.005  # m: what nearly touches is left out
MARGIN = 0.03  # rad from the joint limits

task = json.load(sys.stdin)
text = re.sub(r"<visual\b[^>]*/>|<visual\b.*?</visual\s*>", "", task["urdf"], flags=re.S)
spec = mujoco.MjSpec.from_string(text)
spec.compiler.fusestatic = False
floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.01])
model = spec.compile()
# MuJoCo leaves out contacts between a link and its parent, but not where the parent is welded to the world.
fixed = [b for b in range(1, model.nbody) if model.body_weldid[b] == 0]
first = [b for b in range(1, model.nbody) if model.body_weldid[b] == b and model.body_weldid[model.body_parentid[b]] == 0]
for a in fixed:
    for b in first:
        spec.add_exclude(bodyname1=model.body(a).name, bodyname2=model.body(b).name)
for body in first:
    spec.add_exclude(bodyname1="world", bodyname2=model.body(body).name)
for body in fixed:
    spec.add_exclude(bodyname1="world", bodyname2=model.body(body).name)
model = spec.compile()
model.geom_margin[:] = CLEARANCE
data = mujoco.MjData(model)
addresses = [model.joint(joint["name"]).qposadr[0] for joint in task["joints"]]
tool = model.body(task["tool"]).id


def forward(q):
    data.qpos[addresses] = q
    mujoco.mj_forward(model, data)
    return data.xpos[tool].copy(), data.xmat[tool].reshape(3, 3).copy()


zero, upright = forward(task["init"])
random = np.random.default_rng(task["seed"])
targets = []
while len(targets) < task["count"]:
    q = [
        rest if joint["gripper"] else random.uniform(joint["lower"] + MARGIN, joint["upper"] - MARGIN)
        for joint, rest in zip(task["joints"], task["init"])
    ]
    position, rotation = forward(q)
    if data.ncon > 0:
        continue
    turn = rotation @ upright.T
    x, y, z = 100 * (position - zero)
    targets.append(
        {
            "x": x,
            "y": y,
            "z": z,
            "rx": math.degrees(math.asin(max(-1, min(1, turn[2, 0])))),
            "ry": math.degrees(math.atan2(turn[1, 0], turn[0, 0])),
            "rz": math.degrees(math.atan2(turn[2, 1], turn[2, 2])),
        }
    )
json.dump({"zero": list(zero), "targets": targets}, sys.stdout)
