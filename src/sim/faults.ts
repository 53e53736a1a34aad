import { MAX_ID } from '../servo/feetech/feetech-constants.ts';
import type { SimFault } from './sim-messages.ts';

/** What goes wrong on a served arm, and how much time its line takes. */
export interface FaultPlan extends Required<Omit<SimFault, 'powerCycle'>> {
  /** Servos with an overload alarm at the start. */
  readonly overload: readonly number[];
  /** Supply of the arm, V; null for the servos' nominal one. */
  readonly voltage: number | null;
  /** Time that each reply is late, s. */
  readonly delay: number;
  /** The adapter is pulled out so long after the start, and put in again so long after that, s; null for never. */
  readonly unplug: { readonly after: number; readonly duration: number } | null;
  /** Rate of the line, baud; null for a line that takes no time. */
  readonly baudRate: number | null;
  /** Return delay that every servo starts with, s; null for the factory's. */
  readonly returnDelay: number | null;
}

/** An arm with nothing wrong on a line that takes no time. */
export const NO_FAULTS: FaultPlan = {
  loseRate: 0,
  corruptRate: 0,
  dead: [],
  overload: [],
  voltage: null,
  delay: 0,
  unplug: null,
  baudRate: null,
  returnDelay: null,
};

/** A fault switch that cannot be understood; the message names it and says what is allowed. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
}

interface Switch {
  /** What follows the name, for people. */
  readonly value: string;
  readonly help: string;
  /** @throws {FaultError} through `number` */
  readonly apply: (plan: FaultPlan, number: NumberReader) => FaultPlan;
}

/** Reads the value as one number within limits. */
type NumberReader = (min: number, max: number, whole?: boolean) => number;

/** Time from pulling the adapter out to putting it in again when none is named, s. */
const UNPLUGGED = 2;
/** Largest return delay that the registers of both families hold, us. */
const MAX_RETURN_DELAY = 508;

const SWITCHES: Readonly<Record<string, Switch>> = {
  lose: {
    value: 'SHARE',
    help: 'share of replies that never arrive, 0..1',
    apply: (plan, number) => ({ ...plan, loseRate: number(0, 1) }),
  },
  corrupt: {
    value: 'SHARE',
    help: 'share of replies with a flipped bit, 0..1',
    apply: (plan, number) => ({ ...plan, corruptRate: number(0, 1) }),
  },
  delay: {
    value: 'MS',
    help: 'every reply comes that much later',
    apply: (plan, number) => ({ ...plan, delay: number(0, 10_000) / 1000 }),
  },
  dead: {
    value: 'ID',
    help: 'servo that neither obeys nor answers',
    apply: (plan, number) => ({ ...plan, dead: [...plan.dead, number(0, MAX_ID, true)] }),
  },
  overload: {
    value: 'ID',
    help: 'servo whose overload alarm is on: until its torque is off, a Dynamixel until it is restarted',
    apply: (plan, number) => ({ ...plan, overload: [...plan.overload, number(0, MAX_ID, true)] }),
  },
  voltage: {
    value: 'V',
    help: 'supply of all servos; STS3215 of 7.4 V bear 4.0 to 8.0, XL330 3.5 to 7.0, XL430 6.0 to 14.0',
    apply: (plan, number) => ({ ...plan, voltage: number(1, 30) }),
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
  'return-delay': {
    value: 'US',
    help: 'return delay that the servos start with (register 7, Dynamixel 9); the factory of many sets 500',
    apply: (plan, number) => ({ ...plan, returnDelay: number(0, MAX_RETURN_DELAY) / 1e6 }),
  },
};

/** One line for each switch, for a help text. */
export const FAULT_HELP: readonly string[] = Object.entries(SWITCHES).map(
  ([name, { value, help }]) => `${`${name}=${value}`.padEnd(17)} ${help}`,
);

/**
 * Understands one switch, such as `lose=0.01`, and adds it to what went before; of the same switch twice the last one
 * counts, but `dead` and `overload` add up.
 * @throws {FaultError}
 */
export function addFault(text: string, plan: FaultPlan = NO_FAULTS): FaultPlan {
  const mark = text.indexOf('=');
  const name = mark < 0 ? text : text.slice(0, mark);
  const value = mark < 0 ? '' : text.slice(mark + 1);
  const known = Object.hasOwn(SWITCHES, name) ? SWITCHES[name] : undefined;
  if (!known) throw new FaultError(`there is no fault "${name}"; there are ${Object.keys(SWITCHES).join(', ')}`);
  return known.apply(plan, (min, max, whole = false) => {
    const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max) || (whole && !Number.isInteger(number))) {
      const kind = whole ? 'a whole number' : 'a number';
      throw new FaultError(`fault "${text}": ${name}=${known.value} takes ${kind} from ${min} to ${max}`);
    }
    return number;
  });
}
