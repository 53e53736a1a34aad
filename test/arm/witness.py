"""What MuJoCo and Pinocchio make of arms: reads requests (JSON, standard input), writes one answer per pose.

A request is {"urdf": file, "tool": link, "joints": [names], "poses": [[positions]]}. An answer has for each library the
tool's position and rotation matrix (rows), the torques that hold the joints, and where their axes are.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree

import mujoco
import numpy
import pinocchio


def with_followers(urdf, joints, pose):
    """Positions by joint name, with those of joints that mimic another one."""
    positions = dict(zip(joints, pose, strict=True))
    for joint in ElementTree.parse(urdf).getroot().iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            scale, offset = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
            positions[joint.get("name")] = scale * positions[mimic.get("joint")] + offset
    return positions


class Mujoco:
    def __init__(self, request):
        spec = mujoco.MjSpec.from_file(request["urdf"])
        spec.compiler.fusestatic = False
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.request = request

    def answer(self, positions):
        for name, value in positions.items():
            self.data.qpos[self.model.joint(name).qposadr[0]] = value
        mujoco.mj_forward(self.model, self.data)
        tool = self.data.body(self.request["tool"])
        joints = [self.model.joint(name) for name in self.request["joints"]]
        return {
            "position": list(tool.xpos),
            "rotation": list(tool.xmat),
            "torques": [self.data.qfrc_bias[joint.dofadr[0]] for joint in joints],
            "axes": [list(self.data.xanchor[joint.id]) for joint in joints],
        }


class Pinocchio:
    def __init__(self, request):
        self.model = pinocchio.buildModelFromUrdf(request["urdf"])
        self.data = self.model.createData()
        self.request = request

    def answer(self, positions):
        q = pinocchio.neutral(self.model)
        for name, value in positions.items():
            q[self.model.joints[self.model.getJointId(name)].idx_q] = value
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        torques = pinocchio.computeGeneralizedGravity(self.model, self.data, q)
        tool = self.data.oMf[self.model.getFrameId(self.request["tool"])]
        ids = [self.model.getJointId(name) for name in self.request["joints"]]
        return {
            "position": list(tool.translation),
            "rotation": list(numpy.asarray(tool.rotation).flatten()),
            "torques": [torques[self.model.joints[id].idx_v] for id in ids],
            "axes": [list(self.data.oMi[id].translation) for id in ids],
        }


def main():
    answers = []
    for request in json.load(sys.stdin):
        libraries = {"mujoco": Mujoco(request), "pinocchio": Pinocchio(request)}
        for pose in request["poses"]:
            positions = with_followers(request["urdf"], request["joints"], pose)
            answers.append({name: library.answer(positions) for name, library in libraries.items()})
    json.dump(answers, sys.stdout)


main()
