import { defineMachine, Running } from '../../machine.ts';
import type { SharedState } from '../snapshot/shared-snapshot.ts';
import { AwakeClock } from './awake-clock.ts';

/** Interval of the main thread's heartbeat, s. */
export const BEAT_INTERVAL = 0.05;
/** Time without a heartbeat after which the main thread would not receive a stop, s. */
export const UNHEARD = 0.25;
/** A cycle is late by more than this, and by more than a period, only if its thread was kept from running, s. */
const IN_TIME = 0.025;

const NOTHING: readonly never[] = [];

/** Whether the main thread runs. It receives all stops except those on the stop port. */
export const ATTENDANCE = defineMachine({
  name: 'Attendance of the main thread',
  states: {
    alone: 'the main thread does not run, or not yet: it would not receive a stop',
    attended: 'the main thread runs',
  },
  inputs: {
    heard: 'a heartbeat has arrived',
    unheard: 'no heartbeat for 0.25 s in which the control thread ran',
  },
  effects: {
    abandon: 'all motions and pending requests end: the arms brake and hold',
    tell: 'report which arms had to brake',
  },
  initial: 'alone',
  table: {
    alone: { heard: ['attended', 'tell'], unheard: null },
    attended: { heard: null, unheard: ['alone', 'abandon'] },
  },
});

/**
 * Watches the heartbeat of the main thread. Time in which the control thread itself did not run does not count: if the
 * whole computer is paused, or so busy that both threads wait for it, the main thread has not been silent.
 */
export class Attendance {
  /** Duration of the last silence that has ended, s. */
  silence = 0;
  readonly #machine = new Running(ATTENDANCE);
  readonly #shared: SharedState;
  readonly #clock: AwakeClock;
  #beats: number;
  /** When the last beat was noticed: in awake time of this thread, and in monotonic time, s. */
  #heard = 0;
  #heardAt = 0;

  /** @param period of the control cycle, s */
  constructor(shared: SharedState, period: number) {
    this.#shared = shared;
    this.#clock = new AwakeClock(Number.POSITIVE_INFINITY, Math.max(IN_TIME, 2 * period));
    this.#beats = shared.beats;
  }

  /** Call once per cycle. @param now monotonic, s @returns effects to carry out */
  look(now: number): readonly (keyof typeof ATTENDANCE.effects)[] {
    this.#clock.advance(now);
    const { time } = this.#clock;
    const { beats } = this.#shared;
    if (beats === this.#beats) return time - this.#heard > UNHEARD ? this.#machine.put('unheard', now) : NOTHING;
    this.silence = now - this.#heardAt;
    this.#beats = beats;
    this.#heard = time;
    this.#heardAt = now;
    return this.#machine.put('heard', now);
  }
}
