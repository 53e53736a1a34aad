/** Feetech SCS/STS instruction codes (Feetech memory table and SCServo protocol manual). */
export const Instruction = {
  ping: 0x01,
  read: 0x02,
  write: 0x03,
  regWrite: 0x04,
  action: 0x05,
  syncRead: 0x82,
  syncWrite: 0x83,
} as const;

/** Every servo listens to this id; only a broadcast ping is answered. */
export const BROADCAST_ID = 0xfe;

/** Largest id a single servo can have (0xFD is the last below broadcast; the SDK reserves it). */
export const MAX_ID = 0xfc;

/** Bits of a status packet's error byte and of register 65: alarms, the data of the same reply is still valid. */
export const StatusBit = {
  voltage: 1,
  positionSensor: 2,
  temperature: 4,
  current: 8,
  angle: 16,
  overload: 32,
} as const;

/**
 * Baud rate of each baud code (register 6). The memory table spreadsheet gives 76800, 57600 and 38400 for 5 to 7;
 * LeRobot and rustypot, which both talk to real servos, give these.
 */
export const BAUD_RATES: Readonly<Record<number, number>> = {
  0: 1_000_000,
  1: 500_000,
  2: 250_000,
  3: 128_000,
  4: 115_200,
  5: 57_600,
  6: 38_400,
  7: 19_200,
};
