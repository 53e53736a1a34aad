import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Lane, VirtualTime } from '../../../explore/virtual-clock.ts';
import type { ServoLink } from '../../../src/rt/driver/servo-link.ts';
import type { LinkJoint } from '../../../src/rt/driver/servo-slots.ts';
import { servoLink } from '../../../src/rt/open-link.ts';
import type { Outcome } from '../../../src/servo/bus-session.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { type BytePort, PortError } from '../../../src/servo/port/port.ts';
import { modelByName } from '../../../src/servo/servo-models.ts';
import { EmulatedFeetechBus } from '../../../src/sim/emulated-feetech-bus.ts';
import { Sts3215Firmware } from '../../../src/sim/sts3215-firmware.ts';

const IDS = [1, 2, 3];
/** Of the control loop, and the time that answers take, s. */
const CYCLE = 0.005;
const DELAY = 0.001;
const SYNC_WRITE = 0x83;
const GAIN = STS3215.registers.p_coefficient.address;
const GOAL = STS3215.registers.goal_position.address;
const LOCK = STS3215.registers.lock.address;
const TORQUE = STS3215.registers.torque_enable.address;

/** Emulated servos whose answers wait while they are held back. */
class HeldPort implements BytePort {
  readonly url = 'test';
  readonly clock: Lane;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  holding = false;
  /** Every frame that was sent. */
  readonly sent: Uint8Array[] = [];
  /** Servos that hear of no torque. */
  deaf = false;
  readonly servos = IDS.map((id) => new Sts3215Firmware({ id, torqueOnGoalWrite: false }));
  readonly #waiting: Uint8Array[] = [];
  readonly #bus = new EmulatedFeetechBus({
    servos: this.servos,
    onReply: (bytes) => {
      this.#waiting.push(new Uint8Array(bytes));
      if (!this.holding) this.release();
    },
  });

  constructor(clock: Lane) {
    this.clock = clock;
  }

  async open(): Promise<void> {}
  async close(): Promise<void> {}

  write(bytes: Uint8Array): void {
    this.sent.push(bytes.slice());
    // The last servo's place in the frame is taken by one that is not there.
    if (this.deaf && isWrite(bytes, TORQUE)) bytes = withoutLast(bytes);
    this.#bus.feed(bytes, 1000 * this.clock.now());
  }

  /** Lets the answers through that have been held back. */
  release(): void {
    this.holding = false;
    for (const answer of this.#waiting.splice(0)) this.clock.after(DELAY, () => this.onBytes(answer));
  }

  /** Sync writes to a register, in their order: the servos that they name. */
  writes(register: number): number[][] {
    return this.sent.filter((frame) => isWrite(frame, register)).map(idsOf);
  }
}

/** The same sync write, with the last servo's id changed to one that nobody has. */
function withoutLast(frame: Uint8Array): Uint8Array {
  const changed = frame.slice();
  changed[frame.length - 2 - frame[6]!] = 99;
  changed[frame.length - 1] = ~changed.subarray(2, -1).reduce((sum, byte) => sum + byte, 0) & 0xff;
  return changed;
}

function isWrite(frame: Uint8Array, register: number): boolean {
  return frame[4] === SYNC_WRITE && frame[5] === register;
}

/** FF FF FE length 83 address width (id data)* checksum */
function idsOf(frame: Uint8Array): number[] {
  const ids: number[] = [];
  for (let at = 7; at < frame.length - 1; at += 1 + frame[6]!) ids.push(frame[at]!);
  return ids;
}

const model = modelByName('STS3215')!;
const goals = new Float64Array(IDS.length);
let time: VirtualTime;
let port: HeldPort;
let link: ServoLink;
/** Reads that have settled. */
let settled = 0;
let driving = false;

/** One cycle, begun and waited for as the control loop does it. */
async function cycle(): Promise<void> {
  const before = settled;
  const asks = link.begin(time.now);
  await pass();
  if (!asks) return;
  while (settled === before) await pass();
  if (driving && link.up) link.write(goals);
}

function pass(): Promise<void> {
  return time.run(time.now + CYCLE);
}

/** What a link answers to what it is asked. */
function answerOf<T>(ask: (done: (outcome: Outcome<T>) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    ask((outcome) => {
      if ('problem' in outcome) reject(new Error(outcome.problem));
      else resolve(outcome.result);
    }),
  );
}

