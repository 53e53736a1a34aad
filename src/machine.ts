/**
 * State machines as tables. A machine is pure data: the effect of each input in each state. Documents and tests are
 * generated from the same table.
 */

/** The effect of an input in a state: the next state, and the effects to carry out. */
export interface Transition<S extends string, E extends string> {
  readonly to: S;
  readonly effects: readonly E[];
}

export interface Machine<S extends string, I extends string, E extends string> {
  readonly name: string;
  /** Meaning of each state. */
  readonly states: Readonly<Record<S, string>>;
  /** Meaning of each input. */
  readonly inputs: Readonly<Record<I, string>>;
  /** Meaning of each effect. */
  readonly effects: Readonly<Record<E, string>>;
  readonly initial: S;
  readonly table: Readonly<Record<S, Readonly<Record<I, Transition<S, E>>>>>;
}

/** A table cell in short form: a state, a state with effects, or null for an input without effect. */
type Cell<S extends string, E extends string> = S | readonly [S, ...E[]] | null;

/** Makes a machine from a table that defines every input in every state. */
export function defineMachine<S extends string, I extends string, E extends string>(definition: {
  readonly name: string;
  readonly states: Readonly<Record<S, string>>;
  readonly inputs: Readonly<Record<I, string>>;
  readonly effects: Readonly<Record<E, string>>;
  readonly initial: NoInfer<S>;
  readonly table: Readonly<Record<NoInfer<S>, Readonly<Record<NoInfer<I>, Cell<NoInfer<S>, NoInfer<E>>>>>>;
}): Machine<S, I, E> {
  const row = (state: S): Readonly<Record<I, Transition<S, E>>> => {
    const cells = Object.entries(definition.table[state]) as [I, Cell<S, E>][];
    return Object.fromEntries(cells.map(([input, cell]) => [input, transition(state, cell)])) as Record<
      I,
      Transition<S, E>
    >;
  };
  const states = Object.keys(definition.states) as S[];
  const table = Object.fromEntries(states.map((state) => [state, row(state)])) as Record<S, ReturnType<typeof row>>;
  return { ...definition, table };
}

function transition<S extends string, E extends string>(state: S, cell: Cell<S, E>): Transition<S, E> {
  if (cell === null) return { to: state, effects: [] };
  if (typeof cell === 'string') return { to: cell, effects: [] };
  const [to, ...effects] = cell;
  return { to, effects };
}

/** A running machine. A step allocates nothing. */
export class Running<S extends string, I extends string, E extends string> {
  readonly machine: Machine<S, I, E>;
  state: S;
  /** When it entered its state, monotonic, s. */
  since: number;

  constructor(machine: Machine<S, I, E>, now = 0) {
    this.machine = machine;
    this.state = machine.initial;
    this.since = now;
  }

  /** @returns effects to carry out, in this order */
  put(input: I, now: number): readonly E[] {
    const { to, effects } = this.machine.table[this.state][input];
    if (to !== this.state) {
      this.state = to;
      this.since = now;
    }
    return effects;
  }
}
