"""A data set of LeRobot from episodes that the bridge has recorded."""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from mcap.reader import make_reader
from mcap_ros2.reader import read_ros2_messages
from numpy.typing import NDArray

from .units import Joint, joints_of

#: Metadata of an episode in its file.
EPISODE = "arm_bridge.episode"
#: What is longer than this between two samples is no motion that was recorded, s.
MOST_SILENCE = 0.25
#: How frames are made of samples: see resampled().
METHOD = "linear"

Action = Literal["leader", "setpoints"]


class NotExported(Exception):
    """An episode that makes no frames, and why."""


@dataclass(frozen=True)
class Track:
    """Positions of an arm's joints in LeRobot's numbers: times, s since the epoch, and a row for each."""

    names: list[str]
    times: NDArray[np.float64]
    rows: NDArray[np.float64]


@dataclass(frozen=True)
class Episode:
    """An episode as its file has it: what people said of it, and its arms by name."""

    path: Path
    about: dict[str, str]
    arms: dict[str, dict[str, Any]]


def open_episode(path: Path) -> Episode:
    """What a file says of itself. Raises NotExported for one that is no episode of a bridge."""
    with path.open("rb") as file:
        about = next((found.metadata for found in make_reader(file).iter_metadata() if found.name == EPISODE), None)
    if about is None:
        raise NotExported("it is no episode: it says nothing of its arms")
    return Episode(path, about, {arm["name"]: arm for arm in json.loads(about["arms"])})


def joints_in(episode: Episode, arm: str, use_degrees: bool) -> list[Joint]:
    """The joints of an arm as they were calibrated. Raises NotExported."""
    found = episode.arms.get(arm)
    if found is None:
        raise NotExported(f"it has no arm {arm!r}, only {', '.join(episode.arms)}")
    if "travel" not in found["joints"][0]:
        raise NotExported("it says nothing of the calibrated ranges of its joints: an older bridge has recorded it")
    names = [joint["name"] for joint in found["joints"]]
    gripper = found["gripper"]
    index = None if gripper is None else {"index": names.index(gripper["joint"])}
    return joints_of({"joints": found["joints"], "gripper": index}, use_degrees)  # type: ignore[typeddict-item]


def track(episode: Episode, arm: str, topic: str, use_degrees: bool) -> Track:
    """A topic of an arm with joint states. Raises NotExported where it has none, or nothing for longer than a moment."""
    joints = joints_in(episode, arm, use_degrees)
    times: list[int] = []
    rows: list[list[float]] = []
    for message in read_ros2_messages(episode.path, topics=[f"/{arm}/{topic}"]):
        state = message.ros_msg
        # Names may have a prefix; their order is that of the arm.
        if len(state.name) != len(joints) or not all(
            name.endswith(joint.name) for name, joint in zip(state.name, joints, strict=True)
        ):
            raise NotExported(f"/{arm}/{topic} has joints {', '.join(state.name)}")
        times.append(state.header.stamp.sec * 1_000_000_000 + state.header.stamp.nanosec)
        rows.append([joint.number_of(angle) for joint, angle in zip(joints, state.position, strict=True)])
    if len(times) < 2:
        raise NotExported(f"/{arm}/{topic} has {len(times)} messages")
    seconds = np.array(times, dtype=np.int64) / 1e9
    silence = float(np.diff(seconds).max())
    if silence > MOST_SILENCE:
        raise NotExported(f"/{arm}/{topic} is silent for {silence:.2f} s")
    return Track([f"{joint.name}.pos" for joint in joints], seconds, np.array(rows))


def resampled(tracks: list[Track], fps: int) -> list[NDArray[np.float32]]:
    """
    Rows of the tracks at the same times, `fps` a second, from the first to the last at which all have samples: each value lies on
    the straight line between its samples before and after. Raises NotExported where they have no time in common.
    """
    begin = max(track.times[0] for track in tracks)
    end = min(track.times[-1] for track in tracks)
    if end <= begin:
        raise NotExported("observation and action were not recorded at the same time")
    times = begin + np.arange(int((end - begin) * fps) + 1) / fps
    return [
        np.stack([np.interp(times, track.times, column) for column in track.rows.T], axis=1).astype(np.float32)
        for track in tracks
    ]


def frames_of(
    episode: Episode, follower: str, leader: str, action: Action, fps: int, use_degrees: bool
) -> tuple[list[Track], list[NDArray[np.float32]]]:
    """Tracks and resampled rows of an episode's observation and action. Raises NotExported."""
    given = (leader, "joint_states") if action == "leader" else (follower, "joint_setpoints")
    tracks = [track(episode, follower, "joint_states", use_degrees), track(episode, *given, use_degrees)]
    return tracks, resampled(tracks, fps)


