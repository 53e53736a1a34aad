"""
Drives a Feetech bus with rustypot, an independent implementation, and reports what it made of the answers. Prepared
writes are not among them: rustypot has none for this family; test/sim/witness.py has the makers' SDK do those.
"""

import rustypot

import servo_line

# Seconds: a busy machine is not a silent servo.
bus = rustypot.Sts3215PyController(servo_line.relayed_terminal(), 1_000_000, 2.0)


def scan(ids: list[int]) -> dict[int, int]:
    """All of them, or those that have answered any of 50 scans: a scan of rustypot is not as patient as its other requests."""
    found = {}
    for _ in range(50):
        found |= bus.scan(ids)
        if len(found) == len(ids):
            break
    return found


result = {
    "ping": bus.ping(1),
    "scan": scan([1, 2, 3]),
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

servo_line.report(result)
