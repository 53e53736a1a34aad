"""
A command that LeRobot or a plug-in has installed, as people type it. Argument: its command line.

Arrays of numpy stand in for tensors, and for a policy that is loaded one that turns the first joint steadily, by STEP a frame.
"""

import contextlib
import importlib.metadata
import shlex
import sys

import numpy as np
import stand_ins

stand_ins.replace("torch", "torchvision", "safetensors", "cv2", "gymnasium", "einops", "pynput")

import torch

#: Degrees.
STEP = 0.5


class Tensor(np.ndarray):
    def cpu(self):
        return self

    def to(self, *_args, **_keywords):
        return self

    def clone(self):
        return self.copy()

    def squeeze(self, axis):
        return super().squeeze(axis) if self.shape[axis] == 1 else self

    def unsqueeze(self, axis):
        return np.expand_dims(self, axis).view(Tensor)


def tensor(values, **_keywords):
    return np.asarray(values, dtype=np.float32).view(Tensor)


torch.tensor = torch.from_numpy = tensor
torch.inference_mode = contextlib.nullcontext


class Identity:
    steps = ()

    def __call__(self, value):
        return value

    def reset(self):
        pass


class Policy:
    """Begins where the arm is."""

    def __init__(self, config):
        self.config = config
        self.goal = None

    def to(self, _device):
        return self

    def eval(self):
        return self

    def reset(self):
        self.goal = None

    def select_action(self, observation):
        if self.goal is None:
            self.goal = observation["observation.state"].copy()
        self.goal[..., 0] += STEP
        return self.goal.copy()


def load_stand_in():
    from lerobot.rollout import context

    context._load_pretrained_policy = Policy
    context.make_pre_post_processors = lambda **_keywords: (Identity(), Identity())


sys.argv = shlex.split(sys.argv[1])
[command] = importlib.metadata.entry_points(group="console_scripts", name=sys.argv[0])
run = command.load()
if sys.argv[0] == "lerobot-rollout":
    load_stand_in()
run()
