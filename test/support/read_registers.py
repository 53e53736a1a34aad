"""
Reads registers with the maker's SDK and prints their contents, unsigned, as a JSON list.

Arguments: feetech or dynamixel, path of the port ("-": this process's own stdin and stdout, and the list goes to the test), and
an ID:ADDRESS:SIZE for each register.
"""

import json
import sys

import servo_line

# A busy machine is not a silent servo.
ATTEMPTS = 10

family, path, *registers = sys.argv[1:]
relayed = path == "-"
port, packets = getattr(servo_line, family)(servo_line.relayed_terminal() if relayed else path)
readers = {1: packets.read1ByteTxRx, 2: packets.read2ByteTxRx, 4: packets.read4ByteTxRx}
contents = []
for register in registers:
    servo, address, size = map(int, register.split(":"))
    for _ in range(ATTEMPTS):
        content, outcome, _ = readers[size](port, servo, address)
        if outcome == 0:
            break
    assert outcome == 0, f"{register}: {packets.getTxRxResult(outcome)}"
    contents.append(content)
port.closePort()
if relayed:
    servo_line.report(contents)
else:
    print(json.dumps(contents))
