import { describe, expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { ControlThread, type OpenLink } from '../../src/rt/control-thread.ts';
import type { ArmSetup, BusSetup, CommandResult } from '../../src/rt/messages.ts';
import { linkJoints, openLink, runBench, servoLink } from '../../src/rt/open-link.ts';
import { SharedState } from '../../src/rt/snapshot/shared-snapshot.ts';
import type { BenchTask } from '../../src/servo/bench.ts';
import { BenchServos } from './support/bench-servos.ts';
import { setupOf } from './support/control-bench.ts';

/** Later than servos on a line ever answer, s: so a busy computer delays simulated ones, also when it has just started. */
const LATE = 0.1;
const LATER = 0.3;

/** Servos 1 and 2 on a bus in virtual time, which answer after `delay`, s. */
function wired(delay: number) {
  const time = new VirtualTime();
  time.runSync(10);
  const setup = setupOf('own', 'port');
  const bench = new BenchServos(linkJoints('own', setup.joints), [0, 0], [0, 0], time.lane('bus'), {}, delay);
  const bus: Exclude<BusSetup, { kind: 'remote' }> = { kind: 'sim', url: 'sim:so101', port: bench.port };
  return { time, setup: { ...setup, bus } satisfies ArmSetup, bench, bus };
}

describe('servos that answer late', () => {
  const up = async (open: (wire: ReturnType<typeof wired>) => OpenLink): Promise<boolean> => {
    const wire = wired(LATER);
    const { time, setup } = wire;
    const lane = time.lane('control');
    const shared = new SharedState([2], lane);
    const thread = { rate: 200, priority: null, shared: shared.buffers, arms: [setup] };
    const control = new ControlThread(thread, lane, open(wire), () => {});
    onTestFinished(() => control.loop.stop());
    control.start();
    const { link } = control.arms[0]!.controller;
    while (!link.up && time.now < 20) await time.run(time.now + 0.1);
    return link.up;
  };

  test('are waited for where they are simulated, while it is asked who they are', async () => {
    expect(await up(() => openLink)).toBe(true);
  });

  test('are not waited for where they are on a line: there they would be silent', async () => {
    expect(
      await up(
        ({ bench, setup }) =>
          () =>
            servoLink(bench.port, linkJoints('own', setup.joints)),
      ),
    ).toBe(false);
  });
});

test('an arm with a servo that nobody knows is refused by its name', () => {
  const { setup, time } = wired(0);
  const [first, second] = setup.joints;
  const joints = [first!, { ...second!, servos: [{ ...second!.servos[0]!, model: 'XY-1' }] }];
  expect(() => openLink({ ...setup, joints }, time.lane('control'))).toThrow('arm own: no table of a servo "XY-1"');
});

describe('a task on the servos of an arm that is being set up', () => {
  const servo = (joint: string, id: number) => ({
    ...{ joint, id, model: 'STS3215', settings: {}, shadow: null, travel: null },
  });

  const run = (
    { time }: { time: VirtualTime },
    bus: Exclude<BusSetup, { kind: 'remote' }>,
    baudRate: number | null,
    task: BenchTask,
  ): Promise<CommandResult | string> =>
    new Promise((resolve) => {
      runBench({ kind: 'bench', bus, family: 'feetech', baudRate, task }, time.lane('control'), resolve);
    });

  test('waits for simulated servos, and leaves the line as it was', async () => {
    const wire = wired(LATE);
    const task: BenchTask = {
      call: 'presence',
      servos: [servo('turn', 1), servo('tilt', 2), servo('roll', 3)],
      reassign: false,
    };
    const result = await wire.time.until(run(wire, wire.bus, null, task), 30);
    expect(result).toEqual({ motion: 0, duration: 0, bench: { result: ['there', 'there', 'silent'] } });
    expect([wire.bench.port.opened, wire.bench.port.closed]).toEqual([1, 1]);
  });

  test('looks for a new servo where simulated ones have their ids, and gives it its own', async () => {
    const wire = wired(LATE);
    // The other one is not plugged in.
    wire.bench.bus.faults.dead.add(2);
    const task: BenchTask = { call: 'assign', servos: [servo('tilt', 6)], reassign: false };
    const result = (await wire.time.until(run(wire, wire.bus, 1_000_000, task), 60)) as CommandResult;
    expect(result.bench).toMatchObject({ result: { identity: { id: 1 }, changes: [{ from: 1, to: 6 }] } });
    expect(wire.bench.servos[0]!.id).toBe(6);
    const asked = wire.bench.port.sent.map((frame) => frame[2]!);
    expect(Math.max(...asked)).toBe(9);
    expect(wire.bench.port.closed).toBe(wire.bench.port.opened);
  });

  test('says which line cannot be opened, at the rate that it was to have', async () => {
    const wire = wired(0);
    const task: BenchTask = { call: 'presence', servos: [servo('turn', 1)], reassign: false };
    const at = async (baudRate: number | null): Promise<string> => {
      const result = await run(wire, { kind: 'port', url: 'serial:/dev/no-such-port' }, baudRate, task);
      return JSON.stringify((result as CommandResult).bench);
    };
    expect(await at(57_600)).toMatch(/"line".*serial:\/dev\/no-such-port\?baud=57600/);
    expect(await at(null)).toMatch(/"line".*serial:\/dev\/no-such-port: /);
  });

  test('is refused for servos that nobody knows', () => {
    const wire = wired(0);
    const task: BenchTask = { call: 'presence', servos: [], reassign: false };
    const command = { kind: 'bench', bus: wire.bus, family: 'strange', baudRate: null, task } as const;
    expect(() => runBench(command, wire.time.lane('control'), () => {})).toThrow(/no servo family "strange"/);
  });
});
