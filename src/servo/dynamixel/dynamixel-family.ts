import { type ServoFamily, servoFamily } from '../servo-family.ts';
import { audit, countsTurns, goalLimits, POSITION_MODES, SINGLE_TURN_OFFSET } from './dynamixel-audit.ts';
import { DynamixelBus } from './dynamixel-bus.ts';
import { DynamixelClient } from './dynamixel-client.ts';
import { HardwareError, OperatingMode } from './dynamixel-constants.ts';
import { XL330_M077, XL330_M288, XL430_W250, XM430_W350 } from './x-series.ts';

/** Dynamixel's X servos (protocol 2.0). */
export const DYNAMIXEL: ServoFamily = servoFamily(
  {
    name: 'dynamixel',
    title: 'Dynamixel',
    usualBaudRates: [1_000_000, 57_600],
    adapters: [
      { vendorId: '0403', productId: '6014', name: 'FTDI FT232H (U2D2)', arms: ['wx250s', 'koch'] },
      { vendorId: '2f5d', productId: null, name: 'ROBOTIS OpenRB-150', arms: ['koch'] },
    ],
    makeClient: (port, options) => new DynamixelClient(port, options),
    makeBus: (port, ids) => new DynamixelBus(port, ids),
    // Torque and alarms lie too far from the position for one read.
    reads: {
      position: ['presentPosition'],
      detail: ['presentPosition', 'presentVelocity', 'presentEffort', 'presentVoltage', 'presentTemperature'],
      state: ['torqueEnable', 'alarms'],
      goals: ['goalPosition', 'presentPosition'],
    },
    alarms: {
      texts: [
        [HardwareError.inputVoltage, 'supply voltage out of range'],
        [HardwareError.overheating, 'too hot'],
        [HardwareError.encoder, 'position sensor fault'],
        [HardwareError.electricalShock, 'electrical shock or too little power'],
        [
          HardwareError.overload,
          'overload: take the load off it, then stop the arm and reset it, which brings the servo back',
        ],
      ],
      overload: HardwareError.overload,
      recoverable: 0xff,
      refuseTorque: true,
      endedBy: 'restart',
    },
    positionModes: POSITION_MODES,
    // e-manual, registers 100 and 102: `goal_pwm` limits the output in every mode that holds a position.
    effortLimit({ registers, stallTorque, torquePerEffort }, mode) {
      if (!POSITION_MODES.includes(mode)) return null;
      const { goal_current: current, goal_pwm: output } = registers;
      if (mode === OperatingMode.currentBasedPosition && current !== undefined) {
        return { register: current, torquePerCount: torquePerEffort * current.scale, floating: true };
      }
      // A limited output also limits speed, so it would brake the hand that moves a floating arm.
      return output === undefined
        ? null
        : { register: output, torquePerCount: stallTorque * output.scale, floating: false };
    },
    // ROBOTIS e-manual, register 20.
    homingSign: 1,
    modeFor(mode, offset, wraps) {
      if (mode !== OperatingMode.position) return mode;
      return wraps || Math.abs(offset) > SINGLE_TURN_OFFSET ? OperatingMode.extendedPosition : mode;
    },
    eepromLock: null,
    eepromNeedsLimp: true,
    reverse: { register: 'drive_mode', bit: 1 },
    secondaryId: 'secondary_id',
    // Half a second of silence stops them; the unit is 20 ms.
    watchdog: { register: 'bus_watchdog', counts: 25 },
    acknowledgement: { register: 'status_return_level', counts: 2 },
    auditBlocks: [
      [64, 83],
      [0, 64],
    ],
    audit,
    countsTurns,
    // ROBOTIS e-manual, register 132: in the position mode too it counts on until torque is switched on.
    jumpsAtTurn: false,
    goalLimits,
  },
  [XL330_M288, XL330_M077, XL430_W250, XM430_W350],
);
