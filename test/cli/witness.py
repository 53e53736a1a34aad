"""
Opens a serial port with the reference SDK (scservo_sdk) as any software would, works with the arm behind it, and
prints what it saw as one JSON object. Arguments: path of the port.
"""

import json
import sys
import time

import scservo_sdk as scs

import servo_line

port, packets = servo_line.feetech(sys.argv[1])
result = {"pings": {servo: packets.ping(port, servo) for servo in (1, 2, 6)}}
result["voltage"] = packets.read1ByteTxRx(port, 1, 62)[0]

ids = [1, 2, 3, 4, 5]
goals = {1: 2150, 2: 2048, 3: 2048, 4: 2048, 5: 1900}
writer = scs.GroupSyncWrite(port, packets, 42, 2)
for servo, goal in goals.items():
    writer.addParam(servo, [scs.SCS_LOBYTE(goal), scs.SCS_HIBYTE(goal)])
result["sync_write"] = writer.txPacket()

reader = scs.GroupSyncRead(port, packets, 56, 2)
for servo in ids:
    reader.addParam(servo)
end = time.monotonic() + 20
while True:
    result["sync_read"] = reader.txRxPacket()
    positions = [reader.getData(servo, 56, 2) for servo in ids]
    if abs(positions[0] - 2150) < 15 and abs(positions[4] - 1900) < 15 or time.monotonic() > end:
        break
result["positions"] = positions
port.closePort()
print(json.dumps(result))
