import { type AuditedServo, type Judgement, judgeLimits } from '../audit.ts';
import type { PositionLimits } from '../servo-model.ts';
import { OperatingMode } from './dynamixel-constants.ts';
import type { DynamixelRegister } from './x-series.ts';

/** Bits of the drive mode (register 10): the servo turns in reverse, and a goal switches its torque on. */
const DriveMode = { reverse: 1, torqueByGoal: 8 } as const;
/** Largest time of the bus watchdog, units of 20 ms. */
const MOST_WATCHDOG = 127;
/** Secondary ids from here on disable the feature. */
const NO_SECONDARY_ID = 253;
const FACTORY_SECONDARY_ID = 255;
/** Largest homing offset that a servo obeys in position control mode, steps (e-manual: a larger one is ignored). */
export const SINGLE_TURN_OFFSET = 1024;
export const POSITION_MODES: readonly number[] = [
  OperatingMode.position,
  OperatingMode.extendedPosition,
  OperatingMode.currentBasedPosition,
];

/**
 * True in every mode: all modes but position control count turns, and position control returns to a single turn only at
 * the next torque on.
 */
export function countsTurns(): boolean {
  return true;
}

/** Position limits apply in position control mode only (e-manual, registers 48 and 52). */
export function goalLimits(contents: AuditedServo['contents']): PositionLimits | null {
  if (contents.named('operating_mode') !== OperatingMode.position) return null;
  return { lowest: contents.named('min_position'), highest: contents.named('max_position') };
}

function driveMode({ expected, contents }: AuditedServo): Judgement {
  const found = contents.named('drive_mode');
  const { settings, shadow } = expected;
  const reverse = shadow === null ? ((settings.drive_mode ?? 0) & DriveMode.reverse) !== 0 : shadow.reverse;
  const wanted = (found & ~(DriveMode.reverse | DriveMode.torqueByGoal)) | (reverse ? DriveMode.reverse : 0);
  const means =
    (found & DriveMode.reverse) === (wanted & DriveMode.reverse)
      ? 'a goal would switch its torque on'
      : shadow === null
        ? 'its joint would move the other way'
        : `it would work against servo ${shadow.of}, which it is to follow${reverse ? ' in reverse' : ''}`;
  return { register: 'drive_mode', wanted, severity: 'fault', means, set: 'never' };
}

function secondaryId({ expected: { shadow } }: AuditedServo): Judgement {
  const base = { register: 'secondary_id', severity: 'fault', set: 'never' } as const;
  if (shadow !== null) return { ...base, wanted: shadow.of, means: `it is to follow servo ${shadow.of}` };
  return {
    ...base,
    wanted: FACTORY_SECONDARY_ID,
    accepts: [NO_SECONDARY_ID, FACTORY_SECONDARY_ID],
    means: 'it obeys goals that are meant for the servo with that id',
  };
}

function operatingMode({ expected, contents }: AuditedServo): Judgement[] {
  const found = contents.named('operating_mode');
  const wanted = expected.settings.operating_mode;
  const base = { register: 'operating_mode', set: 'never' } as const;
  if (!POSITION_MODES.includes(found)) {
    const means = 'it holds no position in this mode';
    return [{ ...base, wanted: wanted ?? OperatingMode.position, severity: 'fault', means }];
  }
  if (wanted === undefined) return [];
  const means =
    wanted === OperatingMode.currentBasedPosition
      ? 'it keeps to no largest current in this mode'
      : 'its goals mean something else in this mode';
  return [{ ...base, wanted, severity: 'warning', means }];
}

