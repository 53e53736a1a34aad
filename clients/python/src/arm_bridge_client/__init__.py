"""
Moves robot arms through an Arm Bridge.

    from arm_bridge_client import Bridge

    arm = Bridge("http://localhost:8020").arm("follower")
    arm.init()
    arm.move(x=2, y=3)

Lengths are centimetres and angles degrees, as in the HTTP interface; joints, states and the live stream are in radians, metres
and seconds, as in ROS 2. What is refused or not done raises a BridgeError. `AsyncBridge` is the same with `await`.
"""

from ._async import AsyncArm, AsyncBridge, AsyncEpisode, AsyncMotion, AsyncRecordings
from ._errors import BridgeError, InvalidRequest, NotDone, Refused, Unreachable
from ._joint_stream import JointStream
from ._sync import Arm, Bridge, Episode, Motion, Recordings

__all__ = [
    "Arm",
    "AsyncArm",
    "AsyncBridge",
    "AsyncEpisode",
    "AsyncMotion",
    "AsyncRecordings",
    "Bridge",
    "BridgeError",
    "Episode",
    "InvalidRequest",
    "JointStream",
    "Motion",
    "NotDone",
    "Recordings",
    "Refused",
    "Unreachable",
]

# What people read of them is where they find them.
for _name in __all__:
    globals()[_name].__module__ = __name__
