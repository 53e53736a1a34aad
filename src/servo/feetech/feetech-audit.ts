import { type AuditedServo, type Judgement, judgeLimits } from '../audit.ts';
import type { PositionLimits } from '../servo-model.ts';
import type { Sts3215Register } from './sts3215.ts';

/**
 * Bits of the phase register (18), from Feetech's memory table: direction of the motor and of the reported position,
 * unit of speeds, whether a speed of 0 means stop or full speed, and whether the position counts turns.
 */
const Phase = { motor: 1, fineSpeed: 4, zeroIsFastest: 8, countsTurns: 16, position: 128 } as const;
/** Dead zones up to this are accepted, steps: the joint does not respond to smaller errors. */
const LARGEST_DEAD_ZONE = 3;
/** Maximum torque, in 0.1 % of the full torque, below which a servo may be too weak to carry its arm. */
const WEAK = 500;

/** Registers with which a servo protects itself: a content other than the wanted one is only a note. */
const PROTECTION: readonly Sts3215Register[] = [
  'unload_condition',
  'minimum_startup_force',
  'protection_current',
  'protective_torque',
  'protection_time',
  'overload_torque',
  'velocity_p',
  'over_current_time',
  'velocity_i',
];

/** Whether the servo's position counts beyond 0..4095; it starts within that range at power-on. */
export function countsTurns(contents: AuditedServo['contents']): boolean {
  return (contents.named('phase') & Phase.countsTurns) !== 0;
}

/** Both limits 0 means that there are none (Feetech's memory table, multi-turn control). */
export function goalLimits(contents: AuditedServo['contents']): PositionLimits | null {
  const lowest = contents.named('min_position');
  const highest = contents.named('max_position');
  return lowest === 0 && highest === 0 ? null : { lowest, highest };
}

/** The wanted phase; bits that describe the servo's electronics stay. */
function wantedPhase(found: number): number {
  const reversed = Phase.motor | Phase.position;
  const phase = (found & ~Phase.countsTurns) | Phase.fineSpeed | Phase.zeroIsFastest;
  // With motor and position both reversed, a servo counts the other way, which calibration finds out. With only one of
  // them reversed, it runs away.
  return (phase & reversed) === reversed ? phase : phase & ~reversed;
}

function phaseOf(found: number): Pick<Judgement, 'severity' | 'means'> {
  const reversed = found & (Phase.motor | Phase.position);
  if (reversed === Phase.motor || reversed === Phase.position) {
    return { severity: 'fault', means: 'its motor and its encoder count in opposite directions, so it would run away' };
  }
  if ((found & Phase.zeroIsFastest) === 0) {
    return { severity: 'fault', means: 'it takes a speed of 0 for standing still, so it would not move' };
  }
  if ((found & Phase.countsTurns) !== 0) {
    return {
      severity: 'warning',
      means: 'its position counts turns from where it got its supply; it is read in the turn that its joint can be in',
    };
  }
  return { severity: 'warning', means: 'its speeds have another unit, so its measured speed is wrong' };
}

/** Judges the registers of an STS servo that change what a goal means. */
export function audit(servo: AuditedServo): Judgement[] {
  const { model, expected, contents } = servo;
  const { settings } = expected;
  const usual = (register: Sts3215Register): number => settings[register] ?? model.registers[register]!.initial!;
  const phase = contents.named('phase');
  const maxTorque = contents.named('max_torque');
  const torqueLimit = Math.min(usual('torque_limit'), settings.max_torque ?? maxTorque);
  /** EEPROM registers are set only if the arm's data name them. */
  const named = (register: Sts3215Register): 'limp' | 'never' => (settings[register] === undefined ? 'never' : 'limp');
  return [
    // First, so that the other writes are acknowledged sooner.
    {
      register: 'return_delay',
      wanted: usual('return_delay'),
      severity: 'note',
      means: 'it answers late, which slows the whole bus',
      set: 'always',
    },
    { register: 'phase', wanted: settings.phase ?? wantedPhase(phase), ...phaseOf(phase), set: 'never' },
    {
      register: 'operating_mode',
      wanted: 0,
      severity: 'fault',
      means: 'it holds no position in this mode',
      set: 'never',
    },
    {
      register: 'angular_resolution',
      wanted: 1,
      severity: 'fault',
      means: 'its steps are of another size, so its joint is not where it seems to be',
      set: 'never',
    },
    {
      register: 'response_level',
      wanted: 1,
      severity: 'warning',
      means: 'it acknowledges no write',
      set: 'always',
    },
    {
      register: 'goal_speed',
      wanted: 0,
      severity: 'warning',
      means: 'it moves no faster than that, in steps per second, whatever it is asked to',
      set: 'limp',
    },
    {
      register: 'acceleration',
      wanted: 0,
      severity: 'warning',
      means: 'it gains and loses speed no faster than that, in 100 steps per second squared, also when it is to stop',
      set: 'limp',
    },
    {
      register: 'goal_time',
      wanted: 0,
      severity: 'warning',
      means: 'it takes that many milliseconds for each goal',
      set: 'limp',
    },
    {
      register: 'max_torque',
      wanted: usual('max_torque'),
      severity: maxTorque < WEAK ? 'warning' : 'note',
      means: 'it has another largest torque when it gets its supply, in 0.1 % of its own',
      set: named('max_torque'),
    },
    {
      register: 'torque_limit',
      wanted: torqueLimit,
      severity: 'warning',
      means: 'it has another largest torque, in 0.1 % of its own',
      set: 'limp',
    },
    {
      register: 'p_coefficient',
      wanted: usual('p_coefficient'),
      ...(contents.named('p_coefficient') === 0
        ? { severity: 'fault', means: 'with no position gain it would hold nothing' }
        : {
            severity: 'note',
            means: 'it is softer or stiffer than from the factory, which its goals take into account',
          }),
      set: named('p_coefficient'),
    },
    {
      register: 'i_coefficient',
      wanted: usual('i_coefficient'),
      severity: 'warning',
      means: 'it winds up on goals that stand off its position by the droop',
      set: 'limp',
    },
    {
      register: 'd_coefficient',
      wanted: usual('d_coefficient'),
      severity: 'note',
      means: 'it is damped differently than from the factory',
      set: named('d_coefficient'),
    },
    ...(['cw_dead_zone', 'ccw_dead_zone'] as const).map(
      (register): Judgement => ({
        register,
        wanted: usual(register),
        accepts: [0, LARGEST_DEAD_ZONE],
        severity: 'warning',
        means: 'it does not answer to smaller errors, in steps',
        set: 'limp',
      }),
    ),
    ...PROTECTION.map(
      (register): Judgement => ({
        register,
        wanted: usual(register),
        severity: 'note',
        means: 'it protects itself differently than the data of the arm want',
        set: named(register),
      }),
    ),
    ...judgeLimits(servo, goalLimits(contents)),
  ];
}
