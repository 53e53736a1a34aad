"""A data set of LeRobot from episodes that the bridge has recorded."""

import argparse
import copy
import io
import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import PIL.Image
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from mcap.reader import make_reader
from mcap_ros2.reader import read_ros2_messages
from numpy.typing import NDArray

from .units import Joint, joints_of

#: Metadata of an episode in its file.
EPISODE = "arm_bridge.episode"
#: What is longer than this between two samples is no motion that was recorded, s.
MOST_SILENCE = 0.25
#: How frames are made of samples and of images: see resampled() and images_at().
METHOD = "linear"
IMAGES = "newest"
#: Types of the topics of cameras.
CAMERA_TYPES = ("sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage")
#: Pillow's mode for an image, and for its bytes, by its encoding (sensor_msgs/image_encodings.hpp).
ENCODINGS = {
    "rgb8": ("RGB", "RGB"),
    "bgr8": ("RGB", "BGR"),
    "rgba8": ("RGB", "RGBX"),
    "bgra8": ("RGB", "BGRX"),
    "mono8": ("L", "L"),
}

Action = Literal["leader", "setpoints"]


class NotExported(Exception):
    """An episode that makes no frames, and why."""


@dataclass(frozen=True)
class Track:
    """Positions of an arm's joints in LeRobot's numbers, or torques: times, s since the epoch, and a row for each."""

    names: list[str]
    times: NDArray[np.float64]
    rows: NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """Images of a topic in a file: when they came, s since the epoch, and height, width and colours of the first one."""

    path: Path
    topic: str
    times: NDArray[np.float64]
    shape: tuple[int, int, int]


@dataclass(frozen=True)
class Episode:
    """
    An episode as its file has it: what the bridge said of it at the start, its arms by name, the topics of cameras, and the times of
    its first and last message, ns.
    """

    path: Path
    about: dict[str, str]
    arms: dict[str, dict[str, Any]]
    cameras: list[str]
    span: tuple[int, int]

    def holds(self, part: "Episode") -> bool:
        """Whether a part of the same recording lies within this one."""
        within = self.span[0] <= part.span[0] and part.span[1] <= self.span[1]
        return within and self.arms.keys() == part.arms.keys()


@contextmanager
def reading() -> Iterator[None]:
    """Turns what goes wrong while a file is read into NotExported: one that is damaged or missing keeps no other from being exported."""
    try:
        yield
    except NotExported:
        raise
    # The readers of MCAP, its compression and its messages have no error in common.
    except Exception as error:
        raise NotExported(f"it cannot be read: {str(error) or type(error).__name__}") from error


@reading()
def open_episode(path: Path) -> Episode:
    """What a file says of itself. Raises NotExported for one that is no episode of a bridge, or cannot be read."""
    with path.open("rb") as file:
        reader = make_reader(file)
        about = next((found.metadata for found in reader.iter_metadata() if found.name == EPISODE), None)
        summary = reader.get_summary()
    if about is None or summary is None or summary.statistics is None:
        raise NotExported("it is no episode: it says nothing of its arms")
    channels = summary.channels.values()
    cameras = [found.topic for found in channels if summary.schemas[found.schema_id].name in CAMERA_TYPES]
    span = (summary.statistics.message_start_time, summary.statistics.message_end_time)
    return Episode(path, about, {arm["name"]: arm for arm in json.loads(about["arms"])}, sorted(cameras), span)


def joints_in(episode: Episode, arm: str, use_degrees: bool) -> list[Joint]:
    """The joints of an arm as they were calibrated. Raises NotExported."""
    found = episode.arms.get(arm)
    if found is None:
        raise NotExported(f"it has no arm {arm!r}, only {', '.join(episode.arms)}")
    if not found.get("calibrated", True):
        raise NotExported(f"{arm} was not calibrated when it was recorded: nobody knows where its joints were")
    if "travel" not in found["joints"][0]:
        raise NotExported("it says nothing of the calibrated ranges of its joints: an older bridge has recorded it")
    names = [joint["name"] for joint in found["joints"]]
    gripper = found["gripper"]
    index = None if gripper is None else {"index": names.index(gripper["joint"])}
    facts = {"name": arm, "remote": found["bus"] == "ros", "joints": found["joints"], "gripper": index}
    try:
        return joints_of(facts, use_degrees)  # type: ignore[arg-type]
    except ValueError as error:
        raise NotExported(str(error)) from error


