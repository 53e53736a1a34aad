import { afterEach, describe, expect, it } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { simulatedCounterpart } from '../../../src/arm/simulated-counterpart.ts';
import { systemClock } from '../../../src/clock.ts';
import { DynamixelBus } from '../../../src/servo/dynamixel/dynamixel-bus.ts';
import { XL330_M288 } from '../../../src/servo/dynamixel/x-series.ts';
import { FeetechBus } from '../../../src/servo/feetech/feetech-bus.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { makePort } from '../../../src/servo/port/make.ts';
import type { ServoBus } from '../../../src/servo/servo-bus.ts';
import { addFault, FAULT_HELP, FaultError, NO_FAULTS } from '../../../src/sim/faults.ts';
import { ServedArm } from '../../../src/sim/serve.ts';
import { Wire } from '../../../src/sim/wire.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const IDS = [1, 2, 3, 4, 5, 6];
/** What each family has of its own. */
const FAMILIES = [
  {
    arm: 'so101',
    makeBus: FeetechBus,
    ...STS3215.common,
    /** Bytes on the line of a read of all positions, and servos that wait for their return delay in it. */
    bytes: 14 + 6 * 8,
    delays: 6,
    /** Error bytes with an overload of servo 6, and with 12 V, which an XL430 bears. */
    overload: [0, 0, 0, 0, 0, 32],
    overvoltage: [1, 1, 1, 1, 1, 1],
  },
  {
    arm: 'koch',
    makeBus: DynamixelBus,
    ...XL330_M288.common,
    bytes: 20 + 8 + 6 * 8,
    delays: 1,
    overload: [0, 0, 0, 0, 0, 128],
    overvoltage: [0, 0, 128, 128, 128, 128],
  },
];

/** The arm with these fault switches behind a real pseudo-terminal, and a bus on it. */
async function serve({ arm: name, makeBus }: (typeof FAMILIES)[number], switches: string[]): Promise<ServoBus> {
  const faults = switches.reduce((plan, text) => addFault(text, plan), NO_FAULTS);
  const arm = await ServedArm.start({
    clock: systemClock,
    arm: simulatedCounterpart(loadArmModel(name)),
    faults,
    pty: { link: null },
  });
  ends.push(() => arm.close());
  const port = makePort(`serial:${arm.path}`, systemClock);
  ends.push(() => port.close());
  await port.open();
  return new makeBus(port, IDS);
}

/** One read; servos that have not answered after `patience` (ms) are asked once more, then given up. Returns ms. */
function read(bus: ServoBus, register: { address: number; size: number }, patience = 2000): Promise<number> {
  return new Promise((resolve) => {
    const start = performance.now();
    const timer = setInterval(() => bus.expire(), patience);
    bus.onSettled = () => {
      clearInterval(timer);
      const took = performance.now() - start;
      // Not within the parser's own call: the next read starts from a clean one.
      setImmediate(() => resolve(took));
    };
    bus.beginRead(register.address, register.size);
  });
}

