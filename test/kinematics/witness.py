"""What MuJoCo and Pinocchio make of chains: reads requests (JSON, standard input), writes one answer per pose.

A request is {"urdf": text, "tool": link, "joints": [names], "poses": [[positions]]}. An answer has for each library the
tool's pose (position, then rotation matrix by rows), its Jacobian (6 rows, linear first, in axes of the base) and the
torques that hold the joints. Joints that mimic another one are driven by it, and their share is added to its column.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree

import mujoco
import numpy
import pinocchio


def drives(urdf, joints):
    """Per moving joint: its name, the index of the joint that drives it, multiplier and offset."""
    rows = [(name, index, 1.0, 0.0) for index, name in enumerate(joints)]
    for joint in ElementTree.fromstring(urdf).iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None:
            scale, offset = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
            rows.append((joint.get("name"), joints.index(mimic.get("joint")), scale, offset))
    return rows


class Mujoco:
    def __init__(self, urdf, tool):
        spec = mujoco.MjSpec.from_string(urdf)
        spec.compiler.fusestatic = False
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.tool = self.model.body(tool).id

    def answer(self, positions):
        for name, value in positions.items():
            self.data.qpos[self.model.joint(name).qposadr[0]] = value
        self.data.qvel[:] = 0
        mujoco.mj_forward(self.model, self.data)
        linear = numpy.zeros((3, self.model.nv))
        angular = numpy.zeros((3, self.model.nv))
        mujoco.mj_jacBody(self.model, self.data, linear, angular, self.tool)
        pose = [*self.data.xpos[self.tool], *self.data.xmat[self.tool]]
        return pose, numpy.vstack([linear, angular]), self.data.qfrc_bias

    def column(self, name):
        return self.model.joint(name).dofadr[0]


class Pinocchio:
    def __init__(self, urdf, tool):
        self.model = pinocchio.buildModelFromXML(urdf)
        self.data = self.model.createData()
        self.tool = self.model.getFrameId(tool)

    def answer(self, positions):
        q = pinocchio.neutral(self.model)
        for name, value in positions.items():
            joint = self.model.joints[self.model.getJointId(name)]
            # A joint without limits is stored as cosine and sine.
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = [numpy.cos(value), numpy.sin(value)]
            else:
                q[joint.idx_q] = value
        jacobian = pinocchio.computeFrameJacobian(
            self.model, self.data, q, self.tool, pinocchio.LOCAL_WORLD_ALIGNED
        )
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        frame = self.data.oMf[self.tool]
        pose = [*frame.translation, *numpy.asarray(frame.rotation).flatten()]
        return pose, jacobian, pinocchio.computeGeneralizedGravity(self.model, self.data, q)

    def column(self, name):
        return self.model.joints[self.model.getJointId(name)].idx_v


def gather(library, rows, count, pose):
    frame, jacobian, torques = library.answer({name: scale * pose[i] + offset for name, i, scale, offset in rows})
    columns = numpy.zeros((6, count))
    held = numpy.zeros(count)
    for name, index, scale, _ in rows:
        columns[:, index] += scale * jacobian[:, library.column(name)]
        held[index] += scale * torques[library.column(name)]
    return {"pose": list(frame), "jacobian": list(columns.flatten()), "torques": list(held)}


def main():
    answers = []
    for request in json.load(sys.stdin):
        rows = drives(request["urdf"], request["joints"])
        libraries = {
            "mujoco": Mujoco(request["urdf"], request["tool"]),
            "pinocchio": Pinocchio(request["urdf"], request["tool"]),
        }
        answers.append(
            [
                {name: gather(library, rows, len(request["joints"]), pose) for name, library in libraries.items()}
                for pose in request["poses"]
            ]
        )
    json.dump(answers, sys.stdout)


main()
