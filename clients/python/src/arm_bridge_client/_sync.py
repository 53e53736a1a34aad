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
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, cast
from urllib.parse import quote, urlsplit, urlunsplit
from urllib.request import getproxies

import httpx
from websockets.sync.client import connect
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.http11 import Response

from . import types
from ._errors import BridgeError, NotDone, Refused, Unreachable, problem_of
from ._first import First

#: Anything but a motion is answered within this time, s. A motion is when it has ended, which the bridge bounds.
TIMEOUT = 40.0
#: A computer that is there takes a connection within this time, s.
CONNECTING = 5.0
#: A bridge that has just answered tells its stop port within this time, or is too busy, s.
LEARNING = 1.0
#: A computer that has gone answers no probes of this one's system, which begin after this time without an answer, s, and last as long again.
PROBING = 5
#: A live stream is pinged this often, an answer waited for as long, and its end for one more second, s.
PINGING = 5.0
ENDING = 1.0
#: The live stream is taken up anew after these pauses, s.
PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)

#: Statuses of a refusal that may not last: the request came too slowly, or there are too many.
LATER = (408, 429)

#: How often a motion that is waited for is looked after, s.
LOOK = 0.1
#: What the bridge takes for a name of a program.
NAME = re.compile(r"[A-Za-z0-9](?:[\w .:@/+-]{0,62}[\w.@/+-])?", re.ASCII)
#: Bytes of a file that are read or written at once.
CHUNK = 1 << 20

Topic = Literal["arms", "objects", "pairs", "loop", "log", "events", "asks"]
#: What becomes of an arm that floated: it is lowered and released, holds, or is released at once and falls.
Release = Literal["lower", "hold", "now"]
Unit = Literal["rad", "degrees", "motor_units"]


def _own_name() -> str:
    """Who this program is, for other people: user, computer and process."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "python"
    return re.sub(r"[^\w.@/-]", "-", f"{user}@{socket.gethostname()}/{os.getpid()}", flags=re.ASCII)[-64:].lstrip("_.@/-")


def _probes() -> list[tuple[int, int, int]]:
    """Options of a socket: an answer that is waited for without a limit of time never comes from a computer that has gone."""
    # macOS has another name for the time until the first probe, and some systems have none.
    idle = getattr(socket, "TCP_KEEPIDLE", getattr(socket, "TCP_KEEPALIVE", None))
    options = [(idle, PROBING), (getattr(socket, "TCP_KEEPINTVL", None), 1), (getattr(socket, "TCP_KEEPCNT", None), PROBING)]
    known = [(socket.IPPROTO_TCP, option, value) for option, value in options if option is not None]
    return [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1), *known]


def _given(**fields: Any) -> dict[str, Any]:
    """Fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def as_json(value: Any) -> str:
    """JSON of what is sent. Numbers and arrays of NumPy and PyTorch count as what they hold; NaN is refused by the bridge, which names its field."""
    return json.dumps(value, default=_held)


def _held(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}, which cannot be sent")


