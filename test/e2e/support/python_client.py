"""
Every call of arm-bridge-client, once with `await` and once without, on the bridge that ARM_BRIDGE_URL names. Prints as JSON what
both saw, what was asked, and which words the package has.
"""

import asyncio
import inspect
import json
import os
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy
import arm_bridge_client
from arm_bridge_client import AsyncBridge, Bridge, BridgeError, InvalidRequest, NotDone, Refused, Unreachable

FOLDER = Path(tempfile.mkdtemp(dir="."))
# What a campus network wants of every program: it is of no use for a bridge on this computer.
os.environ |= {"http_proxy": "http://127.0.0.1:9", "ws_proxy": "http://127.0.0.1:9", "no_proxy": ""}


class Other(BaseHTTPRequestHandler):
    """Answers, but is no bridge."""

    def log_message(self, *_):
        pass


OTHER = HTTPServer(("127.0.0.1", 0), Other)
threading.Thread(target=OTHER.serve_forever, daemon=True).start()


async def told(answer):
    """What a call comes to, of either client."""
    return await answer if inspect.isawaitable(answer) else answer


async def error_of(kind, action):
    """The exception that a call raises."""
    try:
        await told(action())
    except kind as error:
        assert isinstance(error, BridgeError) and error.detail in str(error)
        return error
    raise AssertionError(f"no {kind.__name__}")


async def first(count, stream):
    """The first frames of a stream, which is then left."""
    seen = []
    if hasattr(stream, "__aiter__"):
        async for frame in stream:
            seen.append(frame)
            if len(seen) == count:
                break
        await stream.aclose()
    else:
        for frame in stream:
            seen.append(frame)
            if len(seen) == count:
                break
        stream.close()
    return seen


async def carried_out(arm, motion):
    """
    What a motion comes to. A busy machine may let servos fall silent, and arms hold, which is told: then it is asked again.
    """
    for _ in range(20):
        try:
            return await told(motion())
        except (BridgeError, AssertionError) as error:
            last = error
            await asyncio.sleep(0.5)
            if getattr(error, "remedy", None) == "init":
                try:
                    await told(arm.init())
                except BridgeError:
                    pass
    raise last


async def cancelled(arm):
    """A motion that was cancelled while it was under way: a busy machine may hear of it too late."""
    for angle in (1.6, -1.6) * 10:
        motion = await carried_out(arm, lambda: arm.begin(joints={"shoulder_pan": angle}))
        await told(motion.cancel())
        try:
            await told(motion.wait())
        except NotDone:
            return motion
    raise AssertionError("each motion was over before it was cancelled")


