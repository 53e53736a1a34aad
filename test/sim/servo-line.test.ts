import { describe, expect, it } from 'vitest';
import { request } from './frames.ts';
import { STS, VirtualArm } from './virtual-arm.ts';

/** A sync read of the positions of all six servos. */
const SYNC_READ = request(0xfe, 0x82, 56, 2, 1, 2, 3, 4, 5, 6);
/** Its answer. */
const LENGTH = 6 * 8;

describe('the line to a simulated arm', () => {
  it('lets each reply arrive when its last byte does', async () => {
    const arm = await VirtualArm.start('so101', { line: { baudRate: 1_000_000, turnAround: 20e-6 } });
    const start = arm.time.now;
    arm.ask(SYNC_READ);
    const due = [1, 2, 3, 4, 5, 6].map((n) => SYNC_READ.length * 10e-6 + n * (20e-6 + 80e-6));
    expect(arm.chunks.map(({ bytes }) => bytes.length)).toEqual([8, 8, 8, 8, 8, 8]);
    for (const [i, { time }] of arm.chunks.entries()) expect(time - start).toBeCloseTo(due[i]!, 9);
  });

  it('hands over what is there at the intervals of a USB adapter, replies cut in two', async () => {
    const arm = await VirtualArm.start('so101', { line: { baudRate: 1_000_000, interval: 125e-6 } });
    expect(arm.ask(SYNC_READ)).toHaveLength(LENGTH);
    for (const { time } of arm.chunks) expect((time / 125e-6) % 1).toBeCloseTo(Math.round((time / 125e-6) % 1), 3);
    expect(arm.chunks.some(({ bytes }) => bytes.length !== 8)).toBe(true);
  });

  it('takes as long as a slow rate needs, and servos obey when they have heard', async () => {
    const arm = await VirtualArm.start('so101', { line: { baudRate: 9600 } });
    const start = arm.time.now;
    arm.ask(SYNC_READ, 0.2);
    expect(arm.chunks.at(-1)!.time - start).toBeGreaterThan(((SYNC_READ.length + LENGTH) * 10) / 9600);
    arm.ask(request(1, 3, 40, 1), 0.005);
    const [servo] = arm.simulation.get('arm').sim.servos[0]!;
    expect(servo!.torqueOn).toBe(false);
    arm.run(0.01);
    expect(servo!.torqueOn).toBe(true);
  });

  it('loses, damages and doubles requests', async () => {
    const arm = await VirtualArm.start();
    arm.fault({ requests: { loseRate: 1 } });
    expect(arm.ask(SYNC_READ)).toEqual([]);
    arm.fault({ requests: { loseRate: 0, corruptRate: 1 } });
    for (let i = 0; i < 20; i++) expect(arm.ask(request(1, 2, 56, 2))).toEqual([]);
    arm.fault({ requests: { corruptRate: 0, doubleRate: 1 } });
    expect(arm.ask(SYNC_READ)).toHaveLength(2 * LENGTH);
  });

  it('doubles replies', async () => {
    const arm = await VirtualArm.start();
    arm.fault({ doubleRate: 1 });
    expect(arm.ask(SYNC_READ)).toHaveLength(2 * LENGTH);
  });

  it('brings requests and replies late, in their order', async () => {
    const arm = await VirtualArm.start();
    arm.fault({ requests: { lateRate: 1, lateness: 0.1 } });
    const start = arm.time.now;
    for (let i = 0; i < 5; i++) arm.port.write(request(1, 3, 42, 0, i));
    expect(arm.ask(request(1, 2, 42, 2), 1).slice(-3, -1)).toEqual([0, 4]);
    expect(arm.chunks.at(-1)!.time - start).toBeGreaterThan(0.01);
    arm.fault({ requests: { lateRate: 0 }, replies: { lateRate: 1, lateness: 0.1 } });
    const asked = arm.time.now;
    expect(arm.ask(SYNC_READ, 1)).toHaveLength(LENGTH);
    expect(arm.chunks.at(-1)!.time - asked).toBeGreaterThan(0.01);
  });

  it('lets nothing through while it is stuck, and all of it afterwards', async () => {
    const arm = await VirtualArm.start();
    arm.fault({ stall: 0.3 });
    for (let i = 0; i < 3; i++) expect(arm.ask(request(1, 2, 56, 2), 0.05)).toEqual([]);
    arm.chunks = [];
    arm.run(0.3);
    expect(arm.chunks.flatMap(({ bytes }) => [...bytes])).toHaveLength(3 * 8);
  });

  it('is gone while its adapter is pulled out, and can be opened when it is back', async () => {
    const arm = await VirtualArm.start();
    const reasons: string[] = [];
    arm.port.onClose = (reason) => void reasons.push(reason.code);
    arm.fault({ unplugged: true });
    expect(reasons).toEqual(['closed']);
    expect(arm.ask(SYNC_READ)).toEqual([]);
    await expect(arm.port.open()).rejects.toMatchObject({ code: 'not_found' });
    arm.fault({ unplugged: false });
    await arm.port.open();
    expect(arm.ask(SYNC_READ)).toHaveLength(LENGTH);
  });

  it('belongs to the port that was handed out last', async () => {
    const arm = await VirtualArm.start();
    const next = arm.simulation.portFor('arm');
    await next.open();
    expect(arm.read(1, STS.position)).toBeNull();
    await expect(arm.port.open()).rejects.toMatchObject({ code: 'closed' });
  });
});
