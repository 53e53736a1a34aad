"""
How a stop of arm-bridge-client is heard by its own port while the rest of the bridge answers nothing, with await and without, on a
stand-in for both ports; and that a reset waits for a stop that one port has not answered yet. Prints as JSON what the client saw.
"""

import asyncio
import inspect
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from arm_bridge_client import AsyncBridge, Bridge, BridgeError

#: The main port answers no stop for so long, s; a client that waits for it is noticed by half of that.
SILENCE = 60
#: The main port carries a stop out so late, s.
LATE = 0.3
DONE = {"status": "ok", "message": "All arms are stopped.", "robots": [0]}


class Port(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, {"stop_port": self.server.stop_port})

    def do_POST(self):
        self.server.asked.append([self.server.name, self.path])
        if self.server.silent:
            time.sleep(SILENCE)
            return
        if self.server.late and self.path == "/api/v1/stop":
            time.sleep(LATE)
        self.server.done.append([self.server.name, self.path])
        if self.server.refuses:
            self.answer(401, {"detail": "The token is wrong."})
        else:
            self.answer(200, DONE)

    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        headers = {"Content-Type": "application/json", "Content-Length": len(content), "X-Request-Id": "r-1"}
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)


def served(name, asked, done, stop_port=None):
    port = ThreadingHTTPServer(("127.0.0.1", 0), Port)
    port.daemon_threads = True
    port.name, port.asked, port.stop_port = name, asked, stop_port
    port.silent, port.late, port.refuses, port.done = False, False, False, done
    threading.Thread(target=port.serve_forever, daemon=True).start()
    return port


def end(port):
    port.shutdown()
    port.server_close()


async def told(answer):
    return await answer if inspect.isawaitable(answer) else answer


async def fault(bridge):
    try:
        await told(bridge.stop())
    except BridgeError as error:
        return [error.code, error.status]
    raise AssertionError("stopped")


async def tried(kind):
    asked, done = [], []
    own = served("own", asked, done)
    main = served("main", asked, done, own.server_port)
    bridge = kind(f"http://127.0.0.1:{main.server_port}")
    await told(bridge.stop())
    unlearned = list(asked)
    await told(bridge.call("GET", "/api/v1/config"))
    main.late = True
    done.clear()
    await told(bridge.stop())
    await told(bridge.arm("left").reset())
    reset = list(done)
    asked.clear()
    main.silent = True
    since = time.monotonic()
    robots = (await told(bridge.stop()))["robots"] + (await told(bridge.arm("left").stop()))["robots"]
    quick = time.monotonic() - since < SILENCE / 2
    # The one that is not waited for may begin late.
    while len(asked) < 4 and time.monotonic() - since < SILENCE / 2:
        await asyncio.sleep(0.01)
    learned = sorted(asked)
    end(main)
    stopped = (await told(bridge.stop()))["robots"]
    own.refuses = True
    refused = await fault(bridge)
    end(own)
    await told(bridge.close())
    nobody = await fault(kind(f"http://127.0.0.1:{main.server_port}"))
    seen = {"unlearned": unlearned, "reset": reset, "robots": robots, "quick": quick, "learned": learned}
    return {**seen, "stopped": stopped, "refused": refused, "nobody": nobody}


async def main():
    print(json.dumps([await tried(AsyncBridge), await tried(Bridge)]))


asyncio.run(main())
