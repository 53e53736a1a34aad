"""What Pinocchio and Coal (MoveIt's contact library, further developed) make of a URDF with an SRDF.

Reads {"urdf": text, "srdf": text, "joints": [names], "poses": [[positions]]} on stdin; writes for each pose the pairs of links
that touch and that the SRDF does not leave out, and for the file as a whole the pairs that it names without effect.
"""

import json
import os
import sys
import tempfile

import numpy
import pinocchio

request = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    paths = {}
    for kind in ("urdf", "srdf"):
        paths[kind] = os.path.join(folder, f"robot.{kind}")
        with open(paths[kind], "w", encoding="utf-8") as file:
            file.write(request[kind])
    model = pinocchio.buildModelFromUrdf(paths["urdf"], mimic=True)
    shapes = pinocchio.buildGeomFromUrdf(model, paths["urdf"], pinocchio.GeometryType.COLLISION)
    shapes.addAllCollisionPairs()
    before = len(shapes.collisionPairs)
    pinocchio.removeCollisionPairs(model, shapes, paths["srdf"], False)
data, found = model.createData(), shapes.createData()


def link(index):
    """The link of a shape: Pinocchio numbers the shapes of a link."""
    return shapes.geometryObjects[index].name.rsplit("_", 1)[0]


answers = []
for pose in request["poses"]:
    q = pinocchio.neutral(model)
    for name, value in zip(request["joints"], pose, strict=True):
        q[model.joints[model.getJointId(name)].idx_q] = value
    pinocchio.updateGeometryPlacements(model, data, shapes, found, q)
    touching = set()
    for index, pair in enumerate(shapes.collisionPairs):
        names = tuple(sorted((link(pair.first), link(pair.second))))
        if names[0] != names[1] and names not in touching and pinocchio.computeCollision(shapes, found, index):
            touching.add(names)
    answers.append([" ".join(names) for names in sorted(touching)])
json.dump({"removed": before - len(shapes.collisionPairs), "touching": answers}, sys.stdout)