describe.each(FAMILIES)('faults of a served $arm', (family) => {
  const { presentPosition: POSITION, presentVoltage, returnDelay, id } = family;
  const served = (...switches: string[]): Promise<ServoBus> => serve(family, switches);

  it('lose: some replies never come, and others do', async () => {
    const bus = await served('lose=0.5');
    for (let i = 0; i < 6; i++) await read(bus, POSITION, 300);
    const lost = bus.lost.reduce((sum, count) => sum + count, 0);
    // 36 replies, each asked for twice at 50 %: 9 are lost, and none once in 30 000 runs.
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThan(24);
    expect(bus.discarded).toBe(0);
  });

  it('corrupt: some replies are thrown away for their checksum', async () => {
    const bus = await served('corrupt=0.5');
    for (let i = 0; i < 4; i++) await read(bus, POSITION, 300);
    expect(bus.discarded).toBeGreaterThan(0);
  });

  it('dead: one servo is silent, the others are not', async () => {
    const bus = await served('dead=3');
    await read(bus, POSITION, 500);
    expect([...bus.answered]).toEqual([1, 1, 0, 1, 1, 1]);
  });

  it('overload: one servo answers with the alarm and with good data', async () => {
    const bus = await served('overload=6');
    await read(bus, id);
    expect([...bus.answered]).toEqual([1, 1, 1, 1, 1, 1]);
    expect([...bus.errors]).toEqual(family.overload);
    expect(bus.block[5 * 40]).toBe(6);
  });

  it('voltage: every servo measures the supply and alarms when it is wrong for its model', async () => {
    const bus = await served('voltage=12');
    await read(bus, presentVoltage);
    expect([...bus.errors]).toEqual(family.overvoltage);
    expect(bus.block[0]).toBe(120);
  });

  it('delay: no reply comes sooner than that', async () => {
    const bus = await served('delay=30');
    expect(await read(bus, POSITION)).toBeGreaterThanOrEqual(30);
  });

  it('wire and return delay: replies take at least the time of their bytes, turn-arounds and delays', async () => {
    const atOneMegabaud = await served('wire=1000000');
    const wire = family.bytes * 0.01;
    const delays = family.delays * 0.5;
    const quick = await read(atOneMegabaud, POSITION);
    expect(quick).toBeGreaterThanOrEqual(wire);

    const delayed = await served('wire=1000000', 'return-delay=500');
    await read(delayed, returnDelay);
    expect(delayed.block[0]).toBe(250);
    const slow = await read(delayed, POSITION);
    expect(slow).toBeGreaterThanOrEqual(wire + delays);

    // As written to the servos, so it acts.
    delayed.syncWrite(returnDelay, [0, 0, 0, 0, 0, 0]);
    await read(delayed, returnDelay);
    let best = Number.POSITIVE_INFINITY;
    // A busy machine makes most reads slow.
    for (let i = 0; i < 2000 && best >= wire + delays; i++) best = Math.min(best, await read(delayed, POSITION));
    console.info(
      `1 Mbaud: ${quick.toFixed(2)} ms, with 500 us return delay ${slow.toFixed(2)} ms, set to 0 ${best.toFixed(2)}`,
    );
    expect(best).toBeGreaterThanOrEqual(wire);
    expect(best).toBeLessThan(wire + delays);
  });

  it('a fault of a servo that the arm does not have is refused', async () => {
    await expect(served('dead=9')).rejects.toThrow(/no servo 9 that could fail; its ids are 1, 2, 3, 4, 5, 6/);
  });
});

describe('the time of a wire', () => {
  it('lets each reply leave when its last byte would, in order, never sooner', async () => {
    const replies: { first: number; time: number }[] = [];
    const wire = new Wire({
      baudRate: 1_000_000,
      turnAround: 20e-6,
      clock: systemClock,
      send: (bytes) => void replies.push({ first: bytes[0]!, time: systemClock.now() }),
    });
    ends.push(() => wire.clear());
    const start = systemClock.now();
    wire.request(14, start);
    const due: number[] = [];
    let at = start + 14 * 10e-6;
    for (let i = 0; i < 6; i++) {
      wire.reply(new Uint8Array(8).fill(i), i === 3 ? 5e-3 : 0);
      at += 20e-6 + (i === 3 ? 5e-3 : 0) + 80e-6;
      due.push(at);
    }
    while (replies.length < 6) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(replies.map(({ first }) => first)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const [i, { time }] of replies.entries()) expect(time - due[i]!).toBeGreaterThanOrEqual(-1e-9);
    const late = replies.map(({ time }, i) => (time - due[i]!) * 1e6);
    console.info(`replies left ${late.map((us) => us.toFixed(0)).join(', ')} us after they were due`);
  });
});

describe('a fault switch', () => {
  it('adds to those before it; of the same switch the last counts, ids add up', () => {
    const plan = ['lose=0.5', 'lose=0.01', 'dead=1', 'dead=2', 'unplug=3'].reduce((p, s) => addFault(s, p), NO_FAULTS);
    expect(plan).toEqual({ ...NO_FAULTS, loseRate: 0.01, dead: [1, 2], unplug: { after: 3, duration: 2 } });
    expect(NO_FAULTS.dead).toEqual([]);
  });

  it.each([
    ['explode=1', /no fault "explode"; there are lose, corrupt, double, .*, return-delay, backlash, detents/],
    ['constructor=1', /no fault "constructor"/],
    ['lose', /lose=SHARE takes a number from 0 to 1/],
    ['lose=2', /lose=SHARE takes a number from 0 to 1/],
    ['dead=1.5', /dead=ID takes a whole number from 0 to 252/],
    ['voltage=-5', /voltage=V takes a number from 1 to 30/],
    ['return-delay=600', /from 0 to 508/],
  ])('"%s" is refused with what is allowed', (text, message) => {
    expect(() => addFault(text)).toThrow(FaultError);
    expect(() => addFault(text)).toThrow(message);
  });

  it('has a line of help', () => {
    expect(FAULT_HELP).toHaveLength(25);
    for (const line of FAULT_HELP) expect(line).toMatch(/^[a-z-]+=[A-Z:]+ +\S/);
  });
});
