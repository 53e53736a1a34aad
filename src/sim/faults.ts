import { MAX_ID } from '../servo/feetech/feetech-constants.ts';
import type { GearOptions } from './gear.ts';
import type { ServoFault } from './servo-faults.ts';
import type { SimFault } from './servo-line.ts';

/** The faults of a served arm, and the timing of its line. */
export interface FaultPlan extends Omit<SimFault, 'powerCycle' | 'volts' | 'stall' | 'unplugged'> {
  readonly dead: readonly number[];
  readonly servos: Readonly<Record<number, ServoFault>>;
  /** Supply of the arm, V; null: the servos' nominal supply. */
  readonly voltage: number | null;
  /** Extra delay of each reply, s. */
  readonly delay: number;
  /** Unplugs the adapter `after` s from the start and plugs it in again `duration` s later; null: never. */
  readonly unplug: { readonly after: number; readonly duration: number } | null;
  /** Interval between stalls of the adapter, s; null: never. */
  readonly stalls: number | null;
  /** Interval between supply failures of all servos, s; null: never. */
  readonly brownOuts: number | null;
  /** Baud rate of the line; null: transfers take no time. */
  readonly baudRate: number | null;
  /** Interval at which the adapter hands over received bytes, s; 0: each reply once it is complete. */
  readonly interval: number;
  /** Initial return delay of every servo, s; null: the factory's. */
  readonly returnDelay: number | null;
  readonly gear: GearOptions;
}

/** An arm without faults on a line that takes no time. */
export const NO_FAULTS: FaultPlan = {
  dead: [],
  servos: {},
  voltage: null,
  delay: 0,
  unplug: null,
  stalls: null,
  brownOuts: null,
  baudRate: null,
  interval: 0,
  returnDelay: null,
  gear: {},
};

/** An invalid fault switch; the message names the switch and the allowed values. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
}

interface Switch {
  /** Placeholder of the value in the help text. */
  readonly value: string;
  readonly help: string;
  /** @throws {FaultError} through `number` */
  readonly apply: (plan: FaultPlan, number: NumberReader, value: string) => FaultPlan;
}

/** Parses the value as one number within limits. */
type NumberReader = (min: number, max: number, whole?: boolean) => number;

/** Default time that the adapter stays unplugged, s. */
const UNPLUGGED = 2;
/** Duration of an adapter stall and of a supply failure, s. */
export const STALL = 0.3;
export const BROWN_OUT = 0.12;
/** Largest return delay that the registers of both families can hold, us. */
const MAX_RETURN_DELAY = 508;
/** Shares for switches that only set an amount: late requests and replies, and wrong readings. */
const LATE_SHARE = 0.2;
const WRONG_SHARE = 0.01;
/** Positions per turn at which a back-driven STS3215 tends to rest. */
const DETENTS = 29;
const DEGREE = Math.PI / 180;
/** ID:NAME:VALUE */
const REGISTER = /^(\d+):([a-z][a-z0-9_]*):(-?\d+)$/;

function share(text: string, apply: (plan: FaultPlan, part: number) => FaultPlan): Switch {
  return { value: 'SHARE', help: `${text}, 0..1`, apply: (plan, number) => apply(plan, number(0, 1)) };
}

function servo(text: string, fault: ServoFault): Switch {
  return {
    value: 'ID',
    help: text,
    apply: (plan, number) => ({ ...plan, servos: withServo(plan.servos, number(0, MAX_ID, true), fault) }),
  };
}

function withServo(servos: FaultPlan['servos'], id: number, fault: ServoFault): FaultPlan['servos'] {
  const before = servos[id] ?? {};
  const registers = { ...before.registers, ...fault.registers };
  const misreads = { ...before.misreads, ...fault.misreads };
  return { ...servos, [id]: { ...before, ...fault, registers, misreads } };
}

