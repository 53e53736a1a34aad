import { defineMachine, Running } from '../../machine.ts';
import { AwakeClock } from '../loop/awake-clock.ts';

/** A remote arm that has sent nothing for this long counts as gone, s. */
const SILENCE = 0.5;

/** Whether an arm whose bus another machine owns can be driven from here. */
export const REMOTE_PRESENCE = defineMachine({
  name: 'Presence of a remote arm',
  states: {
    silent: 'no state of it arrives',
    present: 'its states arrive',
    closed: 'a client has disconnected it: states that arrive are ignored',
  },
  inputs: {
    heard: 'a state of it has arrived',
    silence: 'no state has arrived for 0.5 s',
    close: 'a client disconnects it',
    reopen: 'a client connects it',
  },
  effects: { adopt: 'take it over where it is' },
  initial: 'silent',
  table: {
    silent: { heard: ['present', 'adopt'], silence: null, close: 'closed', reopen: null },
    present: { heard: null, silence: 'silent', close: 'closed', reopen: null },
    closed: { heard: null, silence: null, close: null, reopen: 'silent' },
  },
});

/** Presence of one remote arm. Pauses of this host do not count as silence. */
export class RemotePresence {
  /** Why it is not present, human-readable; empty when it is. */
  reason: string;
  readonly #machine = new Running(REMOTE_PRESENCE);
  readonly #silent: string;
  readonly #clock = new AwakeClock();
  /** When the last state arrived, on `#clock`, s. */
  #heard = 0;

  /** @param silent reason while no state arrives, human-readable */
  constructor(silent: string) {
    this.#silent = silent;
    this.reason = silent;
  }

  get present(): boolean {
    return this.#machine.state === 'present';
  }

  get closed(): boolean {
    return this.#machine.state === 'closed';
  }

  /** A state has arrived. @returns whether the arm is to be taken over where it is */
  heard(): boolean {
    this.#heard = this.#clock.time;
    const adopts = this.#machine.put('heard', this.#clock.time).length > 0;
    if (this.present) this.reason = '';
    return adopts;
  }

  /** A cycle begins. @param now monotonic, s */
  advance(now: number): void {
    this.#clock.advance(now);
    if (!this.present || this.#clock.time - this.#heard <= SILENCE) return;
    this.#machine.put('silence', this.#clock.time);
    this.reason = this.#silent;
  }

  /** @param reason human-readable */
  close(reason: string): void {
    this.#machine.put('close', this.#clock.time);
    this.reason = reason;
  }

  reopen(): void {
    if (!this.closed) return;
    this.#machine.put('reopen', this.#clock.time);
    this.reason = this.#silent;
  }
}
