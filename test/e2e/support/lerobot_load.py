"""What LeRobot and torch themselves read of a data set, as lerobot_dataset.py tells it, in batches as training takes them. Argument: its folder."""

import json
import sys
from pathlib import Path

import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset

folder = Path(sys.argv[1])
dataset = LeRobotDataset("local/read", root=folder)
frames, cameras = [], {key.removeprefix("observation.images."): [] for key in dataset.meta.camera_keys}
for batch in torch.utils.data.DataLoader(dataset, batch_size=16):
    columns = {key: batch[key].tolist() for key in ("action", "observation.state", "timestamp", "episode_index")}
    frames += [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for name, means in cameras.items():
        # Frames, colours, height, width: 0 to 1.
        means += (255 * batch[f"observation.images.{name}"].mean(dim=(2, 3))).tolist()
    task = batch["task"][0]
print(json.dumps({"fps": dataset.fps, "task": task, "frames": frames, "cameras": cameras}))