def require_alike(episode: Episode, leader: str, follower: str) -> None:
    """Raises NotExported where a leader's angles are not those that its follower is asked for."""
    # An older bridge has not recorded its pairs.
    for pair in json.loads(episode.about.get("pairs", "[]")):
        if (pair["leader"], pair["follower"]) != (leader, follower):
            continue
        other = [joint["follower"] for joint in pair["joints"] if (joint["scale"], joint["offset"]) != (1, 0)]
        if other:
            raise NotExported(
                f"{', '.join(other)} of {follower} did not follow at the angles of {leader}: use --action setpoints"
            )
    models = [episode.arms[arm]["model"] for arm in (leader, follower) if arm in episode.arms]
    if len(set(models)) > 1:
        raise NotExported(
            f"{leader} is a {models[0]} and {follower} a {models[1]}, whose joints mean something else: use --action setpoints"
        )


def track(episode: Episode, arm: str, topic: str, use_degrees: bool) -> Track:
    """A topic of an arm with joint states. Raises NotExported where it has none, or nothing for longer than a moment."""
    joints = joints_in(episode, arm, use_degrees)
    times: list[int] = []
    rows: list[list[float]] = []
    for time, state in joint_states(episode, f"/{arm}/{topic}", joints):
        times.append(time)
        rows.append([joint.number_of(angle) for joint, angle in zip(joints, state.position, strict=True)])
    return Track([f"{joint.name}.pos" for joint in joints], seconds(f"/{arm}/{topic}", times), np.array(rows))


def joint_states(episode: Episode, topic: str, joints: list[Joint]) -> Iterator[tuple[int, Any]]:
    """Messages of a topic and when they were measured, ns since the epoch. Raises NotExported where they have other joints."""
    for message in read_ros2_messages(episode.path, topics=[topic]):
        state = message.ros_msg
        # Names may have a prefix; their order is that of the arm.
        if len(state.name) != len(joints) or not all(
            name.endswith(joint.name) for name, joint in zip(state.name, joints, strict=True)
        ):
            raise NotExported(f"{topic} has joints {', '.join(state.name)}")
        yield state.header.stamp.sec * 1_000_000_000 + state.header.stamp.nanosec, state


def pushes_on(episode: Episode, arm: str, use_degrees: bool) -> Track:
    """What pushes the joints of an arm from outside, Nm; 0 where it is not known."""
    joints = joints_in(episode, arm, use_degrees)
    found = [(time, list(state.effort)) for time, state in joint_states(episode, f"/{arm}/external_torques", joints)]
    times = np.array([time for time, _ in found], dtype=np.int64) / 1e9
    rows = np.nan_to_num(np.array([row for _, row in found], dtype=np.float64).reshape(len(found), len(joints)))
    return Track([f"{joint.name}.external" for joint in joints], times, rows)


def seconds(topic: str, times: list[int]) -> NDArray[np.float64]:
    """Times of messages, ns, in seconds. Raises NotExported where there is nothing, or nothing for longer than a moment."""
    if len(times) < 2:
        raise NotExported(f"{topic} has {len(times)} messages")
    found = np.array(times, dtype=np.int64) / 1e9
    silence = float(np.diff(found).max())
    if silence > MOST_SILENCE:
        raise NotExported(f"{topic} is silent for {silence:.2f} s")
    return found


def camera_name(topic: str) -> str:
    """What a camera is called by its topic: `wrist` for /wrist/image_raw/compressed."""
    parts = topic.strip("/").removesuffix("/compressed").split("/")
    return "_".join(parts[:-1] if len(parts) > 1 and parts[-1].startswith("image") else parts)


def cameras_of(episode: Episode, wanted: Mapping[str, str]) -> dict[str, Camera]:
    """Cameras by name: the topics that are wanted, or all that there are where none is. Raises NotExported."""
    topics = dict(wanted)
    for topic in [] if wanted else episode.cameras:
        name = camera_name(topic)
        if name in topics:
            raise NotExported(f"{topics[name]} and {topic} are both called {name}: choose by --camera {name}={topic}")
        topics[name] = topic
    return {name: camera(episode, topic) for name, topic in topics.items()}


def camera(episode: Episode, topic: str) -> Camera:
    """When the images of a topic came, by the clock of the arms. Raises NotExported."""
    if topic not in episode.cameras:
        raise NotExported(f"it has no images of {topic}, only {', '.join(episode.cameras) or 'of no camera'}")
    with episode.path.open("rb") as file:
        times = [message.log_time for _, _, message in make_reader(file).iter_messages(topics=[topic])]
    found = seconds(topic, times)
    first = next(read_ros2_messages(episode.path, topics=[topic]))
    return Camera(episode.path, topic, found, picture(topic, first.ros_msg).shape)


