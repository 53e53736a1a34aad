"""
Drives a Dynamixel bus with the reference SDK (dynamixel_sdk) and with rustypot, and reports what they made of the
answers, and their own control tables.
"""

import dynamixel_sdk as dxl
import rustypot
from dynamixel_easy_sdk.control_table import ControlTable

import servo_line

BROADCAST = 254

path = servo_line.relayed_terminal()
port, packets = servo_line.dynamixel(path)
result = {}

result["ping"] = packets.ping(port, 1)
result["ping_missing"] = packets.ping(port, 9)[1] == dxl.COMM_RX_TIMEOUT
result["broadcast_ping"] = packets.broadcastPing(port)
result["model"] = packets.read2ByteTxRx(port, 2, 0)
result["write"] = packets.write1ByteTxRx(port, 3, 65, 1)
result["led"] = packets.read1ByteTxRx(port, 3, 65)
result["id_change"] = packets.write1ByteTxRx(port, 6, 7, 16)
result["new_id"] = packets.read1ByteTxRx(port, 16, 7)
result["range"] = packets.write1ByteTxRx(port, 1, 11, 2)
result["limit"] = packets.write4ByteTxRx(port, 1, 116, 5000)
result["read_only"] = packets.write4ByteTxRx(port, 1, 132, 5)

# Bytes that must be stuffed on the way in and on the way out: FF FF FD FF.
packets.write1ByteTxRx(port, 5, 11, 4)
result["stuffed_write"] = packets.write4ByteTxRx(port, 5, 116, 0xFFFDFFFF)
result["stuffed_read"] = packets.read4ByteTxRx(port, 5, 116)

result["torque"] = packets.write1ByteTxRx(port, 1, 64, 1)
result["eeprom_under_torque"] = packets.write1ByteTxRx(port, 1, 11, 4)

ids = [1, 2, 3, 4]
writer = dxl.GroupSyncWrite(port, packets, 116, 4)
for servo in ids:
    writer.addParam(servo, (2000 + servo).to_bytes(4, "little"))
result["sync_write"] = writer.txPacket()

reader = dxl.GroupSyncRead(port, packets, 116, 4)
for servo in ids:
    reader.addParam(servo)
result["sync_read"] = reader.txRxPacket()
result["goals"] = [reader.getData(servo, 116, 4) for servo in ids if reader.isAvailable(servo, 116, 4)]
result["fast_sync_read"] = reader.fastSyncRead()
result["fast_goals"] = [reader.getData(servo, 116, 4) for servo in ids if reader.isAvailable(servo, 116, 4)]

result["reg_write"] = packets.regWriteTxRx(port, 2, 116, 4, list((1500).to_bytes(4, "little")))
result["before_action"] = packets.read4ByteTxRx(port, 2, 116)[0]
result["registered"] = packets.read1ByteTxRx(port, 2, 69)[0]
packets.action(port, BROADCAST)
result["after_action"] = packets.read4ByteTxRx(port, 2, 116)[0]

bulk = dxl.GroupBulkRead(port, packets)
bulk.addParam(1, 116, 4)
bulk.addParam(3, 65, 1)
result["bulk_read"] = bulk.txRxPacket()
result["bulk"] = [bulk.getData(1, 116, 4), bulk.getData(3, 65, 1)]

bulk_writer = dxl.GroupBulkWrite(port, packets)
bulk_writer.addParam(2, 112, 4, (30).to_bytes(4, "little"))
bulk_writer.addParam(3, 65, 1, bytes([0]))
result["bulk_write"] = bulk_writer.txPacket()
result["bulk_written"] = [packets.read4ByteTxRx(port, 2, 112)[0], packets.read1ByteTxRx(port, 3, 65)[0]]

result["reboot"] = packets.reboot(port, 1)
result["torque_after_reboot"] = packets.read1ByteTxRx(port, 1, 64)
result["factory_reset"] = packets.factoryReset(port, 5, 0x02)
result["after_reset"] = packets.read1ByteTxRx(port, 5, 11)
port.closePort()

rust = rustypot.Xl330PyController(path, 1_000_000, 2.0)


def scan(tries=20):
    """It waits for milliseconds only, whatever its port is set to; a busy computer may take longer to answer."""
    found = rust.scan([1, 2])
    return found if len(found) == 2 or tries == 1 else scan(tries - 1)


rust_result = {
    "ping": [rust.ping(1), rust.ping(16)],
    "scan": scan(),
    "write": rust.write_register_with_error(2, "goal_position", 1024),
    "read": rust.read_register(2, "goal_position"),
    "negative": (rust.write_register(3, "homing_offset", -77), rust.read_register(3, "homing_offset"))[1],
}
rust.sync_write_register([1, 2, 3], "goal_current", [100, -200, 300])
rust_result["sync_read"] = rust.sync_read_register([1, 2, 3], "goal_current")
rust_result["refusal"] = rust.write_raw_data_with_error(1, 132, [1, 2, 3, 4])
rust_result["reboot"] = rust.reboot(2)
rust.close()
result["rustypot"] = rust_result

result["sdk_tables"] = {
    number: {name: [item.address, item.size] for name, item in ControlTable.getControlTable(number).items()}
    for number in (1020, 1060, 1190, 1200)
}
result["rustypot_tables"] = {
    controller.__name__: [[entry.name, entry.addr, entry.size] for entry in controller.registers()]
    for controller in (rustypot.Xl330PyController, rustypot.Xl430PyController, rustypot.Sts3215PyController)
}

servo_line.report(result)
