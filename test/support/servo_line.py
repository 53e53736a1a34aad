"""
What the witnesses of servo buses share: ports of the makers' SDKs that are patient, since a busy machine is not a silent
servo, and a serial line whose far end is this process's own stdin and stdout.
"""

import json
import os
import threading
import tty

PATIENCE_MS = 500


def relayed_terminal() -> str:
    """Device file of a new terminal: bytes written to it go to stdout, bytes from stdin are read from it."""

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
    return os.ttyname(slave)


def report(result: dict) -> None:
    """Hands the result to the test: stdout belongs to the line."""
    os.write(3, json.dumps(result).encode())


def feetech(path: str):
    """Port and packet handler of scservo_sdk."""
    import scservo_sdk as scs

    scs.port_handler.LATENCY_TIMER = PATIENCE_MS
    port = scs.PortHandler(path)
    assert port.openPort() and port.setBaudRate(1_000_000)
    return port, scs.PacketHandler(0)


def dynamixel(path: str):
    """Port and packet handler of dynamixel_sdk."""
    import dynamixel_sdk as dxl

    class PatientPort(dxl.PortHandler):
        def setPacketTimeout(self, packet_length: int) -> None:
            super().setPacketTimeoutMillis(PATIENCE_MS)

        def setPacketTimeoutMillis(self, msec: float) -> None:
            super().setPacketTimeoutMillis(max(PATIENCE_MS, msec))

    port = PatientPort(path)
    assert port.openPort() and port.setBaudRate(1_000_000)
    return port, dxl.PacketHandler(2.0)