def picture(topic: str, message: Any) -> NDArray[np.uint8]:
    """The pixels of an image, height by width by red, green and blue. Raises NotExported for one that cannot be read."""
    try:
        if hasattr(message, "format"):
            image = PIL.Image.open(io.BytesIO(message.data))
            if image.mode.startswith(("I", "F")):
                raise NotExported(f"{topic} has no colours but depths, {message.format}: choose others by --camera")
        elif message.encoding in ENCODINGS:
            mode, raw = ENCODINGS[message.encoding]
            size = (message.width, message.height)
            image = PIL.Image.frombytes(mode, size, bytes(message.data), "raw", raw, message.step, 1)
        else:
            known = ", ".join(ENCODINGS)
            raise NotExported(f"{topic} has {message.encoding}, not {known}: choose others by --camera")
        return np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError, ValueError) as error:
        raise NotExported(f"an image of {topic} cannot be read: {error}") from error


def images_at(camera: Camera, times: NDArray[np.float64]) -> Iterator[NDArray[np.uint8]]:
    """At each time the newest image that had come by then, as a policy would have had it. Raises NotExported."""
    messages = iter(read_ros2_messages(camera.path, topics=[camera.topic]))
    read, image = 0, None
    # How many have come by each time.
    for come in np.searchsorted(camera.times, times, side="right"):
        if come > read:
            with reading():
                newest = next(message for number, message in enumerate(messages, read + 1) if number == come)
            read, image = int(come), picture(camera.topic, newest.ros_msg)
            if image.shape != camera.shape:
                raise NotExported(f"the images of {camera.topic} change their size")
        assert image is not None
        yield image


def common_times(series: list[NDArray[np.float64]], fps: int) -> NDArray[np.float64]:
    """Times `fps` a second, from the first to the last at which all have samples. Raises NotExported where there is none."""
    begin = max(times[0] for times in series)
    end = min(times[-1] for times in series)
    if end <= begin:
        raise NotExported("observation and action were not recorded at the same time")
    return begin + np.arange(int((end - begin) * fps) + 1) / fps


def resampled(track: Track, times: NDArray[np.float64]) -> NDArray[np.float32]:
    """Rows of a track at these times: each value lies on the straight line between its samples before and after."""
    return np.stack([np.interp(times, track.times, column) for column in track.rows.T], axis=1).astype(np.float32)


def known_at(track: Track, times: NDArray[np.float64]) -> NDArray[np.float32]:
    """As `resampled`; 0 at times that no sample is near."""
    if len(track.times) == 0:
        return np.zeros((len(times), len(track.names)), dtype=np.float32)
    after = np.searchsorted(track.times, times).clip(0, len(track.times) - 1)
    away = np.minimum(np.abs(track.times[after] - times), np.abs(track.times[(after - 1).clip(0)] - times))
    return np.where((away <= MOST_SILENCE)[:, None], resampled(track, times), np.float32(0))


def features_of(
    observed: Track, acted: Track, cameras: Mapping[str, Camera], pushes: Track | None = None
) -> dict[str, Any]:
    """As LeRobot describes them."""
    numbers = {"observation.state": observed.names, "action": acted.names}
    if pushes is not None:
        numbers["observation.external"] = pushes.names
    sides = ["height", "width", "channels"]
    return {
        **{key: {"dtype": "float32", "shape": (len(names),), "names": names} for key, names in numbers.items()},
        **{
            f"observation.images.{name}": {"dtype": "video", "shape": camera.shape, "names": sides}
            for name, camera in cameras.items()
        },
    }


def episodes_in(folder: Path) -> list[tuple[Path, str, str]]:
    """
    Episodes of a data set of the bridge that nobody has called bad, in the order in which they were recorded: their files, their
    tasks, and why they were broken off, which is empty for those that were not and for those that somebody has called good. The
    files themselves have the tasks that were said at the start, and people may have corrected them since.
    """
    index = json.loads((folder / "dataset.json").read_text())
    wanted = [found for found in index["episodes"] if found["verdict"] != "bad"]
    wanted.sort(key=lambda found: found["began"])

    def broken_off(found: dict[str, Any]) -> str:
        return "" if found["verdict"] == "good" else found.get("ended_early", "")

    return [
        (folder / found["folder"] / found.get("file", f"{found['name']}.mcap"), found["task"], broken_off(found))
        for found in wanted
    ]


def opened(paths: list[Path]) -> list[Episode]:
    """The episodes among these files."""
    episodes: list[Episode] = []
    for path in paths:
        with suppress(NotExported):
            episodes.append(open_episode(path))
    return episodes