class Bridge:
    """
    A bridge, by the address at which it serves HTTP: ARM_BRIDGE_URL of the environment, or http://localhost:8020, when left out.

    `token` (ARM_BRIDGE_TOKEN) is needed where the bridge listens to more than its own computer; `name` is how it tells this program from others.
    `verify` is False, or a context with the bridge's own certificate, where no authority has signed that. `timeout` is for all but motions, s.
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
        url = (url or os.environ.get("ARM_BRIDGE_URL") or "http://localhost:8020").rstrip("/")
        self.url = url if "://" in url else f"http://{url}"
        token = token or os.environ.get("ARM_BRIDGE_TOKEN") or None
        self.name = _own_name() if name is None else name
        if not NAME.fullmatch(self.name):
            raise ValueError(f'{self.name!r} is no name: 1 to 64 letters, digits, blanks and "_.:@/+-", a letter or digit first')
        self._headers = {"X-Arm-Bridge-Client": self.name}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._verify = verify
        self._timeout = timeout
        # No proxy of the environment reaches this computer.
        self._proxies = urlsplit(self.url).hostname not in ("localhost", "127.0.0.1", "::1")
        accept = {"Accept": "application/json, application/problem+json"}
        # With a transport of its own, httpx asks no proxy.
        direct = not (self._proxies and getproxies())
        self._http = httpx.Client(
            base_url=self.url,
            headers={**self._headers, **accept},
            timeout=self._patience(timeout),
            verify=verify,
            trust_env=self._proxies,
            transport=httpx.HTTPTransport(verify=verify, socket_options=_probes()) if direct else None,
        )
        # Port that hears stops alone; None: none, or not known yet.
        self._stop_port: int | None = None
        self._knows_stop_port = False
        self._stops = First()
        #: The recordings that the bridge keeps.
        self.recordings = Recordings(self)
        #: What all arms do together, as it is recorded.
        self.episode = Episode(self)

    def __repr__(self) -> str:
        return f"<bridge at {self.url}>"

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

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        file: Iterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        patient: bool = False,
        **query: Any,
    ) -> httpx.Response:
        """
        One request. Read its answer with `answer.read()`, or end it with `answer.close()`.

        `file` stands in place of a body, as it is; `patient` waits for the answer as long as its computer is there. Raises Unreachable, or Refused for an
        answer that is an error.
        """
        params = {name: str(value).lower() if isinstance(value, bool) else value for name, value in _given(**query).items()}
        extra: dict[str, Any] = {"timeout": self._patience(None)} if patient else {}
        sent = {**(headers or {}), **({} if body is None else {"Content-Type": "application/json"})}
        content = file if body is None else as_json(body)
        try:
            request = self._http.build_request(method, path, content=content, headers=sent, params=params, **extra)
            answer = self._http.send(request, stream=True)
            request_id = answer.headers.get("x-request-id")
            if answer.is_success and request_id is not None:
                return answer
            answer.read()
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        if request_id is None:
            raise Unreachable(f"what answers at {self.url} is no bridge", code="unreachable", remedy="start")
        raise problem_of(answer.status_code, _told(answer), request_id)

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        file: Iterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        patient: bool = False,
        **query: Any,
    ) -> Any:
        """
        Any operation of the interface: /docs of a running bridge lists them.

        Returns the answer, as text where it is no JSON. Raises NotDone for one with `status: "error"`, besides what `send` raises.
        """
        told = self._ask(method, path, body=body, file=file, headers=headers, patient=patient, **query)
        # Learned before it is needed: later, the bridge may be too busy to tell it.
        if not self._knows_stop_port:
            self._learn()
        return told

    def _ask(self, method: str, path: str, **asked: Any) -> Any:
        answer = self.send(method, path, **asked)
        self._text(answer)
        told = _told(answer)
        if isinstance(told, dict) and told.get("status") == "error":
            raise NotDone(told, request_id=told.get("request_id") or answer.headers.get("x-request-id"))
        return told

    def _text(self, answer: httpx.Response) -> str:
        try:
            answer.read()
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        return answer.text

    def _learn(self) -> None:
        """Learns the port of the stop. A bridge that is too busy to tell it is asked again after its next answer."""
        try:
            answer = self._http.get("/status", timeout=min(self._timeout, LEARNING))
            told = _told(answer)
        except (httpx.HTTPError, ValueError):
            return
        if answer.is_server_error or answer.status_code in LATER:
            return
        self._knows_stop_port = True
        self._stop_port = told.get("stop_port") if isinstance(told, dict) else None

    def _unreachable(self, error: Exception) -> Unreachable:
        """To be raised `from None`: it says what the error says, whose way through httpx is screens long in a notebook."""
        why = str(error) or type(error).__name__
        remedy = "certificate" if "CERTIFICATE_VERIFY_FAILED" in why else "start"
        return Unreachable(f"no answer from the bridge at {self.url}: {why}", code="unreachable", remedy=remedy)

    def _patience(self, read: float | None) -> httpx.Timeout:
        return httpx.Timeout(self._timeout, connect=min(self._timeout, CONNECTING), read=read)

    def status(self) -> types.BridgeStatus:
        """State of the bridge and its arms."""
        status = cast(types.BridgeStatus, self._ask("GET", "/status"))
        self._knows_stop_port, self._stop_port = True, status.get("stop_port")
        return status

    def arms(self) -> list[types.ArmOverview]:
        """What the arms are, and in `now` how they are."""
        told = self.call("GET", "/api/v1/arms")
        return cast("list[types.ArmOverview]", told["arms"])

    def arm(self, arm: str | int = 0) -> Arm:
        """An arm by its name or its id in the bridge's configuration. Asks nothing yet."""
        return Arm(self, arm)

    def id_of(self, arm: str | int) -> int:
        """The id that an arm has now: another one may have it when the bridge starts again. Raises Refused for a name that no arm has."""
        if isinstance(arm, int):
            return arm
        ids = {known["name"]: known["id"] for known in self.arms()}
        if arm not in ids:
            raise Refused(f"the bridge has no arm {arm!r}, only {', '.join(ids) or 'none'}", code="unknown_arm")
        return ids[arm]

    def name_of(self, arm: str | int) -> str:
        """The name that an arm has now. Raises Refused for an id that no arm has."""
        if isinstance(arm, str):
            return arm
        for known in self.arms():
            if known["id"] == arm:
                return known["name"]
        raise Refused(f"the bridge has no arm with the id {arm}", code="unknown_arm")

    def stop(self) -> types.StopResponse:
        """
        All arms brake and hold, and refuse every motion until reset(). Asks the port that hears stops alone too, if the bridge has
        answered anything before: the rest of it may be busy. The first confirmation counts.
        """
        return self._stop()

    def _stop(self, **query: Any) -> types.StopResponse:
        urls = ["/api/v1/stop"]
        if self._stop_port is not None:
            urls.append(str(httpx.URL(self.url).copy_with(port=self._stop_port, path=urls[0])))
        asks = [partial(self._ask, "POST", url, **query) for url in urls]
        return cast(types.StopResponse, self._stops.of(asks))

    def invitation(self) -> types.Invitation:
        """Where other computers open the page, and the token that lets them look and stop alone; each None where there is none."""
        return cast(types.Invitation, self.call("GET", "/api/v1/invitation"))

    def bridges(self) -> types.BridgesAnswer:
        """This bridge and the others of its laboratory, with how their arms are."""
        answer = cast(types.BridgesAnswer, self.call("GET", "/api/v1/bridges"))
        others = answer["others"]
        while len(others) < answer["total"]:
            more = cast(types.BridgesAnswer, self.call("GET", "/api/v1/bridges", offset=len(others)))
            # A bridge may have gone meanwhile.
            if not more["others"]:
                break
            others.extend(more["others"])
        return answer

    def stop_all(self) -> types.BridgesStopAnswer:
        """All arms of all bridges of the laboratory stop. Raises NotDone naming the bridges that have not confirmed it."""
        return cast(types.BridgesStopAnswer, self.call("POST", "/api/v1/bridges/stop"))

    def reset(self) -> types.StopResponse:
        """Ends the stop of all arms. Nothing moves by that."""
        return self._reset()

    def _reset(self, **query: Any) -> types.StopResponse:
        # A stop of this client that the bridge has not heard on both ports yet would be newer than the reset.
        self._stops.ended()
        return cast(types.StopResponse, self.call("POST", "/api/v1/stop/reset", **query))

    def mirror(
        self,
        leader: str | int | Arm,
        *followers: str | int | Arm,
        invert: bool = False,
        gravity_compensation: bool | Mapping[str, int] = False,
        force_feedback: types.ForceFeedback | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.StatusResponse:
        """
        The followers do from now on as the leader is led by hand; they approach it slowly first.

        `invert` mirrors left and right. `gravity_compensation` holds the leader's weight; percentages for shoulder, elbow and
        wrist may be given. With `force_feedback` a leader whose weight is held feels what pushes its followers, 0 to 1.
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
        if force_feedback is not None:
            body["force_feedback"] = dict(force_feedback)
        query = _moving(take_over, uncalibrated)
        return cast(types.StatusResponse, self.call("POST", "/move/leader/start", body=body, **query))

    def stop_mirroring(self, release: Release | None = None, *, take_over: bool = False) -> types.StatusResponse:
        """
        The followers hold where they are. `release` says what becomes of leaders whose weight is held: with `take_over` they are let
        go at once although somebody else has started them.
        """
        query = {"release": release, "take_over": take_over or None}
        return cast(types.StatusResponse, self.call("POST", "/move/leader/stop", **query))

    def start_pair(
        self,
        leader: str,
        follower: str,
        *,
        guest: types.GuestArm | None = None,
        gravity_compensation: bool = False,
        force_feedback: types.ForceFeedback | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.StatusResponse:
        """One pair, beside those that run. `guest` says what a follower is whose bus another machine owns."""
        body = _given(
            leader=leader,
            follower=follower,
            guest=guest,
            enable_gravity_compensation=gravity_compensation or None,
            force_feedback=force_feedback,
        )
        query = _moving(take_over, uncalibrated)
        return cast(types.StatusResponse, self.call("POST", "/api/v1/pairs/start", body=body, **query))

    def end_pair(self, follower: str) -> types.StatusResponse:
        """The follower of one pair holds where it is; the other pairs go on."""
        body = {"follower": follower}
        return cast(types.StatusResponse, self.call("POST", "/api/v1/pairs/end", body=body))

    def start_pair_across(
        self,
        leader: types.BridgeArm,
        follower: types.BridgeArm,
        *,
        gravity_compensation: bool = False,
        force_feedback: types.ForceFeedback | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.StatusResponse:
        """A pair of any two arms of the laboratory, each with the `url` of its bridge as bridges() tells it; none: this one."""
        body = _given(
            leader=leader,
            follower=follower,
            enable_gravity_compensation=gravity_compensation or None,
            force_feedback=force_feedback,
        )
        query = _moving(take_over, uncalibrated)
        return cast(types.StatusResponse, self.call("POST", "/api/v1/bridges/pairs/start", body=body, **query))

    def end_pair_across(self, follower: str, bridge: str | None = None) -> types.StatusResponse:
        """Ends such a pair. `bridge` is the `url` of the one that has the leader; None: this one."""
        body = {"follower": follower, "bridge": bridge}
        return cast(types.StatusResponse, self.call("POST", "/api/v1/bridges/pairs/end", body=body))

    def pairs(self) -> types.PairList:
        """The pairs that mirror, each with its rate and latency, and why mirroring has ended."""
        return cast(types.PairList, self.call("GET", "/api/v1/pairs"))

    def events(
        self,
        *,
        arm: str | None = None,
        act: str | None = None,
        since: float | None = None,
        before: int | None = None,
        limit: int | None = None,
    ) -> list[types.JournalEvent]:
        """
        Who did what, and what came of it: the newest first. `arm` is a name, `act` such as "motion" or "stop", `since` in seconds
        since the epoch. At most fifty at once: to go back, pass the `id` of the last one as `before`.
        """
        told = self.call("GET", "/api/v1/events", arm=arm, act=act, since=since, before=before, limit=limit)
        return cast("list[types.JournalEvent]", told["events"])

    def log(self, start: int = 0, before: int | None = None) -> types.LogAnswer:
        """
        The newest lines of the bridge's log, from number `start` on. To follow it, pass `next` as `start`; to go back, pass `first` as
        `before`.
        """
        return cast(types.LogAnswer, self.call("GET", "/api/v1/log", start=start, before=before))

    def config(self) -> dict[str, Any]:
        """The configuration in use, without secrets."""
        return cast("dict[str, Any]", self.call("GET", "/api/v1/config"))

    def live(self, *topics: Topic, rate: float = 20) -> Iterator[types.LiveFrame]:
        """
        Frames of the live stream, for ever: first `hello`, then those of the topics (all when none is named), `rate` of the arms
        per second. A stream that breaks is taken up anew. Raises Refused, also when a broken one is refused, or Unreachable when it
        cannot begin.
        """
        # Before anything waits for ever: whoever is refused is told why.
        self.call("GET", "/api/v1/arms")
        wanted: dict[str, Any] = {"type": "subscribe", "rate": rate}
        if topics:
            wanted["topics"] = list(topics)
        tries = 0
        began = False
        while True:
            pause = PAUSES[min(tries, len(PAUSES) - 1)]
            try:
                pinged = {"ping_interval": PINGING, "ping_timeout": PINGING, "close_timeout": ENDING}
                with connect(**self._stream(), **pinged) as stream:
                    stream.send(as_json(wanted))
                    for text in stream:
                        tries = 0
                        pause = PAUSES[0]
                        began = True
                        frame = json.loads(text)
                        if frame["type"] == "refused":
                            raise Refused(frame["reason"], code="invalid")
                        # Until it has read what is wanted, the bridge sends all topics.
                        if not topics or frame["type"] in ("hello", *topics):
                            yield cast(types.LiveFrame, frame)
            except (OSError, WebSocketException) as error:
                last = not began and tries >= len(PAUSES)
                answer = error.response if isinstance(error, InvalidStatus) else None
                if answer is not None and 400 <= answer.status_code < 500:
                    # What is refused once is refused again, unless the bridge asks to try later.
                    if last or answer.status_code not in LATER:
                        raise _refusal(answer) from None
                    pause = max(pause, _retry_after(answer))
                # What has begun goes on.
                elif last:
                    why = f"no live stream from {self.url}: {error}"
                    raise Unreachable(why, code="unreachable", remedy="start") from None
            _sleep(pause)
            tries += 1

    def _stream(self) -> dict[str, Any]:
        """Where the live stream is, and how it is opened."""
        parts = urlsplit(self.url)
        secure = parts.scheme == "https"
        address = urlunsplit(("wss" if secure else "ws", parts.netloc, f"{parts.path}/api/v1/live", "", ""))
        context = None
        if secure:
            context = self._verify if isinstance(self._verify, ssl.SSLContext) else ssl.create_default_context()
            if self._verify is False:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
        proxy = True if self._proxies else None
        return {"uri": address, "additional_headers": self._headers, "ssl": context, "max_size": None, "proxy": proxy}

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

    def call(self, path: str, *, body: Any = None, patient: bool = False, **query: Any) -> Any:
        """POSTs to an operation that is about this arm."""
        return self.bridge.call("POST", path, body=body, patient=patient, **query, **self._named())

    def _named(self) -> dict[str, str | int]:
        """How a query names this arm."""
        return {"arm": self.key} if isinstance(self.key, str) else {"robot_id": self.key}

    def _path(self, below: str = "") -> str:
        """Path of what the interface has of this arm below /api/v1/arms."""
        name = self.bridge.name_of(self.key)
        return f"/api/v1/arms/{quote(name, safe='')}{below}"

    def init(self, *, take_over: bool = False, uncalibrated: bool = False) -> types.MoveAllResponse:
        """Torque on, then to the initial pose: the zero of x, y, z and of all angles. It comes before other moves."""
        query = _moving(take_over, uncalibrated)
        return cast(types.MoveAllResponse, self.call("/move/init", patient=True, **query))

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
        return cast(types.MoveResponse, self.call("/move/absolute", body=body, patient=True, **query))

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
        return cast(types.MoveResponse, self.call("/move/relative", body=body, patient=True, **query))

    def gripper(self, open: float, *, take_over: bool = False, uncalibrated: bool = False) -> types.MoveResponse:
        """The gripper alone: 0 closed to 1 open."""
        return self.move(open=open, take_over=take_over, uncalibrated=uncalibrated)

    def hello(self, *, take_over: bool = False, uncalibrated: bool = False) -> types.MoveResponse:
        """Waves."""
        query = _moving(take_over, uncalibrated)
        return cast(types.MoveResponse, self.call("/move/hello", patient=True, **query))

    def sleep(self, *, take_over: bool = False) -> types.MoveResponse:
        """Down to the rest pose; there the torque goes off."""
        return cast(types.MoveResponse, self.call("/move/sleep", patient=True, **_moving(take_over)))

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
        return cast(types.StatusResponse, self.call("/torque/toggle", body=body, patient=True, **query))

    def stop(self) -> types.StopResponse:
        """Brakes and holds, and refuses every motion until reset()."""
        return self.bridge._stop(**self._named())

    def reset(self) -> types.StopResponse:
        """Ends the stop. Nothing moves by that."""
        return self.bridge._reset(**self._named())

    def facts(self) -> types.ArmOverview:
        """What the arm is, with its joints and poses, and in `now` how it is."""
        arms = self.bridge.arms()
        for arm in arms:
            if self.key in (arm["name"], arm["id"]):
                return arm
        known = ", ".join(arm["name"] for arm in arms) or "none"
        raise Refused(f"the bridge has no arm {self.key!r}, only {known}", code="unknown_arm")

    def state(self) -> types.ArmState:
        """How the arm is at this moment: metres, radians, seconds, Nm."""
        return (self.facts())["now"]

    def states(self, rate: float = 20) -> Iterator[types.ArmState]:
        """How the arm is, `rate` times a second, for ever."""
        key = self.bridge.id_of(self.key)
        for frame in self.bridge.live("arms", rate=rate):
            if frame["type"] == "hello":
                # A bridge that has started again may have given its arms other ids.
                key = next((arm["id"] for arm in frame["arms"] if self.key in (arm["name"], arm["id"])), key)
            elif frame["type"] == "arms":
                for arm in frame["arms"]:
                    if arm["id"] == key:
                        yield arm

    def goals(self, rate: float = 20) -> Iterator[list[float | None]]:
        """Where the joints are asked to be, rad, `rate` times a second, for ever; None without torque."""
        for state in self.states(rate):
            yield state["joints"]["goal"]

    def urdf(self) -> str:
        """The arm's model."""
        return self.bridge._text(self.bridge.send("GET", self._path("/urdf")))

    def begin(
        self,
        *,
        pose: types.MotionTarget | None = None,
        relative: types.MotionTarget | None = None,
        joints: Mapping[str, float] | None = None,
        named: str | None = None,
        gripper: float | None = None,
        replay: types.MotionReplay | None = None,
        key: str | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> Motion:
        """
        Begins one of these motions and returns as soon as it is under way: to a pose of the tool, by so much, to joint angles by
        name, to a named pose such as "rest", of the gripper alone, or a recording. Metres and radians.

        Two requests with the same `key` are one motion. The arm holds when its program has not been heard for 30 s.
        """
        body = _given(pose=pose, relative=relative, joints=joints, named=named, gripper=gripper, replay=replay)
        headers = None if key is None else {"Idempotency-Key": key}
        path = self._path("/motions")
        query = _moving(take_over, uncalibrated)
        told = self.bridge.call("POST", path, body=body, headers=headers, patient=True, **query)
        return Motion(self, told["id"])

    def chunk(
        self,
        positions: Sequence[Sequence[float]],
        times: Sequence[float],
        *,
        joints: Sequence[str] | None = None,
        observed: float | None = None,
        latency: float | None = None,
        blend: float | None = None,
        dead_man: float | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.ChunkOutcome:
        """
        Follows positions (rad) at times (s) after the observation, as a policy gives them; they take over smoothly from the chunk before.

        `observed` is `sampled` of the state that the policy has seen: points whose time has passed are skipped. The arm comes to rest
        and holds when it has no next chunk in time.
        """
        rows = [[float(position) for position in row] for row in positions]
        body = _given(
            positions=rows,
            times=[float(time) for time in times],
            joints=None if joints is None else list(joints),
            observed=observed,
            latency=latency,
            blend=blend,
            dead_man=dead_man,
        )
        query = _moving(take_over, uncalibrated)
        path = self._path("/chunks")
        return cast(types.ChunkOutcome, self.bridge.call("POST", path, body=body, **query))

    def motions(self, limit: int | None = None) -> list[types.MotionFacts]:
        """The motions that are under way and the newest that are over, of whoever asked for them by HTTP."""
        told = self.bridge.call("GET", self._path("/motions"), limit=limit)
        return cast("list[types.MotionFacts]", told["motions"])

    def motion(self) -> types.MotionState:
        """What drives the arm now, and whose it is."""
        return cast(types.MotionState, self.bridge.call("GET", self._path("/motion")))

    def halt(self, *, take_over: bool = False) -> types.StatusResponse:
        """Ends what drives the arm: it holds, and the next motion may begin at once."""
        path = self._path("/motion")
        return cast(types.StatusResponse, self.bridge.call("DELETE", path, take_over=take_over or None))

    def take_over(self) -> types.StatusResponse:
        """Takes the arm from whoever drives it, until release()."""
        return cast(types.StatusResponse, self.bridge.call("POST", self._path("/take-over")))

    def release(self, *, take_over: bool = False) -> types.StatusResponse:
        """Gives the arm back; it holds."""
        path = self._path("/release")
        return cast(types.StatusResponse, self.bridge.call("POST", path, take_over=take_over or None))

    def ask(self) -> types.AskAnswer:
        """Asks the person who has the arm for it, or tells how that stands; `ask` is None where nobody else has it. Nothing moves."""
        return cast(types.AskAnswer, self.bridge.call("POST", self._path("/ask")))

    def answer(self, id: str, give: bool) -> types.AskAnswer:
        """For who is asked for the arm: it is given away, or not now. `id` is that of the ask, as the live stream tells it."""
        path = self._path(f"/ask/{quote(id, safe='')}")
        return cast(types.AskAnswer, self.bridge.call("POST", path, body={"give": give}))

    def reachable(
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
    ) -> types.ReachableAnswer:
        """What move() would come to, in its units. Nothing moves."""
        body = _given(x=x, y=y, z=z, rx=rx, ry=ry, rz=rz, open=open, path=path)
        return cast(types.ReachableAnswer, self.bridge.call("POST", self._path("/reachable"), body=body))

    def gravity_compensation(
        self,
        on: bool = True,
        values: types.GravityCompensationValues | None = None,
        *,
        release: Release | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.StatusResponse:
        """
        On: the arm carries its weight and yields to the hand; `values` are percentages for shoulder, elbow and wrist. Off: it holds,
        unless `release` says that it is lowered, or falls.
        """
        if not on:
            query = {"release": release, "take_over": take_over or None}
            return cast(types.StatusResponse, self.call("/gravity/stop", **query))
        body = None if values is None else {"gravity_compensation_values": dict(values)}
        query = _moving(take_over, uncalibrated)
        return cast(types.StatusResponse, self.call("/gravity/start", body=body, **query))

    def calibrate(self, reversed: Sequence[str] = (), *, take_over: bool = False) -> types.CalibrateResponse:
        """
        The next step of a calibration; the answer says what to do before the one after it. `reversed` names, at the last one,
        the joints that went the other way than was said.
        """
        query = {"reversed": ",".join(reversed) or None, "take_over": take_over or None}
        return cast(types.CalibrateResponse, self.call("/calibrate", patient=True, **query))

    def calibration(self) -> types.CalibrationState:
        """How far the calibration is that is under way."""
        return cast(types.CalibrationState, self.bridge.call("GET", self._path("/calibration")))

    def cancel_calibration(self) -> types.StatusResponse:
        """Ends it; the servos get back what they had. An arm that holds goes limp: take hold of it first."""
        return cast(types.StatusResponse, self.bridge.call("DELETE", self._path("/calibration")))

    def start_recording(self, name: str | None = None, rate: float | None = None) -> types.RecordingStartResponse:
        """Records the joints as measured, whoever drives the arm, `rate` times a second."""
        body = _given(name=name, rate=rate)
        return cast(types.RecordingStartResponse, self.call("/recording/start", body=body))

    def stop_recording(self, *, save: bool = True) -> types.RecordingStopResponse:
        """Ends the recording; its file is complete with the answer."""
        return cast(types.RecordingStopResponse, self.call("/recording/stop", body={"save": save}))

    def play(
        self,
        name: str,
        speed: float | None = None,
        *,
        source: str | None = None,
        take_over: bool = False,
        uncalibrated: bool = False,
    ) -> types.RecordingPlayResponse:
        """
        Replays a recording, from its first pose on: the joints of the recorded arm `source`, or of the one of the same name.
        Answered when it has ended, however long it is.
        """
        body = _given(name=name, speed=speed, source=source)
        query = _moving(take_over, uncalibrated)
        return cast(types.RecordingPlayResponse, self.call("/recording/play", body=body, patient=True, **query))


class Motion:
    """A motion that has begun, and goes on by itself."""

    def __init__(self, arm: Arm, id: str) -> None:
        self.arm = arm
        #: By which the interface knows it.
        self.id = id

    def __repr__(self) -> str:
        return f"<motion {self.id} of {self.arm!r}>"

    def _path(self) -> str:
        return self.arm._path(f"/motions/{quote(self.id, safe='')}")

    def facts(self) -> types.MotionFacts:
        """How far it is, or what came of it."""
        return cast(types.MotionFacts, self.arm.bridge.call("GET", self._path()))

    def wait(self) -> types.MotionFacts:
        """Until it is over. Raises NotDone where it has not been completed."""
        facts = self.facts()
        while facts["state"] == "moving":
            _sleep(LOOK)
            facts = self.facts()
        if facts["state"] != "done":
            raise NotDone(dict(facts), request_id=facts["request_id"])
        return facts

    def cancel(self, *, take_over: bool = False) -> types.StatusResponse:
        """The arm decelerates and holds; the next motion may begin at once."""
        path = self._path()
        return cast(types.StatusResponse, self.arm.bridge.call("DELETE", path, take_over=take_over or None))


class Episode:
    """What all arms do in each cycle of the control loop, as one recording."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def state(self) -> types.RunningEpisode | None:
        """The episode that is being recorded, or None."""
        told = self._bridge.call("GET", "/api/v1/episode")
        return cast("types.RunningEpisode | None", told["episode"])

    def start(
        self,
        name: str | None = None,
        *,
        dataset: str | None = None,
        arms: Sequence[str] | None = None,
        task: str | None = None,
        operator: str | None = None,
    ) -> types.RunningEpisode:
        """Begins to record: the arms of these names, or all that are connected. Nothing moves."""
        body = _given(name=name, dataset=dataset, task=task, operator=operator)
        if arms is not None:
            body["arms"] = list(arms)
        told = self._bridge.call("POST", "/api/v1/episode/start", body=body)
        return cast(types.RunningEpisode, told["episode"])

    def mark(self, text: str = "") -> types.StatusResponse:
        """Puts an event with a text into it."""
        return cast(types.StatusResponse, self._bridge.call("POST", "/api/v1/episode/mark", body={"text": text}))

    def stop(
        self,
        *,
        keep: bool = True,
        task: str | None = None,
        operator: str | None = None,
        verdict: Literal["good", "bad", ""] | None = None,
    ) -> types.EpisodeStopResponse:
        """Ends it; its file is complete with the answer, or gone where it is not to be kept."""
        body = _given(keep=keep, task=task, operator=operator, verdict=verdict)
        return cast(types.EpisodeStopResponse, self._bridge.call("POST", "/api/v1/episode/stop", body=body))


class Recordings:
    """The recordings that the bridge keeps."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge

    def list(
        self, *, dataset: str | None = None, limit: int | None = None, offset: int | None = None
    ) -> builtins.list[types.Recording]:
        """The newest first, `limit` (20) of them after `offset`; those of one dataset where it is named."""
        told = self._bridge.call("GET", "/api/v1/recordings", dataset=dataset, limit=limit, offset=offset)
        return cast("builtins.list[types.Recording]", told["recordings"])

    def facts(self, name: str) -> types.RecordingFacts:
        """What is known of a recording, with its topics."""
        return cast(types.RecordingFacts, self._bridge.call("GET", _recording(name)))

    def download(self, name: str, path: str | Path | None = None) -> Path:
        """
        Fetches the file of a recording, to NAME.mcap of the present folder when no path is given. Returns where it is. What is
        there already is replaced once the file has arrived whole.
        """
        target = Path(f"{name}.mcap" if path is None else path)
        part = target.with_name(f"{target.name}.part")
        answer = self._bridge.send("GET", _recording(name, "/file"))
        try:
            with part.open("wb") as file:
                for chunk in answer.iter_bytes(CHUNK):
                    file.write(chunk)
            part.replace(target)
        except httpx.HTTPError as error:
            raise self._bridge._unreachable(error) from None
        finally:
            answer.close()
            part.unlink(missing_ok=True)
        return target

    def read(self, name: str, start: int = 0, stop: int | None = None) -> bytes:
        """Bytes of the file of a recording, as a slice has them: those before `stop`, or to its end."""
        if start < 0 or (stop is not None and stop <= start):
            raise ValueError(f"no bytes from {start} to {stop}: 0 <= start < stop")
        wanted = f"bytes={start}-{'' if stop is None else stop - 1}"
        answer = self._bridge.send("GET", _recording(name, "/file"), headers={"Range": wanted})
        try:
            return answer.read()
        except httpx.HTTPError as error:
            raise self._bridge._unreachable(error) from None

    def upload(self, name: str, path: str | Path) -> types.RecordingFacts:
        """Sends an MCAP file with joint states, so that it can be replayed by this name."""
        file = Path(path)
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(file.stat().st_size)}
        told = self._bridge.call("POST", _recording(name, "/file"), file=_chunks(file), headers=headers)
        return cast(types.RecordingFacts, told["recording"])

    def change(
        self,
        name: str,
        *,
        new_name: str | None = None,
        task: str | None = None,
        operator: str | None = None,
        verdict: Literal["good", "bad", ""] | None = None,
    ) -> types.RecordingFacts:
        """Renames a recording, or says what an episode shows and whether it is to be used."""
        body = _given(name=new_name, task=task, operator=operator, verdict=verdict)
        told = self._bridge.call("POST", _recording(name), body=body)
        return cast(types.RecordingFacts, told["recording"])

    def samples(
        self,
        name: str,
        *,
        source: str | None = None,
        begin: float | None = None,
        end: float | None = None,
        points: int | None = None,
    ) -> types.RecordingSamples:
        """Joints of one recorded arm (`source`) over time, as curves: `points` (300) samples between two times, s."""
        path = _recording(name, "/samples")
        told = self._bridge.call("GET", path, source=source, begin=begin, end=end, points=points)
        return cast(types.RecordingSamples, told)

    def foresee(
        self, name: str, arm: str | int, *, source: str | None = None, points: int | None = None
    ) -> types.RecordingForeseen:
        """What an arm would do of a recording, and what of it the arm cannot reach. Nothing moves."""
        path, id = _recording(name, "/replay"), self._bridge.id_of(arm)
        told = self._bridge.call("GET", path, robot_id=id, source=source, points=points)
        return cast(types.RecordingForeseen, told)

    def trim(self, name: str, begin: float, end: float, *, new_name: str | None = None) -> types.RecordingFacts:
        """Makes the part between two times (s) a recording of its own; the old one stays."""
        body = _given(begin=begin, end=end, name=new_name)
        told = self._bridge.call("POST", _recording(name, "/trim"), body=body)
        return cast(types.RecordingFacts, told["recording"])

    def delete(self, name: str) -> types.StatusResponse:
        """Deletes a recording for good."""
        return cast(types.StatusResponse, self._bridge.call("DELETE", _recording(name)))


def _told(answer: httpx.Response) -> Any:
    if answer.content and "json" in answer.headers.get("content-type", ""):
        return answer.json()
    return answer.text or None


def _refusal(answer: Response) -> BridgeError:
    """The exception for a WebSocket that is refused."""
    try:
        told = json.loads(answer.body or b"")
    except ValueError:
        told = None
    return problem_of(answer.status_code, told, answer.headers.get("x-request-id"))


def _retry_after(answer: Response) -> float:
    """How long the bridge asks to wait, s; 0 where it does not say, or gives a date."""
    told = answer.headers.get("retry-after", "")
    return float(told) if told.isdecimal() else 0.0


def _recording(name: str, below: str = "") -> str:
    return f"/api/v1/recordings/{quote(name, safe='')}{below}"


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _moving(take_over: bool, uncalibrated: bool = False) -> dict[str, bool | None]:
    return {"take_over": take_over or None, "uncalibrated": uncalibrated or None}


def _sleep(seconds: float) -> None:
    import time

    time.sleep(seconds)
