"""The client without `await`, made of _async.py by make_sync.py: change that one."""

from __future__ import annotations

import builtins
import getpass
import json
import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, cast
from urllib.parse import quote, urlsplit, urlunsplit

import httpx
from websockets.sync.client import connect
from websockets.exceptions import WebSocketException

from . import types
from ._errors import NotDone, Unreachable, problem_of

#: A move may take 30 s and is answered when it has ended, s.
TIMEOUT = 40.0
#: The live stream is taken up anew after these pauses, s.
PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)

Topic = Literal["arms", "pairs", "loop", "log"]
Unit = Literal["rad", "degrees", "motor_units"]


def _own_name() -> str:
    """Who this program is, for other people: user, computer and process."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "python"
    return re.sub(r"[^\w.@/-]", "-", f"{user}@{socket.gethostname()}/{os.getpid()}", flags=re.ASCII)[-64:].lstrip("_.@/-")


def _given(**fields: Any) -> dict[str, Any]:
    """Fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


class Bridge:
    """
    A bridge, by the address at which it serves HTTP: ARM_BRIDGE_URL of the environment, or http://localhost:8020, when left out.

    `token` (ARM_BRIDGE_TOKEN) is needed where the bridge listens to more than its own computer; `name` is how it tells this program from others.
    `verify` is False, or a context with the bridge's own certificate, where no authority has signed that.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        name: str | None = None,
        timeout: float = TIMEOUT,
        verify: bool | ssl.SSLContext = True,
    ) -> None:
        self.url = (url or os.environ.get("ARM_BRIDGE_URL") or "http://localhost:8020").rstrip("/")
        token = token or os.environ.get("ARM_BRIDGE_TOKEN") or None
        self.name = _own_name() if name is None else name
        self._headers = {"X-Arm-Bridge-Client": self.name}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._verify = verify
        accept = {"Accept": "application/json, application/problem+json"}
        self._http = httpx.Client(
            base_url=self.url, headers={**self._headers, **accept}, timeout=timeout, verify=verify
        )
        self._ids: dict[str, int] = {}
        self.recordings = Recordings(self)

    def __enter__(self) -> Bridge:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections. What moves goes on."""
        self._http.close()

    def send(self, method: str, path: str, *, body: Any = None, **query: Any) -> httpx.Response:
        """One request. Raises Unreachable, or Refused for an answer that is an error."""
        params = {name: str(value).lower() if isinstance(value, bool) else value for name, value in _given(**query).items()}
        try:
            answer = self._http.request(method, path, json=body, params=params)
        except httpx.HTTPError as error:
            why = str(error) or type(error).__name__
            raise Unreachable(f"no answer from the bridge at {self.url}: {why}", code="unreachable") from error
        if answer.is_success:
            return answer
        try:
            told = answer.json()
        except ValueError:
            told = None
        raise problem_of(answer.status_code, told, answer.headers.get("x-request-id"))

    def call(self, method: str, path: str, *, body: Any = None, **query: Any) -> Any:
        """
        Any operation of the interface: https://localhost:8020/docs of a running bridge lists them.

        Returns the answer as JSON. Raises NotDone for one with `status: "error"`, besides what `send` raises.
        """
        answer = self.send(method, path, body=body, **query)
        if answer.status_code == 204 or not answer.content:
            return None
        told = answer.json()
        if isinstance(told, dict) and told.get("status") == "error":
            raise NotDone(told, request_id=told.get("request_id") or answer.headers.get("x-request-id"))
        return told

    def status(self) -> types.BridgeStatus:
        """State of the bridge and its arms."""
        return cast(types.BridgeStatus, self.call("GET", "/status"))

    def arms(self) -> list[types.ArmOverview]:
        """What the arms are, and in `now` how they are."""
        told = self.call("GET", "/api/v1/arms")
        self._ids = {arm["name"]: arm["id"] for arm in told["arms"]}
        return cast("list[types.ArmOverview]", told["arms"])

    def arm(self, arm: str | int = 0) -> Arm:
        """An arm by its name or its id in the bridge's configuration. Asks nothing yet."""
        return Arm(self, arm)

    def id_of(self, arm: str | int) -> int:
        """The id of an arm. Raises KeyError for a name that no arm has."""
        if isinstance(arm, int):
            return arm
        if arm not in self._ids:
            self.arms()
        if arm not in self._ids:
            raise KeyError(f"the bridge has no arm {arm!r}; it has {', '.join(self._ids) or 'none'}")
        return self._ids[arm]

    def stop(self) -> types.StopResponse:
        """All arms brake and hold, and refuse every motion until reset()."""
        return cast(types.StopResponse, self.call("POST", "/stop"))

    def reset(self) -> types.StopResponse:
        """Ends the stop of all arms. Nothing moves by that."""
        return cast(types.StopResponse, self.call("POST", "/stop/reset"))

    def mirror(
        self,
        leader: str | int | Arm,
        *followers: str | int | Arm,
        invert: bool = False,
        gravity_compensation: bool | Mapping[str, int] = False,
        take_over: bool = False,
    ) -> types.StatusResponse:
        """
        The followers do from now on as the leader is led by hand; they approach it slowly first.

        `invert` mirrors left and right. `gravity_compensation` holds the leader's weight; percentages for shoulder, elbow and
        wrist may be given.
        """
        pairs = [
            {"leader_id": self._id(leader), "follower_id": self._id(follower)} for follower in followers
        ]
        body: dict[str, Any] = {
            "robot_pairs": pairs,
            "invert_controls": invert,
            "enable_gravity_compensation": bool(gravity_compensation),
        }
        if isinstance(gravity_compensation, Mapping):
            body["gravity_compensation_values"] = dict(gravity_compensation)
        query = {"take_over": take_over or None}
        return cast(types.StatusResponse, self.call("POST", "/move/leader/start", body=body, **query))

    def stop_mirroring(self, release: Literal["lower", "hold", "now"] | None = None) -> types.StatusResponse:
        """The followers hold where they are. `release` says what becomes of leaders whose weight is held."""
        return cast(types.StatusResponse, self.call("POST", "/move/leader/stop", release=release))

    def live(self, *topics: Topic, rate: float = 20) -> Iterator[types.LiveFrame]:
        """
        Frames of the live stream, for ever: first `hello`, then those of the topics (all when none is named), `rate` of the arms
        per second. A stream that breaks is taken up anew. Raises Refused, or Unreachable when it cannot begin.
        """
        # Before anything waits for ever: whoever is refused is told why.
        self.call("GET", "/api/v1/arms")
        parts = urlsplit(self.url)
        secure = parts.scheme == "https"
        address = urlunsplit(("wss" if secure else "ws", parts.netloc, f"{parts.path}/api/v1/live", "", ""))
        context = self._verify if isinstance(self._verify, ssl.SSLContext) else ssl.create_default_context()
        if self._verify is False:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        wanted: dict[str, Any] = {"type": "subscribe", "rate": rate}
        if topics:
            wanted["topics"] = list(topics)
        tries = 0
        while True:
            try:
                with connect(
                    address, additional_headers=self._headers, ssl=context if secure else None, max_size=None
                ) as stream:
                    stream.send(json.dumps(wanted))
                    for text in stream:
                        tries = 0
                        yield cast(types.LiveFrame, json.loads(text))
            except (OSError, WebSocketException) as error:
                if tries >= len(PAUSES):
                    raise Unreachable(f"no live stream from {self.url}: {error}", code="unreachable") from error
            _sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1

    def _id(self, arm: str | int | Arm) -> int:
        return self.id_of(arm.key if isinstance(arm, Arm) else arm)


