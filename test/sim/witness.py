"""Drives a Feetech bus with the reference SDK (scservo_sdk), and reports what the SDK made of the answers."""

import scservo_sdk as scs

import servo_line

port, packets = servo_line.feetech(servo_line.relayed_terminal())
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
servo_line.report(result)