beforeEach(async () => {
  time = new VirtualTime();
  await time.run(10);
  port = new HeldPort(time.lane('control'));
  const calibration = { sign: 1 as const, zero: 2048, stepsPerTurn: STS3215.stepsPerTurn };
  link = servoLink(
    port,
    IDS.map(
      (id): LinkJoint => ({
        ...{ name: `joint ${id}`, lower: -Math.PI, upper: Math.PI, settings: {} },
        servos: [{ id, model, calibration, shadow: false }],
      }),
    ),
  );
  link.onSettled = () => settled++;
  onTestFinished(() => new Promise<void>((resolve) => link.close('the test is over', resolve)));
  driving = false;
  while (!link.up) await cycle();
  for (let i = 0; i < 3; i++) await cycle();
  port.sent.length = 0;
});

test('torque goes on after each servo has been sent where it is to hold, also while one of them is being asked', async () => {
  port.holding = true;
  const facts = answerOf((done) => link.servos(done));
  // The first transaction has this cycle's place, and goals do not leave beside it.
  expect(link.begin(time.now)).toBe(true);
  const before = settled;
  link.write(goals);
  link.setTorque(true);
  driving = true;
  expect(port.writes(TORQUE)).toEqual([]);
  port.release();
  while (settled === before) await pass();
  let done = false;
  void facts.then(() => {
    done = true;
  });
  while (!link.torque || !done) await cycle();
  const on = port.sent.findIndex((frame) => isWrite(frame, TORQUE));
  const goalsBefore = port.sent.slice(0, on).filter((frame) => isWrite(frame, GOAL));
  expect(goalsBefore.length).toBeGreaterThanOrEqual(2);
  for (const frame of goalsBefore) expect(idsOf(frame)).toEqual(IDS);
  expect(port.servos.map((servo) => servo.torqueOn)).toEqual(IDS.map(() => true));
});

test('torque is not switched while servos answer, whose bytes it would meet on the wire', async () => {
  port.holding = true;
  const before = settled;
  expect(link.begin(time.now)).toBe(true);
  const asked = port.sent.length;
  link.setTorque(true);
  driving = true;
  expect(port.sent.length).toBe(asked);
  port.release();
  while (settled === before) await pass();
  while (!link.torque) await cycle();
  driving = false;
  link.setTorque(false);
  while (link.anyTorque) await cycle();
});

test('a line on which nobody answers gets no goals, which a stuck adapter might deliver much later', async () => {
  link.setTorque(true);
  driving = true;
  while (!link.torque || link.arming) await cycle();
  const sent = (): number => port.writes(GOAL).length;
  port.holding = true;
  const before = sent();
  const late = async (): Promise<void> => {
    link.begin(time.now);
    link.expire();
    await pass();
    link.expire();
    link.write(goals);
  };
  for (let silent = 0; silent < 3; silent++) await late();
  expect(Array.from(link.withheld)).toEqual(IDS.map(() => 1));
  expect(sent()).toBe(before);
  port.release();
  while (sent() === before) await late();
});

test.each([
  ['one that was limp is limp again', []],
  ['one that holds in part goes on holding so, or it would drop', [0]],
])('an arm with a servo that takes no torque says which, and %s', async (_, holding) => {
  for (const i of holding) port.servos[i]!.write(TORQUE, Uint8Array.of(1), 0, 1);
  while (holding.some((i) => link.held[i] === 0)) await cycle();
  while (!link.up) await cycle();
  port.deaf = true;
  let problem: string | null = null;
  link.setTorque(true, (text) => {
    problem = text;
  });
  driving = true;
  while (problem === null) await cycle();
  expect(problem).toBe('servo 3 (joint 3) does not take torque: check its supply and its cable');
  while (link.power === 'releasing') await cycle();
  driving = false;
  expect(link.up).toBe(true);
  expect(port.servos.map((servo) => servo.torqueOn)).toEqual(IDS.map((_id, i) => holding.includes(i as never)));
  port.sent.length = 0;
  for (let i = 0; i < 20; i++) await cycle();
  expect(port.writes(TORQUE)).toEqual([]);
});

test('a cycle ends although its arm is checked anew while one of its servos is being asked', async () => {
  port.servos[1]!.raiseOverload();
  while (link.readings.alarms[1] === 0) await cycle();
  port.holding = true;
  const facts = answerOf((done) => link.servos(done)).catch(() => {});
  const before = settled;
  expect(link.begin(time.now)).toBe(true);
  expect(link.recover(time.now, () => true)).toBe('');
  expect(link.up).toBe(false);
  port.release();
  while (settled === before) await pass();
  while (!link.up) await cycle();
  await facts;
});

test('a temperature limit above what a servo is made for is written to none', async () => {
  await expect(answerOf((done) => link.limitTemperatures(Float64Array.of(60, 60, 81), done))).rejects.toThrow(
    'servo 3 (joint 3), a STS3215, takes no limit above 70 degrees Celsius',
  );
  expect(port.servos.map((servo) => servo.value('max_temperature'))).toEqual(IDS.map(() => 70));
});