const SWITCHES: Readonly<Record<string, Switch>> = {
  lose: share('share of replies that never arrive', (plan, loseRate) => ({ ...plan, loseRate })),
  corrupt: share('share of replies with a flipped bit', (plan, corruptRate) => ({ ...plan, corruptRate })),
  double: share('share of replies that come twice', (plan, doubleRate) => ({ ...plan, doubleRate })),
  miss: share('share of requests that one servo by itself does not understand', (plan, missRate) => ({
    ...plan,
    missRate,
  })),
  'lose-requests': share('share of requests that never arrive', (plan, loseRate) => ({
    ...plan,
    requests: { ...plan.requests, loseRate },
  })),
  'corrupt-requests': share('share of requests with a flipped bit', (plan, corruptRate) => ({
    ...plan,
    requests: { ...plan.requests, corruptRate },
  })),
  'double-requests': share('share of requests that come twice', (plan, doubleRate) => ({
    ...plan,
    requests: { ...plan.requests, doubleRate },
  })),
  delay: {
    value: 'MS',
    help: 'every reply comes that much later',
    apply: (plan, number) => ({ ...plan, delay: number(0, 10_000) / 1000 }),
  },
  late: {
    value: 'MS',
    help: 'each fifth request and reply comes up to that much later',
    apply: (plan, number) => {
      const late = { lateRate: LATE_SHARE, lateness: number(0, 10_000) / 1000 };
      return { ...plan, requests: { ...plan.requests, ...late }, replies: late };
    },
  },
  dead: {
    value: 'ID',
    help: 'servo that neither obeys nor answers',
    apply: (plan, number) => ({ ...plan, dead: [...plan.dead, number(0, MAX_ID, true)] }),
  },
  deaf: servo('servo that acknowledges goals and forgets them', { ignoresGoals: true }),
  frozen: servo('servo whose position stays as it is told first', { frozen: true }),
  spikes: servo('servo whose position is told 105 degrees wrong in one reading of a hundred', {
    misreads: { position: { share: WRONG_SHARE, by: 105 * DEGREE } },
  }),
  hot: servo('servo whose temperature is told 175 degrees wrong in one reading of a hundred', {
    misreads: { temperature: { share: WRONG_SHARE, by: 175 } },
  }),
  overload: servo('servo whose overload alarm is on: until its torque is off, a Dynamixel until it is restarted', {
    overload: true,
  }),
  register: {
    value: 'ID:NAME:VALUE',
    help: 'register content (counts) that another program left: goal_speed, max_position, id, model_number, ...',
    apply: (plan, _, value) => {
      const [, id, name, content] = REGISTER.exec(value) ?? [];
      if (name === undefined) throw new FaultError(`fault "register=${value}": register takes ID:NAME:VALUE`);
      const registers = { [name]: Number(content) };
      return { ...plan, servos: withServo(plan.servos, Number(id), { registers }) };
    },
  },
  voltage: {
    value: 'V',
    help: 'supply of all servos; STS3215 of 7.4 V bear 4.0 to 8.0, XL330 3.5 to 7.0, XL430 6.0 to 14.0',
    apply: (plan, number) => ({ ...plan, voltage: number(1, 30) }),
  },
  'brown-outs': {
    value: 'SECONDS',
    help: `interval at which the supply of all servos is gone for ${BROWN_OUT} s`,
    apply: (plan, number) => ({ ...plan, brownOuts: number(0.5, 86_400) }),
  },
  stalls: {
    value: 'SECONDS',
    help: `interval at which the adapter is stuck for ${STALL} s`,
    apply: (plan, number) => ({ ...plan, stalls: number(0.5, 86_400) }),
  },
  unplug: {
    value: 'SECONDS',
    help: `time from the start after which the port goes away, to come back ${UNPLUGGED} s later`,
    apply: (plan, number) => ({ ...plan, unplug: { after: number(0, 86_400), duration: UNPLUGGED } }),
  },
  wire: {
    value: 'BAUD',
    help: 'gives every byte its time on the line, and servos their turn-around',
    apply: (plan, number) => ({ ...plan, baudRate: number(1200, 4_500_000, true) }),
  },
  interval: {
    value: 'US',
    help: 'the adapter hands over bytes at this interval, as USB does; with wire alone',
    apply: (plan, number) => ({ ...plan, interval: number(0, 20_000) / 1e6 }),
  },
  'return-delay': {
    value: 'US',
    help: 'return delay that the servos start with (register 7, Dynamixel 9); the factory of many sets 500',
    apply: (plan, number) => ({ ...plan, returnDelay: number(0, MAX_RETURN_DELAY) / 1e6 }),
  },
  backlash: {
    value: 'DEGREES',
    help: 'play of each gear; about 1 in an STS3215',
    apply: (plan, number) => ({ ...plan, gear: { ...plan.gear, backlash: number(0, 10) * DEGREE } }),
  },
  detents: {
    value: 'NM',
    help: `torque by which each joint is drawn to one of ${DETENTS} places of a turn`,
    apply: (plan, number) => ({ ...plan, gear: { ...plan.gear, detents: { perTurn: DETENTS, torque: number(0, 2) } } }),
  },
};

/** One line per switch, for a help text. */
export const FAULT_HELP: readonly string[] = Object.entries(SWITCHES).map(
  ([name, { value, help }]) => `${`${name}=${value}`.padEnd(22)} ${help}`,
);

/**
 * Parses one switch, such as `lose=0.01`, and adds it to a plan. If a switch repeats, the last one counts; switches
 * that name servos accumulate.
 * @throws {FaultError}
 */
export function addFault(text: string, plan: FaultPlan = NO_FAULTS): FaultPlan {
  const mark = text.indexOf('=');
  const name = mark < 0 ? text : text.slice(0, mark);
  const value = mark < 0 ? '' : text.slice(mark + 1);
  const known = Object.hasOwn(SWITCHES, name) ? SWITCHES[name] : undefined;
  if (!known) throw new FaultError(`there is no fault "${name}"; there are ${Object.keys(SWITCHES).join(', ')}`);
  const read: NumberReader = (min, max, whole = false) => {
    const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max) || (whole && !Number.isInteger(number))) {
      const kind = whole ? 'a whole number' : 'a number';
      throw new FaultError(`fault "${text}": ${name}=${known.value} takes ${kind} from ${min} to ${max}`);
    }
    return number;
  };
  return known.apply(plan, read, value);
}
