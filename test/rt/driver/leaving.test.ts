import { describe, expect, test } from 'vitest';
import { PortError } from '../../../src/servo/port/port.ts';
import { BenchArm, PERIOD } from '../support/bench-arm.ts';

const GONE = 'test: has been pulled out';

/** Asks for torque. @returns what was told, each time */
function ask(bench: BenchArm): string[] {
  const told: string[] = [];
  bench.arm.setTorque(true, (problem) => void told.push(problem));
  return told;
}

/** Lets what has no time of its own happen. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('the reason why an arm is not up', () => {
  test('is told to whoever asks for torque, on or off, and nothing is sent', async () => {
    const bench = await BenchArm.holding();
    bench.port.unplug();
    bench.port.sent.length = 0;
    const told: string[] = [];
    for (const on of [true, false]) bench.link.setTorque(on, (problem) => void told.push(problem));
    expect([told, bench.port.sent]).toEqual([[GONE, GONE], []]);
  });

  test('is always told while it is opened and checked, and is gone once it is up', async () => {
    const bench = new BenchArm();
    while (!bench.link.up) {
      expect(bench.link.reason).toBe('not opened yet');
      bench.cycle();
      await settle();
    }
    expect(bench.link.reason).toBe('');
    bench.link.reopen();
    expect([bench.link.up, bench.link.reason]).toEqual([true, '']);
  });

  test('is what took it off its bus, whatever becomes of the bus afterwards', async () => {
    const bench = await BenchArm.limp();
    bench.link.close('disconnected by a person');
    bench.port.onClose(new PortError('closed', GONE));
    expect(bench.link.reason).toBe('disconnected by a person');
    // While it is being checked, too: its check then fails.
    const checked = await BenchArm.limp();
    const told = ask(checked);
    checked.cycle();
    expect([checked.link.up, checked.link.settling]).toEqual([true, false]);
    checked.link.close('disconnected by a person');
    checked.port.unplug();
    await settle();
    checked.run(0.1);
    await settle();
    expect([checked.link.reason, told]).toEqual(['disconnected by a person', ['disconnected by a person']]);
  });

  test('is its port when that is gone, which is told to whoever waits for torque, and no torque comes', async () => {
    for (const until of [PERIOD, 4 * PERIOD]) {
      const bench = await BenchArm.limp();
      const told = ask(bench);
      const end = bench.time.now + until;
      await bench.cycles(() => bench.time.now >= end);
      bench.port.unplug();
      await settle();
      expect([told, bench.link.up, bench.link.power]).toEqual([[GONE], false, 'limp']);
      bench.port.gone = false;
      await bench.connect();
      bench.run(0.5);
      expect([told, bench.link.power, bench.servos.some((servo) => servo.torqueOn)]).toEqual([[GONE], 'limp', false]);
    }
  });

  test('is why it is checked anew, which is told to whoever waits for torque', async () => {
    const bench = await BenchArm.limp();
    bench.servos[1]!.raiseOverload();
    bench.run(0.1);
    const told = ask(bench);
    await bench.cycles(() => bench.link.settling);
    expect(bench.link.recover(bench.time.now, () => true)).toBe('');
    expect([told, bench.link.up]).toEqual([['its overloaded servos are being brought back'], false]);
  });
});

test('an arm that is taken off its bus while it is being checked, and put on it again at once, comes back', async () => {
  const bench = await BenchArm.limp();
  ask(bench);
  bench.cycle();
  bench.link.close('disconnected by a person');
  bench.link.reopen();
  expect([bench.link.up, bench.link.reason]).toEqual([false, 'not opened yet']);
  const { opened } = bench.port;
  await bench.connect();
  expect([bench.link.power, bench.port.opened]).toEqual(['limp', opened + 1]);
});

test('an arm whose port opens after it has been taken off it leaves that port again', async () => {
  const bench = new BenchArm();
  bench.cycle();
  bench.link.close('disconnected by a person');
  const { closed } = bench.port;
  await settle();
  expect([bench.port.opened, bench.port.closed]).toEqual([1, closed + 1]);
  bench.port.sent.length = 0;
  bench.run(1);
  expect(bench.port.sent).toEqual([]);
});

test('a cycle whose read waits for servos goes on when their port is gone, and when the arm is taken off its bus', async () => {
  for (const leave of [
    (bench: BenchArm) => bench.port.unplug(),
    (bench: BenchArm) => bench.link.close('disconnected by a person'),
  ]) {
    const bench = await BenchArm.holding();
    let settled = 0;
    bench.link.onSettled = () => void settled++;
    bench.bus.faults.dead.add(1).add(2);
    expect(bench.link.begin(bench.time.now)).toBe(true);
    expect(settled).toBe(0);
    leave(bench);
    expect(settled).toBe(1);
    // Nobody waits for that read any more.
    bench.link.expire();
    bench.link.expire();
    expect(settled).toBe(1);
  }
});
