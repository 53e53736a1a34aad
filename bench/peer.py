"""
Drives emulated servos by somebody else's client, as its documentation shows, and prints what it measured as JSON.

Arguments: client (scservo_sdk, dynamixel_sdk, rustypot), family (feetech, dynamixel), seconds, then one device file for a
sync read and a sync write in turn, or two for reading leader and follower and writing the follower.
"""

import json
import sys
import time

IDS = [1, 2, 3, 4, 5, 6]
WARM_UP = 1.0
# A line is silent when nothing has come for so long, s.
SILENCE = 0.005

client, family, seconds, *paths = sys.argv[1:]
position, goal, size = (56, 42, 2) if family == "feetech" else (132, 116, 4)


class Sdk:
    """The makers' SDKs, which are alike."""

    def __init__(self, path):
        if client == "scservo_sdk":
            import scservo_sdk as sdk

            handler = sdk.PacketHandler(0)
        else:
            import dynamixel_sdk as sdk

            handler = sdk.PacketHandler(2.0)
        port = sdk.PortHandler(path)
        assert port.openPort() and port.setBaudRate(1_000_000)
        self.reader = sdk.GroupSyncRead(port, handler, position, size)
        for servo in IDS:
            self.reader.addParam(servo)
        self.writer = sdk.GroupSyncWrite(port, handler, goal, size)

    def read(self):
        if self.reader.txRxPacket() != 0:
            # The SDKs leave replies that come too late where they are, and take them for answers to the next request.
            line = self.reader.port.ser
            time.sleep(SILENCE)
            while line.in_waiting:
                line.reset_input_buffer()
                time.sleep(SILENCE)
            return None
        return [self.reader.getData(servo, position, size) for servo in IDS]

    def write(self, goals):
        self.writer.clearParam()
        for servo, value in zip(IDS, goals):
            self.writer.addParam(servo, list(value.to_bytes(size, "little")))
        self.writer.txPacket()


class Rustypot:
    def __init__(self, path):
        import rustypot

        make = rustypot.Sts3215PyController if family == "feetech" else rustypot.Xl330PyController
        self.bus = make(path, 1_000_000, 0.01)

    def read(self):
        try:
            return self.bus.sync_read_raw_present_position(IDS)
        except (RuntimeError, OSError):
            return None

    def write(self, goals):
        self.bus.sync_write_raw_goal_position(IDS, goals)


make = Rustypot if client == "rustypot" else Sdk
follower, *leaders = [make(path) for path in reversed(paths)]
periods, ages = [], []
skipped = 0


def run(duration, keep):
    global skipped
    end = time.perf_counter() + duration
    began = time.perf_counter()
    while began < end:
        goals = leaders[0].read() if leaders else None
        measured = follower.read()
        if not leaders:
            goals = measured
        if goals is not None and measured is not None:
            follower.write(goals)
            if keep:
                ages.append(time.perf_counter() - began)
        elif keep:
            skipped += 1
        now = time.perf_counter()
        if keep:
            periods.append(now - began)
        began = now


run(min(WARM_UP, float(seconds)), False)
clock, cpu = time.perf_counter(), time.process_time()
run(float(seconds), True)
took, used = time.perf_counter() - clock, time.process_time() - cpu
report = {"cycles": len(periods), "seconds": took, "cpu": used, "periods": sorted(periods), "ages": sorted(ages)}
print(json.dumps({**report, "sent": 0, "skipped": skipped, "heap": None}))
