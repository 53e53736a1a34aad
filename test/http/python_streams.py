"""
How streams of arm-bridge-client go on after breaks, with await and without, on a stand-in for a bridge that goes away and comes
back, falls silent, then refuses. Prints as JSON what the client saw.
"""

import asyncio
import json
import threading
import time

from arm_bridge_client import AsyncBridge, Bridge, JointStream, Refused, Unreachable, _async, _joint_stream, _sync
from websockets.sync.server import serve

# Many more attempts than pauses fit into the time that the bridge is away.
_async.PAUSES = _sync.PAUSES = (0.01, 0.02)
AWAY = 0.5
# Whoever answers nothing for so long is gone, s: long enough for a busy machine to connect. A stream that is left silent stays so for
# longer.
_async.PINGING = _sync.PINGING = _joint_stream.PATIENCE = 2
SILENCE = 15


class StandIn:
    """Greets each stream, and ends it; or leaves it open like a computer without power, which answers no ping."""

    port = 0
    refuses = False
    #: Streams that are still to be refused with these statuses, for a moment.
    later = []
    #: Streams are left silent, also those that a busy machine opens later than their client waits.
    silent = False
    #: Streams have states, in these pauses, s; 0: none.
    pause = 0

    def start(self):
        self.server = serve(self.greet, "127.0.0.1", self.port, process_request=self.check, close_timeout=0.1)
        self.port = self.server.socket.getsockname()[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def greet(self, stream):
        silent = self.silent
        stream.send('{"type": "hello"}')
        if silent:
            stream.protocol.receive_data = lambda data: None
            time.sleep(SILENCE)
        else:
            # A stream that ends before it has been asked for anything has not begun.
            stream.recv()
        while self.pause:
            stream.send('{"type": "arms", "arms": [{"id": 0}]}')
            time.sleep(self.pause)

    def leave(self):
        self.server.shutdown()
        threading.Timer(AWAY, self.start).start()

    def check(self, connection, request):
        if self.refuses:
            return self.answer(connection, 401, {"detail": "The token has been revoked."})
        if request.path == "/api/v1/arms":
            return self.answer(connection, 200, {"arms": [{"id": 0, "name": "left"}]})
        if self.later:
            return self.answer(connection, self.later.pop(), {"detail": "Too many streams."}, {"Retry-After": "1"})
        return None

    def answer(self, connection, status, body, headers={}):
        response = connection.respond(status, json.dumps(body))
        del response.headers["Content-Type"]
        response.headers.update({"Content-Type": "application/json", "X-Request-Id": "r-1", **headers})
        return response


def refusal(error):
    return [error.status, error.code, error.detail, error.request_id]


def refused(action):
    try:
        action()
    except Refused as error:
        return refusal(error)
    raise AssertionError("not refused")


def unreachable(bridge):
    """What goals are told that nobody hears."""
    stream = JointStream(bridge.arm(0))
    try:
        stream.write({"gripper": 0.5})
    except Unreachable as error:
        return error.detail
    raise AssertionError("heard")


def slow(bridge, there):
    """How often the states of a slow stream are read before the next one comes."""
    there.pause = 0.8
    reads = 0
    with JointStream(bridge.arm(0), rate=1) as stream:
        until = time.monotonic() + 2
        while time.monotonic() < until:
            assert stream.state()["id"] == 0
            reads += 1
            time.sleep(0.1)
        there.pause = 0
    return reads > 2


def tried(bridge, there):
    frames = bridge.live("arms")
    types = [next(frames)["type"]]
    there.leave()
    types.append(next(frames)["type"])
    there.later = [408, 429]
    since = time.monotonic()
    types.append(next(frames)["type"])
    waited = time.monotonic() - since
    there.silent = True
    types.append(next(frames)["type"])
    there.silent = False
    since = time.monotonic()
    types.append(next(frames)["type"])
    noticed = time.monotonic() - since
    there.silent = True
    unheard = unreachable(bridge)
    there.silent = False
    no_arm = refused(lambda: JointStream(bridge.arm(7)))
    read_slow = slow(bridge, there)
    there.refuses = True
    told = refused(lambda: next(frames))
    no_token = refused(lambda: JointStream(bridge.arm(0)))
    there.refuses = False
    return {"types": types, "refused": told, "no_arm": no_arm[1], "no_token": no_token[0], "waited": waited >= 2, "unheard": unheard, "noticed": noticed < SILENCE, "slow": read_slow}


async def tried_async(bridge, there):
    frames = bridge.live("arms")
    types = [(await anext(frames))["type"]]
    there.leave()
    types.append((await anext(frames))["type"])
    there.later = [429]
    there.silent = True
    types.append((await anext(frames))["type"])
    there.silent = False
    types.append((await anext(frames))["type"])
    there.refuses = True
    try:
        await anext(frames)
    except Refused as error:
        return {"types": types, "refused": refusal(error)}
    raise AssertionError("not refused")


async def main():
    there = StandIn()
    there.start()
    url = f"http://127.0.0.1:{there.port}"
    with Bridge(url) as bridge:
        seen = tried(bridge, there)
    async with AsyncBridge(url) as bridge:
        print(json.dumps([seen, await tried_async(bridge, there)]))
    there.server.shutdown()


asyncio.run(main())
