"""An arm of a bridge, as the robot and the teleoperator have it."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Literal

from arm_bridge_client import Bridge, JointStream, NotDone, Refused, types

from .units import Joint, joints_of, numbers

#: States a second: the bridge's control loop has no more.
RATE = 200
#: A state that the bridge has promised is seen within this time, s.
PATIENCE = 5.0


class ConnectedArm:
    """An arm by its name, its joints in LeRobot's numbers, and while it is open the stream of its states and goals."""

    def __init__(self, url: str | None, token: str | None, name: str, use_degrees: bool) -> None:
        self.name = name
        self.bridge = Bridge(url, token=token)
        self.arm = self.bridge.arm(name)
        self._use_degrees = use_degrees
        self._stream: JointStream | None = None

    @cached_property
    def joints(self) -> list[Joint]:
        """As the bridge has calibrated them. Asks the bridge. Raises ValueError for an arm of another machine."""
        return joints_of(self.arm.facts(), self._use_degrees)

    @property
    def features(self) -> dict[str, type]:
        """Of observations and actions alike."""
        return {f"{joint.name}.pos": float for joint in self.joints}

    @property
    def is_open(self) -> bool:
        """Until it is closed: a stream that has broken says why when it is used."""
        return self._stream is not None

    @property
    def stream(self) -> JointStream:
        if self._stream is None:
            raise RuntimeError("not connected")
        return self._stream

    def open(self) -> None:
        """Asks anew how the arm is calibrated, and begins to stream."""
        self.__dict__.pop("joints", None)
        self._stream = JointStream(self.arm, RATE)

    def close(self) -> None:
        """The stream ends; the arm holds."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def state(self) -> types.ArmState:
        """The newest state. Raises ConnectionError where the bridge has lost the arm."""
        state = self.stream.state()
        if state["state"] == "disconnected":
            raise ConnectionError(f"arm {self.name} is disconnected: {state['reason']}")
        return state

    def wait_for(self, wanted: str) -> None:
        """Until the newest state is that one. Raises RuntimeError where it does not come."""
        end = time.monotonic() + PATIENCE
        while (state := self.state()["state"]) != wanted:
            if time.monotonic() > end:
                raise RuntimeError(f"arm {self.name} is {state}, not {wanted}")
            time.sleep(1 / RATE)

    def stop_floating(self, release: Literal["hold", "lower"]) -> None:
        """Ends the arm's float. One that a stop or another client has ended is no error: there is nothing left to end."""
        with suppress(NotDone):
            self.arm.gravity_compensation(False, release=release)

    def pair_with(self, leader: str) -> float | None:
        """Since when the arm follows that one in the bridge, in seconds since the epoch; None where it does not."""
        for pair in self.bridge.pairs()["pairs"]:
            if pair["leader"] == leader and pair["follower"] == self.name and pair["state"] != "idle":
                return pair["owner_since"]
        return None

    def end_pair(self, leader: str, since: float) -> None:
        """Ends the pair that began then. Another one may be somebody else's, and one that has just ended is no error."""
        if self.pair_with(leader) == since:
            with suppress(NotDone):
                self.bridge.end_pair(self.name)

    def let_down(self) -> None:
        """Lowers and releases the arm, where nobody else says what becomes of it."""
        with self._unless_others_say():
            self.arm.torque(False)

    def give_back(self) -> None:
        """Releases an arm that was taken over."""
        with self._unless_others_say():
            self.arm.release()

    @contextmanager
    def _unless_others_say(self) -> Iterator[None]:
        """A stop, or another client that has the arm, says what becomes of it: that is logged, and no error."""
        try:
            yield
        except Refused as error:
            if error.code not in ("stopped", "owned", "disconnected"):
                raise
            logging.getLogger(__name__).warning("arm %s stays as it is: %s", self.name, error)

    def positions(self) -> tuple[dict[str, float], float]:
        """The newest measured positions in LeRobot's numbers, and when they were read, in seconds since the epoch."""
        state = self.state()
        return numbers(self.joints, state["joints"]["position"]), state["sampled"]

    def calibrate(self) -> None:
        """Says where it is done. Raises RuntimeError for an arm that has no calibration."""
        how = f"`npm start -- calibrate --arm {self.name}`, or the page of the bridge at {self.bridge.url}"
        if not self.state()["calibrated"]:
            raise RuntimeError(f"arm {self.name} has no calibration: the bridge keeps it. Use {how}")
        print(f"Arm {self.name} is calibrated, in the bridge. To do it again: {how}")
