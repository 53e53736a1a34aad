import { describe, expect, it } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { simulatedCounterpart } from '../../src/arm/simulated-counterpart.ts';
import { asKit, KitHand, kitArm, kitJoints } from '../../src/sim/kit.ts';
import { STS, VirtualArm, X } from './virtual-arm.ts';

const ID_X = [7, 1] as const;
const ID_STS = [5, 1] as const;

async function kit(name: string) {
  const model = loadArmModel(name);
  const arm = await VirtualArm.start(name, asKit(simulatedCounterpart(model, 'arm'), 1));
  return { model, arm, hand: new KitHand(kitArm(arm.simulation.get('arm').sim), kitJoints(model.joints), arm.lane) };
}

/** Whatever waits for no time has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('a kit from the shop', () => {
  it('has new servos that answer only while they are plugged in, alone as what every new servo is', async () => {
    const { arm, hand } = await kit('so101');
    expect(arm.read(1, STS.position)).toBeNull();
    expect(await hand.plug('gripper')).toEqual([6]);
    arm.run(0.2);
    expect([arm.read(1, ID_STS), arm.read(6, ID_STS)]).toEqual([1, null]);
    arm.write(1, [55, 1], 0);
    arm.write(1, ID_STS, 6);
    arm.write(6, [55, 1], 1);
    await hand.plug('nothing');
    arm.run(0.2);
    expect([arm.read(1, ID_STS), arm.read(6, ID_STS)]).toEqual([null, null]);
    await hand.plug('all');
    arm.run(0.2);
    expect(arm.read(6, ID_STS)).toBe(6);
  });

  it('of a Dynamixel arm has the rate of the factory, and names servos by their id where a joint has two', async () => {
    const { arm, hand } = await kit('wx250s');
    await expect(hand.plug('shoulder')).rejects.toThrow('shoulder has several servos: name one, 2 or 3');
    await expect(hand.plug('tail')).rejects.toThrow('there is no "tail"; there are waist (1)');
    expect(await hand.plug('3')).toEqual([3]);
    arm.run(0.2);
    expect([arm.read(1, ID_X), arm.read(1, [8, 1]), arm.read(1, X.torque)]).toEqual([1, 1, 0]);
  });

  it('has horns that were put on anywhere, and joints that a hand leads to both ends and lets go of', async () => {
    const { model, arm, hand } = await kit('so101');
    const [least, most] = [model.joints.map(() => 9), model.joints.map(() => -9)];
    let done: boolean | null = null;
    void hand.ends().then((there) => {
      done = there;
    });
    while (done === null) {
      arm.run(0.05);
      await settled();
      model.joints.forEach((_, i) => {
        least[i] = Math.min(least[i]!, arm.joint(i));
        most[i] = Math.max(most[i]!, arm.joint(i));
      });
    }
    expect(done).toBe(true);
    for (const [i, { name, lower, upper }] of model.joints.entries()) {
      expect((most[i]! - least[i]!) / (upper - lower), name).toBeGreaterThan(0.95);
      expect(Math.abs(arm.joint(i) - (lower + upper) / 2), name).toBeLessThan(0.05);
    }
    await hand.plug('gripper');
    arm.run(0.2);
    const { zero } = model.joints[5]!.servos[0]!;
    const beside = arm.read(1, STS.position)! - zero - (arm.joint(5) * 4096) / (2 * Math.PI);
    expect(Math.abs(beside)).toBeGreaterThan(10);
    await hand.letGo();
    arm.run(1);
    expect(Math.abs(arm.joint(1) - (model.joints[1]!.lower + model.joints[1]!.upper) / 2)).toBeGreaterThan(0.1);
  });

  it('is led by a hand that tells when it was sent elsewhere', async () => {
    const { arm, hand } = await kit('so101');
    const first = hand.middle();
    const second = hand.lead('gripper', 99);
    for (let steps = 0; steps < 80; steps++) {
      await settled();
      arm.run(0.05);
    }
    expect(await first).toBe(false);
    expect(await second).toBe(true);
    await expect(hand.lead('tail', 0)).rejects.toThrow('there is no "tail"');
  });
});
