"""Reads joint positions (JSON, standard input), writes tool pose and holding torques of the URDF as MuJoCo has them."""

import json
import sys

import mujoco

spec = mujoco.MjSpec.from_file(sys.argv[1])
spec.compiler.fusestatic = False
model = spec.compile()
data = mujoco.MjData(model)
tool = model.body("tool").id
answers = []
for q in json.load(sys.stdin):
    data.qpos[:] = q
    data.qvel[:] = 0
    mujoco.mj_forward(model, data)
    pose = [*data.xpos[tool], *data.xmat[tool]]
    answers.append({"pose": pose, "torques": list(data.qfrc_bias)})
json.dump(answers, sys.stdout)
