import { type ServoFamily, servoFamily } from '../servo-family.ts';
import { audit, countsTurns, goalLimits } from './feetech-audit.ts';
import { FeetechBus } from './feetech-bus.ts';
import { FeetechClient } from './feetech-client.ts';
import { StatusBit } from './feetech-constants.ts';
import { STS3215 } from './sts3215.ts';
import { STS3250 } from './sts3250.ts';

/** Feetech's STS servos (SCS protocol). */
export const FEETECH: ServoFamily = servoFamily(
  {
    name: 'feetech',
    title: 'Feetech',
    usualBaudRates: [1_000_000],
    adapters: [
      { vendorId: '1a86', productId: '55d3', name: 'WCH CH343', arms: ['so101', 'so100'] },
      { vendorId: '1a86', productId: '7523', name: 'WCH CH340', arms: [] },
    ],
    makeClient: (port, options) => new FeetechClient(port, options),
    makeBus: (port, ids) => new FeetechBus(port, ids),
    // These registers are adjacent, so every read includes the position.
    reads: {
      position: ['presentPosition'],
      detail: ['presentPosition', 'presentVelocity', 'presentEffort', 'presentVoltage', 'presentTemperature', 'alarms'],
      state: ['torqueEnable', 'goalPosition', 'presentPosition'],
      goals: null,
    },
    alarms: {
      texts: [
        [StatusBit.voltage, 'supply voltage out of range'],
        [StatusBit.positionSensor, 'position sensor fault'],
        [StatusBit.temperature, 'too hot'],
        [StatusBit.current, 'too much current'],
        [StatusBit.angle, 'angle out of range'],
        [
          StatusBit.overload,
          'overload: take the load off it, then stop the arm and reset it, which brings the servo back',
        ],
      ],
      overload: StatusBit.overload,
      recoverable: StatusBit.current | StatusBit.overload,
      refuseTorque: false,
      // No instruction restarts a servo.
      endedBy: 'torque off',
    },
    positionModes: [0],
    effortLimit({ registers, torquePerEffort }, mode) {
      const register = registers.torque_limit;
      if (mode !== 0 || register === undefined) return null;
      return { register, torquePerCount: torquePerEffort * register.scale, floating: false };
    },
    // Feetech memory table, register 31.
    homingSign: -1,
    // The encoder wrap moves along with the offset.
    modeFor: (mode) => mode,
    eepromLock: { register: 'lock', open: 0, closed: 1 },
    eepromNeedsLimp: false,
    reverse: null,
    secondaryId: null,
    watchdog: null,
    acknowledgement: { register: 'response_level', counts: 1 },
    // No length equals that of a probe (`exchange.ts`), so a late answer to one of these cannot pass for a probe's
    // answer.
    auditBlocks: [
      [36, 36],
      [0, 40],
    ],
    audit,
    countsTurns,
    jumpsAtTurn: true,
    goalLimits,
  },
  [STS3215, STS3250],
);