def feature(names: list[str]) -> dict[str, Any]:
    return {"dtype": "float32", "shape": (len(names),), "names": names}


def episodes_in(folder: Path) -> list[Path]:
    """Files of a data set of the bridge that nobody has called bad, in the order in which they were recorded."""
    index = json.loads((folder / "dataset.json").read_text())
    wanted = [found for found in index["episodes"] if found["verdict"] != "bad"]
    wanted.sort(key=lambda found: found["began"])
    return [folder / found["folder"] / found.get("file", f"{found['name']}.mcap") for found in wanted]


def export(
    folder: Path,
    to: Path,
    *,
    repo_id: str | None = None,
    fps: int = 30,
    action: Action = "leader",
    follower: str = "follower",
    leader: str = "leader",
    use_degrees: bool = True,
) -> tuple[int, dict[str, str]]:
    """
    Makes a data set of LeRobot in the folder `to`, which must not be there yet, of the data set of the bridge in `folder`.

    Observations are the follower's measured positions; actions the leader's, or the follower's setpoints. Returns the number of
    episodes that it has, and why others have not been taken, by their names.
    """
    made: LeRobotDataset | None = None
    count, left = 0, {}
    sources: list[dict[str, str]] = []
    try:
        for path in episodes_in(folder):
            try:
                episode = open_episode(path)
                tracks, (observed, acted) = frames_of(episode, follower, leader, action, fps, use_degrees)
            except NotExported as error:
                left[path.stem] = str(error)
                continue
            if made is None:
                features = {"observation.state": feature(tracks[0].names), "action": feature(tracks[1].names)}
                made = LeRobotDataset.create(
                    repo_id or f"local/{folder.name}", fps, features, root=to, robot_type="arm_bridge", use_videos=False
                )
            task = episode.about["task"] or folder.name
            for state, goal in zip(observed, acted, strict=True):
                made.add_frame({"observation.state": state, "action": goal, "task": task})
            made.save_episode()
            count += 1
            sources.append({"name": path.stem, "arm_bridge_version": episode.about["arm_bridge_version"]})
    finally:
        if made is not None:
            made.finalize()
    if made is not None:
        how = {"method": METHOD, "action": action, "use_degrees": use_degrees, "episodes": sources}
        (to / "meta/arm_bridge.json").write_text(json.dumps(how, indent=2))
    return count, left


def main() -> None:
    """`arm-bridge-to-lerobot`."""
    parser = argparse.ArgumentParser(
        prog="arm-bridge-to-lerobot", description="Makes a data set of LeRobot from recorded episodes."
    )
    parser.add_argument("dataset", type=Path, help="folder of a data set of the bridge, such as recordings/pick")
    parser.add_argument(
        "to", type=Path, nargs="?", help="folder to be made (default: lerobot- and the name of the dataset, here)"
    )
    parser.add_argument("--repo-id", help="name of the data set on the hub (default: local/ and the folder's name)")
    parser.add_argument("--fps", type=int, default=30, help="frames a second, linear between the samples (default: 30)")
    parser.add_argument(
        "--action",
        choices=["leader", "setpoints"],
        default="leader",
        help="the leader's positions, or where the follower was asked to be (default: leader)",
    )
    parser.add_argument("--follower", default="follower", help="arm that is observed (default: follower)")
    parser.add_argument("--leader", default="leader", help="arm that leads (default: leader)")
    parser.add_argument("--ranges", action="store_true", help="numbers from -100 to 100 in place of degrees")
    given = parser.parse_args()
    if not (given.dataset / "dataset.json").is_file():
        parser.error(f"{given.dataset} is no data set of a bridge: it has no dataset.json")
    to = given.to or Path(f"lerobot-{given.dataset.resolve().name}")
    if to.exists():
        parser.error(f"{to} is there already")
    if given.fps < 1:
        parser.error("--fps: at least 1")
    count, left = export(
        given.dataset,
        to,
        repo_id=given.repo_id,
        fps=given.fps,
        action=given.action,
        follower=given.follower,
        leader=given.leader,
        use_degrees=not given.ranges,
    )
    for name, why in left.items():
        print(f"{name} is left out: {why}", file=sys.stderr)
    print(f"{count} episodes in {to}" if count > 0 else "no episode could be taken")
    sys.exit(0 if count > 0 else 1)