class Arm:
    """One arm of a bridge. Every motion passes the bridge's gate, and is answered when it has ended."""

    def __init__(self, bridge: Bridge, key: str | int) -> None:
        self.bridge = bridge
        #: Name or id.
        self.key = key

    def __repr__(self) -> str:
        return f"<arm {self.key!r} of {self.bridge.url}>"

    def call(self, path: str, *, body: Any = None, **query: Any) -> Any:
        """POSTs to an operation of this arm."""
        return self.bridge.call("POST", path, body=body, robot_id=self.bridge.id_of(self.key), **query)

    def init(self, *, take_over: bool = False, uncalibrated: bool = False) -> types.MoveAllResponse:
        """Torque on, then to the initial pose: the zero of x, y, z and of all angles. It comes before other moves."""
        query = _moving(take_over, uncalibrated)
        return cast(types.MoveAllResponse, self.call("/move/init", **query))

    def move(
        self,
        *,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        rx: float | None = None,
        ry: float | None = None,
        rz: float | None = None,
        open: float | None = None,
        path: Literal["joint", "line"] | None = None,
        max_trials: int | None = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.MoveResponse:
        """
        To a position in the absolute frame: x forward, y left, z up in cm from the initial pose; rx pitch, ry yaw, rz roll in
        degrees; open 0 closed to 1 open. A coordinate that is left out keeps its goal, an angle is free. Tolerances are in cm and
        degrees. Raises NotDone for a target that cannot be reached or has not been met.
        """
        body = _given(
            x=x, y=y, z=z, rx=rx, ry=ry, rz=rz, open=open, path=path, max_trials=max_trials,
            position_tolerance=position_tolerance, orientation_tolerance=orientation_tolerance,
        )  # fmt: skip
        query = _moving(take_over, uncalibrated)
        return cast(types.MoveResponse, self.call("/move/absolute", body=body, **query))

    def move_relative(
        self,
        *,
        x: float | None = None,
        y: float | None = None,
        z: float | None = None,
        rx: float | None = None,
        ry: float | None = None,
        rz: float | None = None,
        open: float | None = None,
        path: Literal["joint", "line"] | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.MoveResponse:
        """From the present goal: cm and degrees; `open` is no change, but 0 closed to 1 open."""
        body = _given(x=x, y=y, z=z, rx=rx, ry=ry, rz=rz, open=open, path=path)
        query = _moving(take_over, uncalibrated)
        return cast(types.MoveResponse, self.call("/move/relative", body=body, **query))

    def gripper(self, open: float, *, take_over: bool = False) -> types.MoveResponse:
        """The gripper alone: 0 closed to 1 open."""
        return self.move(open=open, take_over=take_over)

    def hello(self, *, take_over: bool = False) -> types.MoveResponse:
        """Waves."""
        return cast(types.MoveResponse, self.call("/move/hello", **_moving(take_over)))

    def sleep(self, *, take_over: bool = False) -> types.MoveResponse:
        """Down to the rest pose; there the torque goes off."""
        return cast(types.MoveResponse, self.call("/move/sleep", **_moving(take_over)))

    def position(self, *, sync: bool = False) -> types.EndEffectorPosition:
        """
        Measured position, angles and opening of the end effector in the absolute frame: cm and degrees. `sync` waits for a
        read of the motors that begins after the request.
        """
        return cast(types.EndEffectorPosition, self.call("/end-effector/read", body={"sync": sync}))

    def joints(self, unit: Unit = "rad") -> list[float | None]:
        """Measured positions of the joints, in the order of the arm."""
        told = self.call("/joints/read", body={"unit": unit})
        return cast("list[float | None]", told["angles"])

    def write_joints(
        self,
        angles: Sequence[float] | Mapping[int, float],
        unit: Unit = "rad",
        *,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.StatusResponse:
        """
        Towards goals of the joints: those of the first ones, or by their places. Answered when accepted; the newest wins, so that
        it may be called in a loop.
        """
        body: dict[str, Any] = {"unit": unit}
        if isinstance(angles, Mapping):
            body |= {"joints_ids": list(angles), "angles": list(angles.values())}
        else:
            body["angles"] = list(angles)
        query = _moving(take_over, uncalibrated)
        return cast(types.StatusResponse, self.call("/joints/write", body=body, **query))

    def torque(self, on: bool, *, force: bool = False, take_over: bool = False) -> types.StatusResponse:
        """On: it holds where it is. Off: it is lowered first; with `force` it drops."""
        body = {"torque_status": on, "force": force}
        query = {"take_over": take_over or None}
        return cast(types.StatusResponse, self.call("/torque/toggle", body=body, **query))

    def stop(self) -> types.StopResponse:
        """Brakes and holds, and refuses every motion until reset()."""
        return cast(types.StopResponse, self.call("/stop"))

    def reset(self) -> types.StopResponse:
        """Ends the stop. Nothing moves by that."""
        return cast(types.StopResponse, self.call("/stop/reset"))

    def facts(self) -> types.ArmOverview:
        """What the arm is, with its joints and poses, and in `now` how it is."""
        key = self.bridge.id_of(self.key)
        return next(arm for arm in self.bridge.arms() if arm["id"] == key)

    def state(self) -> types.ArmState:
        """How the arm is at this moment: metres, radians, seconds, Nm."""
        return (self.facts())["now"]

    def states(self, rate: float = 20) -> Iterator[types.ArmState]:
        """How the arm is, `rate` times a second, for ever."""
        key = self.bridge.id_of(self.key)
        for frame in self.bridge.live("arms", rate=rate):
            if frame["type"] == "arms":
                for arm in frame["arms"]:
                    if arm["id"] == key:
                        yield arm

    def goals(self, rate: float = 20) -> Iterator[list[float | None]]:
        """Where the joints are asked to be, rad, `rate` times a second, for ever; None without torque."""
        for state in self.states(rate):
            yield state["joints"]["goal"]

    def urdf(self) -> str:
        """The arm's model."""
        name = (self.facts())["name"]
        return (self.bridge.send("GET", f"/api/v1/arms/{quote(name, safe='')}/urdf")).text

    def start_recording(self, name: str | None = None, rate: float | None = None) -> types.RecordingStartResponse:
        """Records the joints as measured, whoever drives the arm, `rate` times a second."""
        body = _given(name=name, rate=rate)
        return cast(types.RecordingStartResponse, self.call("/recording/start", body=body))

    def stop_recording(self) -> types.RecordingStopResponse:
        """Ends the recording; its file is complete with the answer."""
        return cast(types.RecordingStopResponse, self.call("/recording/stop"))

    def play(
        self, name: str, speed: float | None = None, *, take_over: bool = False, uncalibrated: bool = False
    ) -> types.RecordingPlayResponse:
        """Replays a recording, from its first pose on."""
        body = _given(name=name, speed=speed)
        query = _moving(take_over, uncalibrated)
        return cast(types.RecordingPlayResponse, self.call("/recording/play", body=body, **query))


class Recordings:
    """The recordings that the bridge keeps."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def list(self) -> builtins.list[dict[str, Any]]:
        """The recordings, with what is known of each."""
        told = self._bridge.call("GET", "/api/v1/recordings")
        return cast("list[dict[str, Any]]", told["recordings"])

    def delete(self, name: str) -> None:
        """Deletes a recording for good."""
        self._bridge.call("DELETE", f"/api/v1/recordings/{quote(name, safe='')}")

    def download(self, name: str, path: str | Path) -> Path:
        """Fetches the file of a recording. Returns where it is."""
        answer = self._bridge.send("GET", f"/api/v1/recordings/{quote(name, safe='')}/file")
        target = Path(path)
        target.write_bytes(answer.content)
        return target


def _moving(take_over: bool, uncalibrated: bool = False) -> dict[str, bool | None]:
    return {"take_over": take_over or None, "uncalibrated": uncalibrated or None}


def _sleep(seconds: float) -> None:
    import time

    time.sleep(seconds)
