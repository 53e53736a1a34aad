import { expect, onTestFinished, test } from 'vitest';
import { ServoLink } from '../../src/control/servo-link.ts';
import type { LinkJoint } from '../../src/control/servo-places.ts';
import { STS3215 } from '../../src/servo/feetech/sts3215.ts';
import { modelByName } from '../../src/servo/models.ts';
import type { BytePort, PortError } from '../../src/servo/port/port.ts';
import { EmulatedBus } from '../../src/sim/bus.ts';
import { Sts3215Firmware } from '../../src/sim/firmware.ts';

const IDS = [1, 2, 3, 4, 5, 6];
const STEP = (2 * Math.PI) / STS3215.stepsPerTurn;
const SYNC_READ = 0x82;

/**
 * Emulated servos that turn by one step with each sync read, so that a position tells which request it answers. Answers
 * wait until they are let through, in their order.
 */
class DelayedPort implements BytePort {
  readonly url = 'test';
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  /** Sync reads so far. */
  reads = 0;
  /** Answers wait. */
  holding = false;
  readonly waiting: Uint8Array[] = [];
  readonly #servos = IDS.map((id) => new Sts3215Firmware({ id }));
  readonly #bus = new EmulatedBus({
    servos: this.#servos,
    onReply: (bytes) => {
      const answer = new Uint8Array(bytes);
      if (this.holding) this.waiting.push(answer);
      else setImmediate(() => this.onBytes(answer));
    },
  });

  async open(): Promise<void> {}
  async close(): Promise<void> {}

  write(bytes: Uint8Array): void {
    if (bytes[4] === SYNC_READ) {
      this.reads++;
      for (const servo of this.#servos) servo.step(0.001, (1000 + this.reads) * STEP, 0);
    }
    this.#bus.feed(bytes, performance.now());
  }

  /** Lets the answers to the `count` oldest requests through. */
  release(count: number): void {
    for (const answer of this.waiting.splice(0, count)) this.onBytes(answer);
  }
}

test('however late answers are, a sample is never older than the beginning of the read that it belongs to', async () => {
  const model = modelByName('STS3215')!;
  const joints = IDS.map(
    (id): LinkJoint => ({
      name: `joint ${id}`,
      servos: [
        {
          id,
          model,
          calibration: { sign: 1, zero: 0, stepsPerTurn: STS3215.stepsPerTurn },
          shadow: false,
        },
      ],
      settings: {},
    }),
  );
  const port = new DelayedPort();
  const link = new ServoLink(port, joints);
  onTestFinished(() => link.close('the test is over'));
  let now = performance.now() / 1000;
  await expect
    .poll(
      () => {
        now = performance.now() / 1000;
        return link.begin(now);
      },
      { timeout: 10_000, interval: 2 },
    )
    .toBe(true);
  await expect.poll(() => link.sampleTime).toBe(now);
  port.holding = true;
  let settled = 0;
  link.onSettled = () => settled++;
  for (let cycle = 0; cycle < 300; cycle++) {
    const before = port.reads;
    now += 0.001;
    expect(link.begin(now)).toBe(true);
    // Up to three answers of earlier requests are still under way; then deadlines pass, and some answers come.
    port.release(cycle % 4);
    for (let expiry = 0; settled <= cycle && expiry < 2; expiry++) {
      link.expire();
      port.release((cycle * 7 + expiry) % 3);
    }
    expect(settled).toBe(cycle + 1);
    if (link.sampleTime !== now) continue;
    for (const position of link.positions) expect(Math.round(position / STEP) - 1000).toBeGreaterThan(before);
  }
  // Many reads were given up, and many were not.
  expect(link.lost[0]).toBeGreaterThan(20);
  expect(link.lost[0]).toBeLessThan(280);
});
