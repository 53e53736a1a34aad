"""An arm over one WebSocket: its newest state, and goals for its joints."""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Mapping
from types import TracebackType
from typing import cast

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from . import types
from ._errors import Refused, Unreachable
from ._sync import Arm, as_json

#: The bridge answers, and sends the next state, within this time unless it is gone, s.
PATIENCE = 5.0
#: A state that came longer ago is none any more: s, and states that should have come since.
STALE = 0.5
MISSED = 3


class JointStream:
    """
    The newest state of an arm, `rate` times a second (200 at most), and goals for its joints, over one WebSocket.

    A thread reads, so that neither state() nor write() waits for the bridge. The arm follows the newest goals as a follower does
    its leader; it holds when none have come for 0.2 s, when the stream is closed, and when its program ends. Its torque must be on.
    Raises Refused, or Unreachable when no bridge answers.
    """

    def __init__(self, arm: Arm, rate: float = 100) -> None:
        self.arm = arm
        self._id = arm.facts()["id"]
        # The bridge refuses a rate below 1, in words of its own.
        self._stale = max(STALE, MISSED / max(rate, 1))
        self._news = threading.Condition()
        self._state: types.ArmState | None = None
        self._came = time.monotonic()
        self._refused: str | None = None
        self._ended: str | None = None
        try:
            self._socket = connect(**arm.bridge._stream(), compression=None, open_timeout=PATIENCE)
            self._socket.send(as_json({"type": "subscribe", "topics": ["arms"], "rate": rate}))
        except (OSError, WebSocketException) as error:
            raise self._gone(str(error)) from None
        self._reader = threading.Thread(target=self._read, name=f"{arm!r}", daemon=True)
        self._reader.start()
        # Also when the interpreter ends without: whoever closes it later than that waits for threads that stand still.
        self._end = weakref.finalize(self, _end, self._socket, self._reader)
        with self._news:
            self._news.wait_for(lambda: self._state is not None or self._ended is not None, PATIENCE)

    def __enter__(self) -> JointStream:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def state(self) -> types.ArmState:
        """
        The newest state; `sampled` says when it was read from the servos, in seconds since the epoch. Raises Unreachable where
        none has come for 0.5 s or the time of 3 states, whichever is longer.
        """
        with self._news:
            state, came, ended = self._state, self._came, self._ended
        if ended is not None:
            raise self._gone(ended)
        if state is None or time.monotonic() - came > self._stale:
            raise self._gone(f"the bridge has said nothing for {self._stale:.2g} s")
        return state

    def write(self, positions: Mapping[str, float]) -> None:
        """
        Goals by joint name, rad; those that are left out keep theirs. Send them at least 10 times a second. Raises Refused when
        the bridge did not take goals that were sent before: their arm holds. Raises Unreachable where no state has come for 5 s.
        """
        with self._news:
            refused, self._refused = self._refused, None
            came, ended = self._came, self._ended
        if ended is None and time.monotonic() - came > PATIENCE:
            ended = f"the bridge has said nothing for {PATIENCE} s"
        if ended is not None:
            raise self._gone(ended)
        if refused is not None:
            raise Refused(refused, code="refused")
        try:
            self._socket.send(as_json({"type": "joints", "arm": self._id, "positions": dict(positions)}))
        except (OSError, WebSocketException) as error:
            raise self._gone(str(error)) from None

    def close(self) -> None:
        """The arm decelerates and holds."""
        self._end()

    def _read(self) -> None:
        ended = "the bridge has closed the stream"
        try:
            for text in self._socket:
                self._take(cast("types.LiveFrame | types.LiveRefusal", json.loads(text)))
        except (OSError, WebSocketException) as error:
            ended = str(error)
        with self._news:
            self._ended = ended
            self._news.notify_all()

    def _take(self, frame: types.LiveFrame | types.LiveRefusal) -> None:
        with self._news:
            if frame["type"] == "refused":
                self._refused = frame["reason"]
            elif frame["type"] == "arms":
                self._state = next((arm for arm in frame["arms"] if arm["id"] == self._id), None)
                self._came = time.monotonic()
                self._news.notify_all()

    def _gone(self, why: str) -> Unreachable:
        return Unreachable(f"no live stream of {self.arm!r}: {why}", code="unreachable", remedy="start")


def _end(socket: ClientConnection, reader: threading.Thread) -> None:
    socket.close()
    # A stream that is left open and breaks is let go of by its reader.
    if reader is not threading.current_thread():
        reader.join()
