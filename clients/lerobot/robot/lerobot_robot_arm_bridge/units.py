"""LeRobot's numbers for the joints of an arm, from the bridge's calibration of it."""

import math
from collections.abc import Mapping, Sequence

from arm_bridge_client import types

#: LeRobot counts one step less in a turn than a servo has (MotorsBus._normalize of lerobot.motors.motors_bus).
TURN = 2 * math.pi * 4095 / 4096


class Joint:
    """
    One joint. `travel` are its angles at the least and at the greatest servo step of its calibration, between which LeRobot counts;
    `mode` is "degrees", "m100_100" or "0_100".
    """

    def __init__(self, facts: types.JointFacts, mode: str) -> None:
        self.name = facts["name"]
        self.mode = mode
        self._limits = (facts["lower"], facts["upper"])
        self._first, self._last = facts["travel"]
        # What LeRobot calls drive_mode: it turns ranges round, and leaves degrees alone.
        if facts["turned"] and mode != "degrees":
            self._first, self._last = self._last, self._first
        if self._first == self._last:
            raise ValueError(f"the calibration of {self.name} has no range: calibrate the arm again")

    def number_of(self, angle: float) -> float:
        """LeRobot's number for an angle, rad."""
        if self.mode == "degrees":
            direction = math.copysign(1.0, self._last - self._first)
            return direction * (angle - (self._first + self._last) / 2) * 360 / TURN
        part = min(max((angle - self._first) / (self._last - self._first), 0.0), 1.0)
        return 100 * part if self.mode == "0_100" else 200 * part - 100

    def angle_of(self, number: float) -> float:
        """The angle of one of LeRobot's numbers, rad, within the joint's limits. Raises ValueError for what is no number."""
        if not math.isfinite(number):
            raise ValueError(f"the goal of {self.name} is {number}")
        if self.mode == "degrees":
            direction = math.copysign(1.0, self._last - self._first)
            angle = (self._first + self._last) / 2 + direction * number * TURN / 360
        else:
            part = number / 100 if self.mode == "0_100" else (number + 100) / 200
            angle = self._first + min(max(part, 0.0), 1.0) * (self._last - self._first)
        lower, upper = self._limits
        return min(max(angle, lower), upper)


def joints_of(facts: types.ArmFacts | types.ArmOverview, use_degrees: bool) -> list[Joint]:
    """
    The joints of an arm in its order; its gripper counts from 0 to 100. Raises ValueError for an arm of another machine: that one has
    its calibration, so the numbers made here would be others than those of its own bridge.
    """
    if facts["remote"]:
        raise ValueError(f"arm {facts['name']} belongs to another machine, which has its calibration: use its own bridge")
    gripper = facts["gripper"]
    body = "degrees" if use_degrees else "m100_100"
    return [
        Joint(joint, "0_100" if gripper is not None and gripper["index"] == index else body)
        for index, joint in enumerate(facts["joints"])
    ]


def numbers(joints: Sequence[Joint], angles: Sequence[float | None]) -> dict[str, float]:
    """Angles of all joints, rad, as LeRobot names and counts them. Raises ValueError where one is not known."""
    unknown = [joint.name for joint, angle in zip(joints, angles, strict=True) if angle is None]
    if unknown:
        raise ValueError(f"the positions of {', '.join(unknown)} are not known")
    return {
        f"{joint.name}.pos": joint.number_of(angle)
        for joint, angle in zip(joints, angles, strict=True)
        if angle is not None
    }


def angles(joints: Sequence[Joint], action: Mapping[str, float]) -> dict[str, float]:
    """Goals as LeRobot names and counts them, by joint name, rad, within the limits. Raises ValueError for what is none."""
    by_name = {f"{joint.name}.pos": joint for joint in joints}
    strange = [key for key in action if key not in by_name]
    if strange:
        raise ValueError(f"no joint takes {', '.join(strange)}: the arm has {', '.join(by_name)}")
    return {by_name[key].name: by_name[key].angle_of(float(value)) for key, value in action.items()}
