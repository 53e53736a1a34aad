import { expect } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import type { ServoLink } from '../../../../src/rt/driver/servo-link.ts';
import type { LinkJoint } from '../../../../src/rt/driver/servo-slots.ts';
import { servoLink } from '../../../../src/rt/open-link.ts';
import { makePort } from '../../../../src/servo/port/make.ts';

/** A patient bound, not a promise. */
export const PATIENCE = { timeout: 10_000, interval: 20 };
const PERIOD = 10;

/** An arm's link on a port, with cycles as the control loop makes them. */
export class LinkLoop {
  readonly link: ServoLink;
  readonly warnings: string[] = [];
  readonly goals: Float64Array;
  /** Whether the link's owner sends goals, as an arm with torque does. */
  driving = false;
  #timer: NodeJS.Timeout | undefined;
  #pending = false;

  constructor(path: string, joints: readonly LinkJoint[]) {
    this.goals = new Float64Array(joints.length);
    const link = servoLink(makePort(`serial:${path}`, systemClock), joints);
    link.onWarning = (text) => void this.warnings.push(text);
    link.onSettled = () => {
      this.#pending = false;
      if (this.driving && link.up) link.write(this.goals);
    };
    this.link = link;
    this.run();
  }

  up(): Promise<void> {
    return expect.poll(() => this.link.up, PATIENCE).toBe(true);
  }

  /** Torque on where the arm is; resolves when its servos have it, and nothing has moved. */
  hold(): Promise<void> {
    this.goals.set(this.link.readings.positions);
    this.link.write(this.goals);
    this.link.setTorque(true);
    this.driving = true;
    return expect.poll(() => this.link.power, PATIENCE).toBe('holding');
  }

  /** Starts the cycles; a loop that is stopped is a host that has hung. */
  run(): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (this.#pending) this.link.expire();
      else this.#pending = this.link.begin(systemClock.now());
    }, PERIOD);
  }

  hang(): void {
    clearInterval(this.#timer);
  }

  async close(): Promise<void> {
    this.hang();
    await this.link.close('the test is over');
  }
}
