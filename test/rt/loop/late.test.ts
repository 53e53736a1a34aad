import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { ServoLink } from '../../../src/rt/driver/servo-link.ts';
import { blocksOf } from '../../../src/rt/driver/servo-reads.ts';
import type { LinkJoint } from '../../../src/rt/driver/servo-slots.ts';
import { servoLink } from '../../../src/rt/open-link.ts';
import { SHORTEST_PROBE } from '../../../src/servo/exchange.ts';
import { FeetechBus } from '../../../src/servo/feetech/feetech-bus.ts';
import { FeetechClient } from '../../../src/servo/feetech/feetech-client.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { OutOfBand } from '../../../src/servo/out-of-band.ts';
import type { BytePort, PortError } from '../../../src/servo/port/port.ts';
import { modelByName, SERVO_MODELS } from '../../../src/servo/servo-models.ts';
import { LONGEST_READ } from '../../../src/servo/sync-bus.ts';
import { EmulatedFeetechBus } from '../../../src/sim/emulated-feetech-bus.ts';
import { Sts3215Firmware } from '../../../src/sim/sts3215-firmware.ts';

const IDS = [1, 2, 3, 4, 5, 6];
const STEP = (2 * Math.PI) / STS3215.stepsPerTurn;
const SYNC_READ = 0x82;

/**
 * Emulated servos that turn by one step with each sync read, so that a position tells which request it answers. Answers
 * wait until they are let through, in their order.
 */
class DelayedPort implements BytePort {
  readonly url = 'test';
  readonly clock = systemClock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  /** Sync reads so far. */
  reads = 0;
  /** Answers wait. */
  holding = false;
  readonly waiting: Uint8Array[] = [];
  readonly #servos = IDS.map((id) => new Sts3215Firmware({ id }));
  readonly #bus = new EmulatedFeetechBus({
    servos: this.#servos,
    onReply: (bytes) => {
      const answer = new Uint8Array(bytes);
      if (this.holding) this.waiting.push(answer);
      else setImmediate(() => this.onBytes(answer));
    },
  });

  constructor() {
    for (const servo of this.#servos) servo.step(0.001, 1000 * STEP, 0);
  }

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

function makeLink(port: BytePort): ServoLink {
  const model = modelByName('STS3215')!;
  const joints = IDS.map(
    (id): LinkJoint => ({
      lower: -Math.PI,
      upper: Math.PI,
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
  const link = servoLink(port, joints);
  onTestFinished(() => link.close('the test is over'));
  return link;
}

/** Runs cycles until one has read all servos; resolves with its time, s. */
async function reached(link: ServoLink): Promise<number> {
  let now = 0;
  await expect
    .poll(
      () => {
        now = systemClock.now();
        return link.begin(now);
      },
      { timeout: 10_000, interval: 2 },
    )
    .toBe(true);
  await expect.poll(() => link.readings.sampleTime).toBe(now);
  return now;
}

test('however late answers are, a sample is never older than the beginning of the read that it belongs to', async () => {
  const port = new DelayedPort();
  const link = makeLink(port);
  let now = await reached(link);
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
    if (link.readings.sampleTime !== now) continue;
    for (const position of link.readings.positions) expect(Math.round(position / STEP) - 1000).toBeGreaterThan(before);
  }
  // Many reads were given up, and many were not.
  expect(link.readings.lost[0]).toBeGreaterThan(20);
  expect(link.readings.lost[0]).toBeLessThan(280);
});

const POSITION = STS3215.registers.present_position;
const OFFSET = STS3215.registers.homing_offset;

/** A bus of the loop whose servos have all answered, and single reads beside it. */
async function besides() {
  const port = new DelayedPort();
  const bus = new FeetechBus(port, IDS);
  const aside = new OutOfBand(new FeetechClient(port), bus, 3);
  bus.attach();
  bus.beginRead(POSITION.address, POSITION.size);
  await expect.poll(() => bus.reading).toBe(false);
  port.holding = true;
  return { port, bus, aside };
}

/** Position of the first servo as the bus has read it, steps. */
function positionIn({ block }: FeetechBus): number {
  return block[0]! | (block[1]! << 8);
}

test('a line that is silent is asked seldom, and what a stuck adapter delivers late passes for no answer of now', async () => {
  const { port, bus } = await besides();
  vi.useFakeTimers({ toFake: ['performance'], now: performance.now() });
  onTestFinished(() => void vi.useRealTimers());
  const before = port.reads;
  const cycle = (): void => {
    vi.advanceTimersByTime(5);
    bus.beginRead(POSITION.address, POSITION.size);
    bus.expire();
    bus.expire();
    expect(bus.reading).toBe(false);
  };
  for (let silent = 0; silent < 80; silent++) cycle();
  expect(port.reads - before).toBeLessThan(16);
  vi.advanceTimersByTime(100);
  bus.beginRead(POSITION.address, POSITION.size);
  const outstanding = port.waiting.length;
  expect(outstanding).toBeGreaterThan(6);
  for (let late = 0; late < outstanding - 1; late++) {
    port.release(1);
    expect(bus.reading).toBe(true);
  }
  port.release(1);
  expect(bus.reading).toBe(false);
  expect(positionIn(bus)).toBe(1000 + port.reads);
});

test('a single read beside the loop does not take a late answer to a read of the loop for its own', async () => {
  const { port, bus, aside } = await besides();
  bus.beginRead(POSITION.address, POSITION.size);
  bus.expire();
  bus.expire();
  expect(bus.reading).toBe(false);
  const answered: Uint8Array[] = [];
  void aside.read(IDS[0]!, OFFSET.address, OFFSET.size).then((bytes) => answered.push(bytes));
  await expect
    .poll(
      async () => {
        void aside.turn();
        await new Promise((resolve) => setImmediate(resolve));
        // In their order, the oldest first.
        port.release(1);
        return answered;
      },
      { interval: 1 },
    )
    .toEqual([Uint8Array.of(0, 0)]);
});

test('a read of the loop does not take a late answer to a single read beside it for its own', async () => {
  const { port, bus, aside } = await besides();
  const offset = aside.read(IDS[0]!, OFFSET.address, OFFSET.size).catch(() => null);
  // Nothing comes in time, and the transaction is to have its turn again.
  await aside.turn();
  expect(aside.waiting).toBe(true);
  bus.attach();
  bus.beginRead(POSITION.address, POSITION.size);
  port.release(2);
  expect(bus.answered[0]).toBe(0);
  port.release(port.waiting.length);
  expect(bus.reading).toBe(false);
  expect(positionIn(bus)).toBeGreaterThan(1000);
  // As many bytes again, now that nothing is outstanding.
  bus.beginRead(POSITION.address, POSITION.size);
  port.release(port.waiting.length);
  expect(bus.reading).toBe(false);
  aside.abandon('the test is over');
  expect(await offset).toBeNull();
});

test('what a client asks to find out whether answers are under way is longer than what links ask for', () => {
  for (const model of SERVO_MODELS) {
    const { family, common } = model;
    const limits = family.positionModes.map((mode) => family.effortLimit(model, mode)!.register);
    const blocks = Object.values(blocksOf(family.reads, common, limits)).filter((block) => block !== null);
    // Room for some more requests that can be told apart from one that has not been answered.
    for (const { length } of blocks) expect(length + 5).toBeLessThanOrEqual(LONGEST_READ);
  }
  expect(LONGEST_READ).toBeLessThan(SHORTEST_PROBE);
});
