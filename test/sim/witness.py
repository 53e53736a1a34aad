"""
Drives a Feetech bus with the reference SDK (scservo_sdk) over a pseudo terminal.

The other side of the terminal is this process's own stdin and stdout: bytes that the SDK sends go to stdout, bytes
from stdin arrive at the SDK. What the SDK made of the answers goes to file descriptor 3 as one JSON object.
"""

import json
import os
import threading
import tty

import scservo_sdk as scs


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

# Half a second instead of 16 ms: a busy machine is not a silent servo.
scs.port_handler.LATENCY_TIMER = 500

port = scs.PortHandler(os.ttyname(slave))
assert port.openPort() and port.setBaudRate(1_000_000)
packets = scs.PacketHandler(0)
result = {}

result["ping"] = packets.ping(port, 1)
result["ping_missing"] = packets.ping(port, 9)[1] == scs.COMM_RX_TIMEOUT
result["model"] = packets.read2ByteTxRx(port, 2, 3)
result["write"] = packets.write1ByteTxRx(port, 3, 41, 50)
result["acceleration"] = packets.read1ByteTxRx(port, 3, 41)
result["id_change"] = packets.write1ByteTxRx(port, 6, 5, 16)
result["new_id"] = packets.read1ByteTxRx(port, 16, 5)

ids = [1, 2, 3, 4, 5]
writer = scs.GroupSyncWrite(port, packets, 42, 2)
for servo in ids:
    goal = 2000 + servo
    writer.addParam(servo, [scs.SCS_LOBYTE(goal), scs.SCS_HIBYTE(goal)])
result["sync_write"] = writer.txPacket()

reader = scs.GroupSyncRead(port, packets, 42, 2)
for servo in ids:
    reader.addParam(servo)
result["sync_read"] = reader.txRxPacket()
result["goals"] = [reader.getData(servo, 42, 2) for servo in ids if reader.isAvailable(servo, 42, 2)]

packets.regWriteTxRx(port, 1, 46, 2, [100, 0])
result["before_action"] = packets.read2ByteTxRx(port, 1, 46)[0]
packets.action(port, scs.BROADCAST_ID)
result["after_action"] = packets.read2ByteTxRx(port, 1, 46)[0]

port.closePort()
os.write(3, json.dumps(result).encode())
