import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { PortError } from '../../src/servo/port/port.ts';
import { SimPort } from '../../src/servo/port/sim.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { type CompiledSources, compileSources } from './compiled.ts';
import { request, status } from './frames.ts';
import { JOINTS, so101 } from './so101.ts';

let compiled: CompiledSources;
let workerUrl: URL;
beforeAll(() => {
  compiled = compileSources('sim', 'servo', 'kinematics');
  workerUrl = compiled.url('sim/entry.ts');
});
afterAll(() => compiled.remove());

/** Sends a request and waits for the whole of an answer of `length` bytes. */
function ask(port: SimPort, bytes: Uint8Array, length: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const answer: number[] = [];
    port.onBytes = (chunk) => {
      answer.push(...chunk);
      if (answer.length >= length) resolve(Uint8Array.from(answer));
    };
    port.onClose = reject;
    port.write(bytes);
  });
}

describe('two arms in their thread', () => {
  let simulation: Simulation;
  const failures: string[] = [];
  beforeEach(async () => {
    failures.length = 0;
    simulation = await Simulation.start([so101('leader'), so101('follower')], {
      clock: systemClock,
      workerUrl,
      onFailure: (message) => failures.push(message),
    });
    return async () => {
      await simulation.close();
      expect(failures).toEqual([]);
    };
  });

  it('answers each on its own byte port', async () => {
    const leader = new SimPort('sim:so101', simulation.portFor('leader'), systemClock);
    const follower = new SimPort('sim:so101', simulation.portFor('follower'), systemClock);
    await Promise.all([leader.open(), follower.open()]);
    expect(await ask(leader, request(1, 3, 5, 9), 6)).toEqual(status(1, 0));
    expect(await ask(leader, request(9, 1), 6)).toEqual(status(9, 0));
    expect(await ask(follower, request(1, 1), 6)).toEqual(status(1, 0));
  });

  it('lets gravity act while the thread that drives the arm is stuck', async () => {
    const before = await simulation.truth('leader');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    const after = await simulation.truth('leader');
    // The 50 ms that are caught up with after a stall would not let it fall this far.
    expect(after.positions[1]! - before.positions[1]!).toBeGreaterThan(0.08);
  });

  it('stamps its state with the time of day', async () => {
    const { time } = await simulation.truth('leader');
    expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(1);
  });

  it('moves a joint by hand and lets go', async () => {
    await simulation.hand('leader', { shoulder_pan: 0.4 }, 0.3);
    await expect
      .poll(async () => (await simulation.truth('leader')).positions[0], { timeout: 10_000 })
      .toBeGreaterThan(0.35);
    expect((await simulation.truth('follower')).positions[0]).toBeCloseTo(0, 1);
    await simulation.hand('leader', null, 0);
    expect((await simulation.truth('leader')).handTorques).toEqual(JOINTS.map(() => 0));
  });

  it('refuses unknown arms and joints by name and goes on', async () => {
    await expect(simulation.truth('left')).rejects.toThrow(/"left".*leader, follower/);
    await expect(simulation.hand('leader', { elbow: 1 }, 1)).rejects.toThrow(/"elbow".*elbow_flex/);
    expect(() => simulation.portFor('left')).toThrow(/"left".*leader, follower/);
    expect((await simulation.truth('leader')).positions).toHaveLength(6);
  });

  it('silences a dead servo and revives it', async () => {
    const port = new SimPort('sim:so101', simulation.portFor('leader'), systemClock);
    await port.open();
    await simulation.fault('leader', { dead: [2] });
    expect(await ask(port, request(0xfe, 0x82, 5, 1, 1, 2, 3), 14)).toEqual(
      Uint8Array.of(...status(1, 0, 1), ...status(3, 0, 3)),
    );
    await simulation.fault('leader', { dead: [] });
    expect(await ask(port, request(2, 1), 6)).toEqual(status(2, 0));
  });

  it('forgets what servos hold in RAM when their supply is switched off and on', async () => {
    const port = new SimPort('sim:so101', simulation.portFor('leader'), systemClock);
    await port.open();
    await ask(port, request(1, 3, 40, 1), 6);
    await simulation.fault('leader', { powerCycle: true });
    expect(await ask(port, request(1, 2, 40, 1), 7)).toEqual(status(1, 0, 0));
  });

  it('can be left and joined again on the same port; what came in between is not delivered', async () => {
    const port = new SimPort('sim:so101', simulation.portFor('leader'), systemClock);
    await port.open();
    await ask(port, request(1, 1), 6);
    port.write(request(2, 1));
    await port.close();
    port.write(request(3, 1));
    await port.open();
    expect(await ask(port, request(4, 1), 6)).toEqual(status(4, 0));
  });

  it('closes the port that a newer one replaces', async () => {
    const old = simulation.portFor('leader');
    await simulation.truth('leader');
    simulation.portFor('leader').close();
    await once(old, 'close');
  });

  it('closes every byte port when it ends, and says what to do', async () => {
    const port = new SimPort('sim:so101', simulation.portFor('leader'), systemClock);
    await port.open();
    const closed = new Promise<PortError>((resolve) => {
      port.onClose = resolve;
    });
    await simulation.close();
    const reason = await closed;
    expect(reason).toBeInstanceOf(PortError);
    expect(reason.code).toBe('closed');
    expect(reason.message).toMatch(/sim:so101.*restart/);
    port.write(request(1, 1));
    await port.close();
    await expect(port.open()).rejects.toMatchObject({ code: 'closed' });
    await expect(simulation.truth('leader')).rejects.toThrow(/ended|closed/);
  });
});

describe('failure', () => {
  it('to build an arm is reported by name, and leaves no thread', async () => {
    const start = Simulation.start([so101('leader', { toolLink: 'flange' })], { clock: systemClock, workerUrl });
    await expect(start).rejects.toThrow(/leader.*flange/);
    await expect(Simulation.start([so101('a'), so101('a')], { clock: systemClock, workerUrl })).rejects.toThrow(
      /two.*"a"/,
    );
  });

  it('of the thread is reported and ends what is waited for', async () => {
    const dying = `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => { throw new Error('out of memory'); });
      parentPort.postMessage({ type: 'ready' });`;
    const failures: string[] = [];
    const simulation = await Simulation.start([so101('leader')], {
      clock: systemClock,
      workerUrl: new URL(`data:text/javascript,${encodeURIComponent(dying)}`),
      onFailure: (message) => failures.push(message),
    });
    await expect(simulation.truth('leader')).rejects.toThrow(/out of memory/);
    expect(failures).toEqual([expect.stringMatching(/simulation thread.*out of memory/)]);
    await expect(new SimPort('sim:so101', simulation.portFor('leader'), systemClock).open()).rejects.toMatchObject({
      code: 'closed',
    });
    await simulation.close();
  });
});
