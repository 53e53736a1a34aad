"""Compares chains of transforms with the forward kinematics of pinocchio; JSON on stdin and stdout."""

import json
import sys

import numpy as np
import pinocchio as pin


def placement(transform):
    t, r = transform["translation"], transform["rotation"]
    quaternion = pin.Quaternion(r["w"], r["x"], r["y"], r["z"])
    return pin.SE3(quaternion.matrix(), np.array([t["x"], t["y"], t["z"]]))


request = json.load(sys.stdin)
model = pin.buildModelFromUrdf(request["urdf"])
data = model.createData()
q = pin.neutral(model)
for name, angle in request["joints"].items():
    q[model.joints[model.getJointId(name)].idx_q] = angle
pin.framesForwardKinematics(model, data, q)
mount = pin.SE3(pin.rpy.rpyToMatrix(*request["mount"]["rpy"]), np.array(request["mount"]["xyz"]))
errors = {}
for link, chain in zip(request["links"], request["chains"]):
    told = pin.SE3.Identity()
    for transform in chain:
        told = told * placement(transform)
    difference = (mount * data.oMf[model.getFrameId(link, pin.FrameType.BODY)]).actInv(told)
    errors[link] = {
        "distance": float(np.linalg.norm(difference.translation)),
        "angle": float(np.linalg.norm(pin.log3(difference.rotation))),
    }
print(json.dumps(errors))
