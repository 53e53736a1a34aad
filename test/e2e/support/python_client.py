"""A program as people write it with arm-bridge-client. ARM_BRIDGE_URL names the bridge. Prints what it saw as JSON."""

import asyncio
import itertools
import json

from arm_bridge_client import AsyncBridge, Bridge, BridgeError, InvalidRequest, NotDone, Refused, Unreachable

report = {}


def error_of(kind, action):
    try:
        action()
    except kind as error:
        assert isinstance(error, BridgeError) and error.message
        return error
    raise AssertionError(f"no {kind.__name__}")


with Bridge() as bridge:
    arm = bridge.arm("follower")
    refused = error_of(Refused, lambda: arm.move(x=1))
    report["refused"] = [refused.code, refused.remedy, bool(refused.request_id)]
    arm.init()
    moved = arm.move(x=2, y=3)
    at = arm.position(sync=True)
    report["moved"] = [moved["status"], at["x"], at["y"]]
    report["unreachable"] = error_of(NotDone, lambda: arm.move(x=90)).code
    report["invalid"] = [fault["loc"] for fault in error_of(InvalidRequest, lambda: arm.gripper(7)).errors]
    report["states"] = len(list(itertools.islice(arm.states(rate=50), 5)))
    report["goals"] = len(next(arm.goals()))
    report["stream"] = [frame["type"] for frame in itertools.islice(bridge.live("arms"), 2)]
    arm.write_joints([5], unit="degrees")
    arm.write_joints({5: 20}, unit="degrees")
    arm.start_recording("python-client")
    arm.torque(True)
    report["recorded"] = "path" in arm.stop_recording()
    report["urdf"] = arm.urdf().startswith("<?xml") or "<robot" in arm.urdf()
    report["name"] = bridge.name
    bridge.stop()
    stopped = error_of(Refused, arm.init)
    report["stopped"] = [stopped.code, stopped.remedy]
    bridge.reset()
    nobody = Bridge("http://127.0.0.1:9")
    report["nobody"] = error_of(Unreachable, nobody.status).code


async def both():
    async with AsyncBridge() as bridge:
        leader, follower = bridge.arm("leader"), bridge.arm(1)
        await asyncio.gather(leader.init(), follower.init())
        await bridge.mirror(leader, follower)
        during = (await bridge.status())["leader_follower_status"]
        await bridge.stop_mirroring()
        report["mirrored"] = [during, (await bridge.status())["leader_follower_status"]]
        async for state in follower.states():
            assert state["id"] == 1
            break


asyncio.run(both())
print(json.dumps(report))
