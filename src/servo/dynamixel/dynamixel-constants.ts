/** Dynamixel protocol 2.0 instruction codes (https://emanual.robotis.com/docs/en/dxl/protocol2/). */
export const Instruction = {
  ping: 0x01,
  read: 0x02,
  write: 0x03,
  regWrite: 0x04,
  action: 0x05,
  factoryReset: 0x06,
  reboot: 0x08,
  clear: 0x10,
  status: 0x55,
  syncRead: 0x82,
  syncWrite: 0x83,
  fastSyncRead: 0x8a,
  bulkRead: 0x92,
  bulkWrite: 0x93,
} as const;

/** Every servo listens to this id; only a broadcast ping is answered. */
export const BROADCAST_ID = 0xfe;

/** Largest id a single servo can have. */
export const MAX_ID = 252;

/** Error number of a status packet, its bits 0 to 6: why an instruction was not carried out. */
export const ErrorNumber = {
  resultFail: 1,
  instruction: 2,
  crc: 3,
  dataRange: 4,
  dataLength: 5,
  dataLimit: 6,
  access: 7,
} as const;

/** Bit 7 of a status packet's error byte: the hardware error register says more; the packet's data is still valid. */
export const ALERT = 0x80;

/** Bits of the hardware error status (register 70) and of the shutdown mask (register 63). */
export const HardwareError = {
  inputVoltage: 0x01,
  overheating: 0x04,
  encoder: 0x08,
  electricalShock: 0x10,
  overload: 0x20,
} as const;

/** Contents of the operating mode (register 11). */
export const OperatingMode = {
  current: 0,
  velocity: 1,
  position: 3,
  extendedPosition: 4,
  currentBasedPosition: 5,
  pwm: 16,
} as const;

/** What a factory reset resets. */
export const ResetOption = { all: 0xff, allButId: 0x01, allButIdAndBaudRate: 0x02 } as const;

/** Baud rate of each baud code (register 8). The XL330 ends at 4 Mbaud. */
export const BAUD_RATES: Readonly<Record<number, number>> = {
  0: 9_600,
  1: 57_600,
  2: 115_200,
  3: 1_000_000,
  4: 2_000_000,
  5: 3_000_000,
  6: 4_000_000,
  7: 4_500_000,
};
