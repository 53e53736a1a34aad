"""
Opens a serial port with the reference SDK (dynamixel_sdk) as any software would, works with the arm behind it, and
prints what it saw as one JSON object. Arguments: path of the port.
"""

import json
import sys
import time

import dynamixel_sdk as dxl

import servo_line

GOAL, PRESENT, TORQUE, ERRORS, VOLTAGE = 116, 132, 64, 70, 144

port, packets = servo_line.dynamixel(sys.argv[1])
result = {"pings": {servo: packets.ping(port, servo) for servo in (1, 2, 6)}}
result["voltages"] = [packets.read2ByteTxRx(port, servo, VOLTAGE)[0] for servo in (1, 3)]
result["hardware_errors"] = [packets.read1ByteTxRx(port, servo, ERRORS)[0] for servo in (1, 2, 3)]
result["torque_refused"] = packets.write1ByteTxRx(port, 2, TORQUE, 1)

ids = [1, 3, 4, 5]
start = {servo: packets.read4ByteTxRx(port, servo, PRESENT)[0] for servo in ids}
goals = {servo: start[servo] for servo in ids} | {1: start[1] + 150, 5: start[5] - 200}
for address, size, contents in ((GOAL, 4, goals), (TORQUE, 1, dict.fromkeys(ids, 1))):
    writer = dxl.GroupSyncWrite(port, packets, address, size)
    for servo in ids:
        writer.addParam(servo, contents[servo].to_bytes(size, "little"))
    result["sync_write"] = writer.txPacket()

reader = dxl.GroupSyncRead(port, packets, PRESENT, 4)
for servo in ids:
    reader.addParam(servo)
end = time.monotonic() + 20
while True:
    result["sync_read"] = reader.txRxPacket()
    moved = [reader.getData(servo, PRESENT, 4) - start[servo] for servo in (1, 5)]
    if abs(moved[0] - 150) < 20 and abs(moved[1] + 200) < 20 or time.monotonic() > end:
        break
result["moved"] = moved
result["fast_sync_read"] = reader.fastSyncRead()
port.closePort()
print(json.dumps(result))