test('servos are made no softer while their EEPROM is open, which would keep it', async () => {
  link.write(goals);
  link.setTorque(true);
  driving = true;
  while (!link.torque) await cycle();
  const own = port.servos.map((servo) => servo.value('p_coefficient'));
  let done = false;
  const limits = answerOf<void>((end) => link.limitTemperatures(new Float64Array(IDS.length).fill(60), end)).finally(
    () => {
      done = true;
    },
  );
  link.gains.soften(
    IDS.map(() => 0.4),
    IDS.map(() => 1),
  );
  while (!done) {
    await cycle();
    const open = port.servos.some((servo) => servo.value('lock') === 0);
    if (open) expect(port.writes(GAIN)).toEqual([]);
  }
  await limits;
  expect(port.sent.some((frame) => frame[4] === 3 && frame[5] === LOCK)).toBe(true);
  expect(port.servos.map((servo) => servo.value('max_temperature'))).toEqual(IDS.map(() => 60));
  while (link.gains.pending) await cycle();
  for (const [i, servo] of port.servos.entries()) {
    expect(servo.value('p_coefficient')).toBeLessThan(own[i]!);
    servo.powerCycle();
    expect(servo.value('p_coefficient')).toBe(own[i]);
  }
});

test('overloaded servos are brought back, but not again and again: whoever asks too soon is told when', async () => {
  const overload = async (): Promise<void> => {
    port.servos[1]!.raiseOverload();
    while (link.readings.alarms[1] === 0) await cycle();
  };
  await overload();
  const began = time.now;
  expect(link.recover(began, () => true)).toBe('');
  while (!link.up || link.readings.alarms[1] !== 0) await cycle();
  await overload();
  expect(link.recover(began + 1.5, () => true)).toMatch(
    /just been brought back: take the load off, and try again in 4 s/,
  );
  expect(link.up).toBe(true);
  expect(link.recover(began + 5.1, () => true)).toBe('');
  while (!link.up || link.readings.alarms[1] !== 0) await cycle();
});

test('a port that is gone is tried again less and less often, and its arm is there when it is', async () => {
  const open = port.open;
  let opened = 0;
  port.open = async () => {
    opened++;
    throw new PortError('not_found', 'test: is not there');
  };
  port.onClose(new PortError('closed', 'test: has been pulled out'));
  const tries: number[] = [];
  const began = time.now;
  while (time.now < began + 20) {
    const before = opened;
    await cycle();
    if (opened > before) tries.push(time.now - began);
  }
  // After 0.1 s, and then each time after twice as long, but 5 s at most.
  const waits = tries.map((at, i) => at - (tries[i - 1] ?? 0));
  expect(waits).toHaveLength(8);
  for (const [i, wait] of [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5].entries()) expect(waits[i]).toBeCloseTo(wait, 1);
  expect(link.up).toBe(false);
  port.open = open;
  while (!link.up) await cycle();
});

test('the time of a cycle with two reads begins with the first, but a pause of the host is no time of the line', async () => {
  const times: number[] = [];
  link.gains.work(IDS.map(() => 0.2));
  for (const pause of [0, 3]) {
    expect(link.gains.pending).toBe(true);
    port.holding = true;
    const before = settled;
    expect(link.begin(time.now)).toBe(true);
    const first = link.readTime;
    await time.run(time.now + pause);
    port.release();
    while (settled === before && port.sent.at(-1)![5] !== GAIN) await time.run(time.now + DELAY);
    times.push(link.readTime - first);
    await pass();
    await cycle();
  }
  expect(times[0]).toBeGreaterThanOrEqual(DELAY - 1e-3 / 2);
  expect(times[0]).toBeLessThan(0.01);
  expect(times[1]).toBeGreaterThan(0.02);
  expect(times[1]).toBeLessThan(0.04);
});

test('an answer that comes only after its servos were asked again tells that the line is slow, for that cycle alone', async () => {
  expect(link.late).toBe(false);
  port.holding = true;
  link.begin(time.now);
  link.expire();
  port.release();
  await pass();
  expect([link.late, settled > 0]).toEqual([true, true]);
  for (let i = 0; i < 3; i++) await cycle();
  expect(link.late).toBe(false);
});

test('an arm that has been checked is read in detail in its first cycle, and how long its servos take is told', async () => {
  for (let k = 0; k < 4; k++) {
    for (let i = 0; i < 3 * k; i++) await cycle();
    await new Promise<void>((resolve) => link.close('disconnected by a person', resolve));
    link.reopen();
    const began = time.now;
    while (!link.up) await cycle();
    await cycle();
    expect(link.readings.detailTime).toBeGreaterThan(began);
    expect(link.readings.detailTime).toBe(link.readings.sampleTime);
  }
  expect(link.readings.roundTripMedian).toBeCloseTo(DELAY, 4);
});
