"""
Drives a Feetech bus with rustypot, an independent implementation, over a pseudo terminal.

The other side of the terminal is this process's own stdin and stdout: bytes that rustypot sends go to stdout, bytes from
stdin arrive at it. What it made of the answers goes to file descriptor 3 as one JSON object. Prepared writes are not
among them: rustypot has none for this family; test/sim/witness.py has the makers' SDK do those.
"""

import json
import os
import threading
import tty

import rustypot


def relay(source: int, target: int) -> None:
    while True:
        try:
            data = os.read(source, 4096)
        except OSError:
            return
        if not data:
            return
        os.write(target, data)


master, slave = os.openpty()
tty.setraw(slave)
for source, target in ((master, 1), (0, master)):
    threading.Thread(target=relay, args=(source, target), daemon=True).start()

# Seconds: a busy machine is not a silent servo.
bus = rustypot.Sts3215PyController(os.ttyname(slave), 1_000_000, 2.0)
result = {
    "ping": bus.ping(1),
    "scan": bus.scan([1, 2, 3]),
    "broadcast_scan": bus.broadcast_scan(),
    "voltage": bus.read_register(1, "present_voltage"),
}
bus.write_register(1, "homing_offset", -300)
result["negative"] = bus.read_register(1, "homing_offset")
result["write"] = bus.write_register_with_error(2, "p_coefficient", 16)
bus.sync_write_register([1, 2, 3], "goal_position", [1000, 2000, 3000])
result["sync_read"] = bus.sync_read_register_with_error([1, 2, 3], "goal_position")
bus.sync_write_register([1, 2, 3], "goal_velocity", [-100, 0, 100])
result["velocities"] = bus.sync_read_register([1, 2, 3], "goal_velocity")
result["block"] = bus.read_raw_data(2, 56, 8)
bus.close()

os.write(3, json.dumps(result).encode())