async def tried(bridge, name):
    report = {}
    leader, arm = bridge.arm("leader"), bridge.arm(1)

    report["status"] = [one["name"] for one in (await told(bridge.status()))["arms"]]
    report["arms"] = [one["id"] for one in await told(bridge.arms())]
    report["config"] = "http" in await told(bridge.config())
    report["nobody_there"] = [
        (await error_of(Refused, bridge.arm("folower").init)).detail,
        (await error_of(Refused, bridge.arm(7).init)).code,
        (await error_of(Refused, bridge.arm(7).facts)).code,
    ]

    async def calibrated():
        begun = await told(leader.calibrate())
        steps = [begun["current_step"], (await told(leader.calibration()))["current_step"]]
        await told(leader.cancel_calibration())
        return steps

    # It is begun and left; the arm is limp then.
    report["calibration"] = await carried_out(leader, calibrated)
    report["no_calibration"] = (await error_of(Refused, leader.calibration)).status

    await carried_out(arm, arm.init)
    moved = await carried_out(arm, lambda: arm.move(x=2, y=3))
    at = await told(arm.position(sync=True))
    report["moved"] = [moved["status"], at["x"], at["y"]]
    await carried_out(arm, lambda: arm.move_relative(y=-1))
    report["reachable"] = [(await told(arm.reachable(x=x)))["reachable"] for x in (2, 90)]
    report["numbers"] = (await told(arm.reachable(x=numpy.float32(2), y=numpy.array(0))))["reachable"]
    report["no_number"] = [fault["loc"] for fault in (await error_of(InvalidRequest, lambda: arm.reachable(x=float("nan")))).errors]
    report["unreachable"] = (await error_of(NotDone, lambda: arm.move(x=90))).answer["status"]
    report["invalid"] = [fault["loc"] for fault in (await error_of(InvalidRequest, lambda: arm.gripper(7))).errors]
    await carried_out(arm, lambda: arm.gripper(0.5))
    await carried_out(arm, arm.hello)
    report["joints"] = len(await told(arm.joints("degrees")))
    await carried_out(arm, lambda: arm.write_joints([5], unit="degrees"))
    await carried_out(arm, lambda: arm.write_joints({5: 20}, unit="degrees", take_over=True))
    await told(arm.halt(take_over=True))
    report["facts"] = [(await told(arm.facts()))["name"], (await told(arm.state()))["torque"]]
    report["urdf"] = "<robot" in await told(arm.urdf())

    async def taken():
        await told(arm.take_over())
        owner = (await told(arm.motion()))["owner"]
        await told(arm.release())
        assert owner is not None and bridge.name in owner, owner

    await carried_out(arm, taken)
    report["ask"] = (await told(arm.ask()))["ask"]
    report["no_ask"] = (await error_of(BridgeError, lambda: arm.answer("none", False))).status
    report["invitation"] = await told(bridge.invitation())
    motion = await cancelled(arm)
    report["cancelled"] = [
        (await told(motion.facts()))["state"],
        bool((await error_of(NotDone, motion.wait)).request_id),
    ]

    async def to_init():
        return await told((await told(arm.begin(named="init"))).wait())

    report["done"] = (await carried_out(arm, to_init))["state"]
    motion = await carried_out(arm, lambda: arm.begin(joints={"shoulder_pan": 0.3}, key=name))
    report["same"] = (await told(arm.begin(joints={"shoulder_pan": 0.3}, key=name))).id == motion.id
    report["listed"] = motion.id in [one["id"] for one in await told(arm.motions(limit=5))]

    turn = {"joints": ["shoulder_pan"], "observed": None, "take_over": True}
    chunk = await carried_out(arm, lambda: arm.chunk([[0.3], [0.31]], [2, 2.1], **turn))
    report["chunk"] = [chunk["kept"] + chunk["skipped"], chunk["message"]]
    await told(arm.halt())

    report["states"] = [state["id"] for state in await first(5, arm.states(rate=50))]
    report["goals"] = [len(goals) for goals in await first(1, arm.goals())]
    report["stream"] = [frame["type"] for frame in await first(2, bridge.live("arms"))]
    report["all"] = sorted({frame["type"] for frame in await first(8, bridge.live(rate=5))})

    await told(arm.start_recording(f"{name}-joints", rate=100))
    await carried_out(arm, lambda: arm.write_joints({0: 0.2}, take_over=True))
    await first(5, arm.states(rate=20))
    await told(arm.halt(take_over=True))
    report["joints_recorded"] = (await told(arm.stop_recording()))["name"] == f"{name}-joints"
    await carried_out(arm, lambda: arm.play(f"{name}-joints", speed=2))
    await told(arm.start_recording(f"{name}-none"))
    report["not_kept"] = (await told(arm.stop_recording(save=False)))["path"]

    report["no_episode"] = [await told(bridge.episode.state()), (await error_of(NotDone, bridge.episode.mark)).detail]
    begun = await told(bridge.episode.start(f"{name}-episode", dataset=name, arms=["follower"], task="look"))
    running = await told(bridge.episode.state())
    report["episode"] = [begun["arms"], running["task"], running["name"] == begun["name"]]
    await told(bridge.episode.mark("here"))
    report["episode_kept"] = (await told(bridge.episode.stop(verdict="good", operator="ada")))["name"]

    recordings = bridge.recordings
    report["recordings"] = [one["content"] for one in await told(recordings.list(limit=2))]
    report["dataset"] = [one["verdict"] for one in await told(recordings.list(dataset=name, offset=0))]
    facts = await told(recordings.facts(f"{name}-joints"))
    file = await told(recordings.download(f"{name}-joints", FOLDER / f"{name}.mcap"))
    whole = file.read_bytes()
    report["downloaded"] = [
        len(whole) == facts["bytes"],
        await told(recordings.read(f"{name}-joints", 5, 13)) == whole[5:13],
        await told(recordings.read(f"{name}-joints", len(whole) - 8)) == whole[-8:],
        sorted(path.name for path in FOLDER.glob(f"{name}*")) == [file.name],
    ]
    report["no_such_bytes"] = (await error_of(Refused, lambda: recordings.read(f"{name}-joints", len(whole)))).code
    report["uploaded"] = (await told(recordings.upload(f"{name}-copy", file)))["messages"] == facts["messages"]
    report["taken"] = (await error_of(Refused, lambda: recordings.upload(f"{name}-copy", file))).status
    (FOLDER / f"{name}-none").write_bytes(b"nothing that anybody can replay")
    report["no_recording"] = (
        await error_of(Refused, lambda: recordings.upload(f"{name}-none", FOLDER / f"{name}-none"))
    ).status
    report["renamed"] = (await told(recordings.change(f"{name}-copy", new_name=f"{name}-last")))["name"] == f"{name}-last"
    report["said"] = (await told(recordings.change(f"{name}-episode", verdict="bad", task="seen")))["task"]
    curves = await told(recordings.samples(f"{name}-last", source="follower", begin=0, points=5))
    foreseen = await told(recordings.foresee(f"{name}-last", "follower", source="follower", points=5))
    report["foreseen"] = [len(foreseen["positions"]) == len(curves["joints"]), foreseen["refusal"]]
    part = await told(recordings.trim(f"{name}-last", 0, curves["duration"] / 2, new_name=f"{name}-part"))
    report["parts"] = [len(curves["positions"]) == len(curves["joints"]), part["duration"] < curves["duration"]]
    await told(recordings.delete(f"{name}-part"))
    await carried_out(arm, lambda: arm.begin(replay={"name": f"{name}-last"}))
    await told(arm.halt(take_over=True))
    await told(recordings.delete(f"{name}-last"))
    report["gone"] = (await error_of(Refused, lambda: recordings.facts(f"{name}-last"))).status
    report["unplayed"] = (await error_of(Refused, lambda: arm.play(f"{name}-last"))).status

    async def mirrored():
        await told(bridge.mirror(leader, arm, invert=True, take_over=True))
        pairs = await told(bridge.pairs())
        await told(bridge.stop_mirroring("hold"))
        return [pairs["active"], pairs["pairs"][0]["follower"]]

    async def paired():
        await told(bridge.start_pair("leader", "follower", take_over=True))
        await told(bridge.end_pair("follower"))
        await told(bridge.start_pair_across({"arm": "leader"}, {"arm": "follower"}))
        return (await told(bridge.end_pair_across("follower")))["status"]

    async def floated():
        await told(leader.gravity_compensation(True, {"elbow": 60}))
        await told(leader.gravity_compensation(False, release="hold"))

    await carried_out(leader, leader.init)
    report["mirrored"] = await carried_out(arm, mirrored)
    report["paired"] = await carried_out(arm, paired)
    report["mirroring"] = (await told(bridge.pairs()))["active"]
    await carried_out(leader, floated)

    await carried_out(arm, lambda: arm.torque(True))
    await told(bridge.stop())
    stopped = await error_of(Refused, arm.init)
    report["stopped"] = [stopped.status, stopped.code, stopped.remedy, "arm.reset()" in str(stopped), "/stop/" in str(stopped)]
    await told(bridge.reset())
    await told(arm.stop())
    await told(arm.reset())
    await carried_out(arm, arm.sleep)
    await carried_out(leader, lambda: leader.torque(False, force=True))

    mine = await told(bridge.events(arm="follower", act="stop", since=0, limit=20))
    report["events"] = [mine[0]["arm"], mine[0]["what"], bridge.name in mine[0]["who"]]
    report["bridges"] = (await told(bridge.bridges()))["others"]
    report["stopped_all"] = [one["stopped"] for one in (await told(bridge.stop_all()))["bridges"]]
    await told(bridge.reset())
    log = await told(bridge.log())
    report["log"] = bool(log["lines"]) and (await told(bridge.log(log["next"])))["next"] >= log["next"]
    report["no_topic"] = (await error_of(Refused, lambda: first(2, bridge.live("arm")))).code
    report["text"] = (await told(bridge.call("GET", "/metrics"))).startswith("# HELP")
    unreachable = await error_of(Unreachable, type(bridge)("http://127.0.0.1:9").status)
    # The way through httpx would fill a notebook.
    report["unreachable_bridge"] = [unreachable.code, unreachable.__suppress_context__]
    report["no_bridge"] = (await error_of(Unreachable, type(bridge)(f"http://127.0.0.1:{OTHER.server_port}").status)).detail
    return report


def words(kind):
    return sorted(name for name in dir(kind) if not name.startswith("_"))


def sync_recorder(asked):
    return lambda request: asked.append([request.method, request.url.path])


def async_recorder(asked):
    async def record(request):
        asked.append([request.method, request.url.path])

    return record


async def main():
    asked, asked_sync = [], []
    async with AsyncBridge() as bridge:
        bridge._http.event_hooks = {"request": [async_recorder(asked)]}
        refused = await error_of(Refused, lambda: bridge.arm("leader").move(x=1))
        not_initialised = [refused.status, refused.code, refused.remedy, bool(refused.request_id), "arm.init()" in str(refused)]
        assert await bridge.recordings.list() == []
        seen = await tried(bridge, "with-await")
    with Bridge() as bridge:
        bridge._http.event_hooks = {"request": [sync_recorder(asked_sync)]}
        seen_sync = await tried(bridge, "without")
    kinds = ("Bridge", "Arm", "Motion", "Episode", "Recordings")
    vocabulary = {kind: words(getattr(arm_bridge_client, kind)) for kind in kinds}
    print(json.dumps({"not_initialised": not_initialised, "seen": [seen, seen_sync], "asked": [asked, asked_sync], "words": vocabulary}))


asyncio.run(main())