/** Judges the registers of an X servo that change what a goal means. */
export function audit(servo: AuditedServo): Judgement[] {
  const { model, expected, contents } = servo;
  const { settings } = expected;
  const usual = (register: DynamixelRegister): number => settings[register] ?? model.registers[register]?.initial ?? 0;
  /** An EEPROM limit, and the RAM register that must keep to it and to what the arm's data want. */
  const limit = (register: DynamixelRegister, goal: DynamixelRegister, what: string): Judgement[] => [
    {
      register,
      wanted: usual(register),
      severity: 'note',
      means: `it has another largest ${what} when it gets its supply`,
      set: 'never',
    },
    {
      register: goal,
      wanted: Math.min(usual(register), contents.named(register)),
      severity: 'warning',
      means: `it has another largest ${what}`,
      set: 'limp',
    },
  ];
  const gain = (register: DynamixelRegister, means: string): Judgement => {
    return { register, wanted: usual(register), severity: 'note', means, set: 'limp' };
  };
  const inCurrentMode = contents.named('operating_mode') === OperatingMode.currentBasedPosition;
  const offset = contents.named('homing_offset');
  return [
    // First, because until it is cleared the servo refuses every goal, including `goal_pwm` and `goal_current`.
    {
      register: 'bus_watchdog',
      wanted: 0,
      accepts: [0, MOST_WATCHDOG],
      severity: 'warning',
      means: 'it takes no goal since its bus has fallen silent',
      set: 'always',
    },
    driveMode(servo),
    secondaryId(servo),
    ...operatingMode(servo),
    ...judgeLimits(servo, goalLimits(contents)),
    ...limit('pwm_limit', 'goal_pwm', 'output'),
    ...limit('current_limit', 'goal_current', 'current').filter(
      ({ register }) => register !== 'goal_current' || inCurrentMode,
    ),
    {
      register: 'return_delay',
      wanted: 0,
      severity: 'note',
      means: 'it answers late, which slows the whole bus',
      set: 'never',
    },
    {
      register: 'homing_offset',
      wanted: Math.sign(offset) * SINGLE_TURN_OFFSET,
      accepts:
        contents.named('operating_mode') === OperatingMode.position
          ? [-SINGLE_TURN_OFFSET, SINGLE_TURN_OFFSET]
          : [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
      severity: 'warning',
      means: 'it obeys no offset beyond that in position control mode',
      set: 'never',
      remedy: 'calibrate',
    },
    {
      register: 'startup_configuration',
      wanted: 0,
      severity: 'warning',
      means: 'it switches its torque on, or takes old settings up again, when it gets its supply',
      set: 'never',
    },
    {
      register: 'pwm_slope',
      wanted: usual('pwm_slope'),
      severity: 'note',
      means: 'its output rises at another rate than from the factory',
      set: 'never',
    },
    {
      register: 'shutdown',
      wanted: usual('shutdown'),
      severity: 'note',
      means: 'it switches itself off for other faults than from the factory',
      set: 'never',
    },
    {
      register: 'status_return_level',
      wanted: 2,
      severity: 'warning',
      means: 'it acknowledges no write',
      set: 'always',
    },
    {
      register: 'profile_velocity',
      wanted: 0,
      severity: 'warning',
      means: 'it moves no faster than that, in 0.229 rev/min, whatever it is asked to',
      set: 'limp',
    },
    {
      register: 'profile_acceleration',
      wanted: 0,
      severity: 'warning',
      means: 'it gains and loses speed no faster than that, in 214.577 rev/min^2, also when it is to stop',
      set: 'limp',
    },
    {
      register: 'position_p_gain',
      wanted: usual('position_p_gain'),
      ...(contents.named('position_p_gain') === 0
        ? { severity: 'fault', means: 'with no position gain it would hold nothing' }
        : {
            severity: 'note',
            means: 'it is softer or stiffer than from the factory, which its goals take into account',
          }),
      set: 'limp',
    },
    gain('position_i_gain', 'it winds up differently than from the factory'),
    gain('position_d_gain', 'it is damped differently than from the factory'),
    gain('feedforward_1st_gain', 'it overshoots goals that move'),
    gain('feedforward_2nd_gain', 'it overshoots goals that move'),
  ];
}
