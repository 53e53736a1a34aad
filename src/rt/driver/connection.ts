import { defineMachine, Running } from '../../machine.ts';

const FIRST_BACK_OFF = 0.1;
const LONGEST_BACK_OFF = 5;

/** Connects an arm to its servos and reconnects it. The port has one request at a time; its answer ends the wait. */
export const CONNECTION = defineMachine({
  name: 'Connection',
  states: {
    detached: 'a client has disconnected the arm; the bridge leaves its bus alone',
    closed: 'waits for the next try to open the port',
    opening: 'the port is being opened',
    unchecked: 'the port is open; waits for the next check of the servos',
    checking: 'models and settings of the servos are read',
    up: 'servos are read and written in each cycle',
    renewing:
      'before a limp arm gets torque its servos are checked again, since somebody may have set or restarted one meanwhile',
    dropped: 'the port has disappeared, and its answer is still pending',
    leaving: 'the arm is being disconnected, and an answer of the port is still pending',
  },
  inputs: {
    due: 'the wait is over',
    opened: 'the port is open',
    failed: 'the port did not open, or the check found a fault',
    checked: 'the check found all servos correct',
    lost: 'the port has disappeared',
    doubt: 'the state of the servos is no longer known',
    renew: 'torque of a limp arm is requested',
    detach: 'a client disconnects the arm',
    attach: 'a client connects the arm',
  },
  effects: {
    open: 'open the port',
    check: 'check the servos',
    take: 'adopt the result of the check',
    settle: 'end the pending read without an answer',
    delay: 'wait before the next try, twice as long as last time',
    hurry: 'try at once, and reset the waiting time',
    close: 'close the port',
  },
  initial: 'closed',
  table: {
    detached: {
      due: null,
      opened: null,
      failed: null,
      checked: null,
      lost: null,
      doubt: null,
      renew: null,
      detach: null,
      attach: ['closed', 'hurry'],
    },
    closed: {
      due: ['opening', 'open'],
      opened: null,
      failed: null,
      checked: null,
      lost: null,
      doubt: null,
      renew: null,
      detach: ['detached', 'close'],
      attach: null,
    },
    opening: {
      due: null,
      opened: ['checking', 'check'],
      failed: ['closed', 'delay'],
      checked: null,
      lost: null,
      doubt: null,
      renew: null,
      detach: ['leaving', 'close'],
      attach: null,
    },
    unchecked: {
      due: ['checking', 'check'],
      opened: null,
      failed: null,
      checked: null,
      lost: ['closed', 'delay'],
      doubt: null,
      renew: null,
      detach: ['detached', 'close'],
      attach: null,
    },
    checking: {
      due: null,
      opened: null,
      failed: ['unchecked', 'delay'],
      checked: ['up', 'take'],
      lost: 'dropped',
      doubt: null,
      renew: null,
      detach: ['leaving', 'close'],
      attach: null,
    },
    up: {
      due: null,
      opened: null,
      failed: null,
      checked: null,
      lost: ['closed', 'settle', 'delay'],
      doubt: 'unchecked',
      renew: ['renewing', 'check'],
      detach: ['detached', 'settle', 'close'],
      attach: null,
    },
    renewing: {
      due: null,
      opened: null,
      failed: ['unchecked', 'delay'],
      checked: ['up', 'take'],
      lost: 'dropped',
      doubt: null,
      renew: null,
      detach: ['leaving', 'close'],
      attach: null,
    },
    dropped: {
      due: null,
      opened: ['unchecked', 'hurry'],
      failed: ['closed', 'delay'],
      checked: ['closed', 'delay'],
      lost: null,
      doubt: null,
      renew: null,
      detach: 'leaving',
      attach: null,
    },
    leaving: {
      due: null,
      opened: ['detached', 'close'],
      failed: 'detached',
      checked: 'detached',
      lost: null,
      doubt: null,
      renew: null,
      detach: null,
      attach: ['dropped', 'hurry'],
    },
  },
});

type Input = keyof typeof CONNECTION.inputs;

/** Effects that a connection asks of its owner. */
export interface ConnectionHooks {
  open(): void;
  check(): void;
  take(): void;
  settle(): void;
  close(): void;
}

/** The connection of one arm to its bus. */
export class Connection {
  readonly #machine = new Running(CONNECTION);
  readonly #hooks: ConnectionHooks;
  /** No retry before this instant, s. */
  #retryAt = 0;
  #backOff = FIRST_BACK_OFF;

  constructor(hooks: ConnectionHooks) {
    this.#hooks = hooks;
  }

  /** The arm answers, and its servos' settings are known. */
  get up(): boolean {
    return this.reading || this.#machine.state === 'renewing';
  }

  /** Servos are read and written in each cycle. */
  get reading(): boolean {
    return this.#machine.state === 'up';
  }

  get state(): keyof typeof CONNECTION.states {
    return this.#machine.state;
  }

  /** Call once per cycle while the arm is not up: retries when the time has come. @param now monotonic, s */
  advance(now: number): void {
    if (now >= this.#retryAt) this.put('due', now);
  }

  put(input: Input, now: number): void {
    const effects = this.#machine.put(input, now);
    for (let i = 0; i < effects.length; i++) {
      const effect = effects[i]!;
      if (effect === 'delay') this.#delay(now);
      else if (effect === 'hurry') this.#hurry();
      else this.#hooks[effect]();
    }
    if (this.#machine.state === 'up') this.#hurry();
  }

  #delay(now: number): void {
    this.#retryAt = Math.max(this.#retryAt, now + this.#backOff);
    this.#backOff = Math.min(2 * this.#backOff, LONGEST_BACK_OFF);
  }

  #hurry(): void {
    this.#retryAt = 0;
    this.#backOff = FIRST_BACK_OFF;
  }
}