def parts_of(episodes: list[Episode]) -> dict[str, str]:
    """
    By the name of an episode one of these that was trimmed from it. Names change, and are used again: a trimmed one has the times of
    its source.
    """
    trimmed = [episode for episode in episodes if "trimmed" in episode.about]

    def replaces(part: Episode, whole: Episode) -> bool:
        # Of two copies of the same part one is taken.
        same = whole in trimmed and part.holds(whole)
        return part is not whole and whole.holds(part) and not (same and whole.path.stem < part.path.stem)

    return {whole.path.stem: part.path.stem for whole in episodes for part in trimmed if replaces(part, whole)}


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
    cameras: Mapping[str, str] | None = None,
    forces: bool = False,
) -> tuple[int, dict[str, str]]:
    """
    Makes a data set of LeRobot in the folder `to`, which must not be there yet, of the data set of the bridge in `folder`.

    Observations are the follower's measured positions and the images of `cameras`, topics by name, or of all that there are where
    none is named, and with `forces` the torques in Nm that push the follower's joints from outside, 0 where they are not known. Actions
    are the leader's positions, or the follower's setpoints. Returns the number of episodes that it has, and why
    others have not been taken, by their names.
    """
    made: LeRobotDataset | None = None
    count, left = 0, {}
    sources: list[dict[str, Any]] = []
    first: dict[str, Any] = {}
    given = (leader, "joint_states") if action == "leader" else (follower, "joint_setpoints")
    wanted = episodes_in(folder)
    parts = parts_of(opened([path for path, _, _ in wanted]))
    try:
        for path, task, broken_off in wanted:
            try:
                # What was cut away would be taken after all, and the rest twice.
                if path.stem in parts:
                    raise NotExported(f"{parts[path.stem]}, which is trimmed from it, takes its place")
                # Its end may be in the middle of the task.
                if broken_off:
                    raise NotExported(f"it was broken off: {broken_off}. Call it good to take it")
                with reading():
                    episode = open_episode(path)
                    if action == "leader":
                        require_alike(episode, leader, follower)
                    observed = track(episode, follower, "joint_states", use_degrees)
                    acted = track(episode, *given, use_degrees)
                    seen = cameras_of(episode, cameras or {})
                    times = common_times([observed.times, acted.times, *(found.times for found in seen.values())], fps)
                    pushes = pushes_on(episode, follower, use_degrees) if forces else None
                    features = features_of(observed, acted, seen, pushes)
                if made is None:
                    first = features
                    made = LeRobotDataset.create(
                        repo_id or f"local/{folder.name}", fps, copy.deepcopy(features), root=to, robot_type="arm_bridge"
                    )
                elif features != first:
                    raise NotExported("its joints or cameras are not those of the first episode")
                add_frames(made, task or folder.name, times, observed, acted, seen, pushes)
            except NotExported as error:
                left[path.stem] = str(error)
                if made is not None and made.has_pending_frames():
                    made.clear_episode_buffer()
                continue
            made.save_episode()
            count += 1
            topics = {name: found.topic for name, found in seen.items()}
            version = episode.about["arm_bridge_version"]
            sources.append({"name": path.stem, "arm_bridge_version": version, "cameras": topics})
    except BaseException:
        # Half a data set would look like one.
        if made is not None:
            with suppress(Exception):
                made.finalize()
            shutil.rmtree(to, ignore_errors=True)
        raise
    if made is not None:
        made.finalize()
    if count > 0:
        how = {"method": METHOD, "images": IMAGES, "action": action, "use_degrees": use_degrees, "episodes": sources}
        (to / "meta/arm_bridge.json").write_text(json.dumps(how, indent=2))
    elif made is not None:
        shutil.rmtree(to)
    return count, left


def add_frames(
    made: LeRobotDataset,
    task: str,
    times: NDArray[np.float64],
    observed: Track,
    acted: Track,
    cameras: Mapping[str, Camera],
    pushes: Track | None,
) -> None:
    """Gives an episode's frames to the data set. Raises NotExported, by which some of them may have been given."""
    states, goals = resampled(observed, times), resampled(acted, times)
    images = {name: images_at(found, times) for name, found in cameras.items()}
    pushed = None if pushes is None else known_at(pushes, times)
    for index, (state, goal) in enumerate(zip(states, goals, strict=True)):
        pictures = {f"observation.images.{name}": next(found) for name, found in images.items()}
        external = {} if pushed is None else {"observation.external": pushed[index]}
        made.add_frame({"observation.state": state, "action": goal, **external, **pictures, "task": task})


def camera_choice(text: str) -> tuple[str, str]:
    """NAME=TOPIC of the command line."""
    found = re.fullmatch(r"(\w+)=(/\S+)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=TOPIC, such as wrist=/wrist/image_raw/compressed")
    return found[1], found[2]


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
    parser.add_argument(
        "--forces",
        action="store_true",
        help="observation.external: torques that push the follower's joints from outside, Nm",
    )
    parser.add_argument(
        "--camera",
        metavar="NAME=TOPIC",
        type=camera_choice,
        action="append",
        default=[],
        help="a camera that is taken, and its name; may be repeated (default: all, named by their topics)",
    )
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
        cameras=dict(given.camera),
        forces=given.forces,
    )
    for name, why in left.items():
        print(f"{name} is left out: {why}", file=sys.stderr)
    print(f"{count} episodes in {to}" if count > 0 else "no episode could be taken")
    sys.exit(0 if count > 0 else 1)
