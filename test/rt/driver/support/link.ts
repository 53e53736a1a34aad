import { onTestFinished } from 'vitest';
import type { VirtualTime } from '../../../../explore/virtual-clock.ts';
import type { ServoLink } from '../../../../src/rt/driver/servo-link.ts';
import type { LinkJoint } from '../../../../src/rt/driver/servo-slots.ts';
import { servoLink } from '../../../../src/rt/open-link.ts';
import type { BytePort } from '../../../../src/servo/port/port.ts';

/** Longest virtual time that a check may take to hold, and how often it is looked at, s. */
const LIMIT = 10;
const LOOK = 0.02;
/** Of the control loop, s. */
const PERIOD = 0.01;

/** An arm's link on a port in virtual time, with cycles as the control loop makes them. */
export class LinkLoop {
  readonly time: VirtualTime;
  readonly link: ServoLink;
  readonly warnings: string[] = [];
  readonly goals: Float64Array;
  /** Whether the link's owner sends goals, as an arm with torque does. */
  driving = false;
  readonly #port: BytePort;
  #cycles: { cancel(): void } | null = null;
  #pending = false;

  constructor(time: VirtualTime, port: BytePort, joints: readonly LinkJoint[]) {
    this.time = time;
    this.#port = port;
    this.goals = new Float64Array(joints.length);
    const link = servoLink(port, joints);
    link.onWarning = (text) => void this.warnings.push(text);
    link.onSettled = () => {
      this.#pending = false;
      if (this.driving && link.up) link.write(this.goals);
    };
    this.link = link;
    this.run();
    onTestFinished(() => this.#close());
  }

  /** Lets time pass, s. */
  pass(duration: number): Promise<void> {
    return this.time.run(this.time.now + duration);
  }

  /** Lets time pass until a check holds; later than `LIMIT` its failure stands. */
  async becomes(check: () => void): Promise<void> {
    const deadline = this.time.now + LIMIT;
    for (;;) {
      try {
        return check();
      } catch (error) {
        if (this.time.now > deadline) throw error;
      }
      await this.pass(LOOK);
    }
  }

  /** Lets time pass until something is the case. @throws {Error} when it does not become so */
  until(what: () => boolean): Promise<void> {
    return this.becomes(() => {
      if (!what()) throw new Error(`does not become so within ${LIMIT} s: ${what}`);
    });
  }

  up(): Promise<void> {
    return this.until(() => this.link.up);
  }

  /** Torque on where the arm is; resolves when its servos have it, and nothing has moved. */
  hold(): Promise<void> {
    this.goals.set(this.link.readings.positions);
    this.link.write(this.goals);
    this.link.setTorque(true);
    this.driving = true;
    return this.until(() => this.link.power === 'holding');
  }

  /** Starts the cycles; a loop that is stopped is a host that has hung. */
  run(): void {
    this.hang();
    const { clock } = this.#port;
    this.#cycles = clock.every(PERIOD, () => {
      if (this.#pending) this.link.expire();
      else this.#pending = this.link.begin(clock.now());
    });
  }

  hang(): void {
    this.#cycles?.cancel();
  }

  #close(): void {
    this.hang();
    this.link.close('the test is over');
  }
}
