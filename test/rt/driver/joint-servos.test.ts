import loadMujoco from '@mujoco/mujoco';
import { describe, expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import { LocalSimulation } from '../../../src/sim/local-simulation.ts';
import { JOINTS } from '../../sim/so101.ts';
import { armOfPairs, type Changes, linkJoints, SOFT_GAIN, USUAL_GAIN } from './support/joint-servos.ts';
import { LinkLoop } from './support/link.ts';

const mj = await loadMujoco();

const SHOULDER = 1;
const ELBOW = 2;
const WRIST = 3;
const OVERLOAD = 32;
/** Position limit of all joints, rad: within a turn of each servo, wherever it is mounted. */
const LIMIT = 2.2;

/** The arm behind a line, and an arm's link whose data are as `expected` says. */
function start(expected?: Changes, simulated?: Changes, setUp = true) {
  const time = new VirtualTime();
  const simulation = new LocalSimulation({
    clock: time.lane('all'),
    mujoco: mj,
    line: { baudRate: 1_000_000 },
    tick: 0.001,
    catchUp: Number.POSITIVE_INFINITY,
    onFailure: (message) => {
      throw new Error(message);
    },
  });
  onTestFinished(() => simulation.dispose());
  const { sim } = simulation.build(armOfPairs(simulated, setUp));
  const loop = new LinkLoop(time, simulation.portFor('arm'), linkJoints(LIMIT, expected));
  const truth = () => simulation.truthNow('arm');
  return { sim, truth, loop };
}

describe('joints with several servos, and several models on one bus', () => {
  test('are held and moved as one, each servo by its own sign and zero, in their own units', async () => {
    const { truth, loop } = start();
    await loop.up();
    expect(loop.warnings).toEqual([]);
    expect(loop.link.torqueRefusal).toBe('');
    for (const [i, position] of truth().positions.entries()) {
      expect(Math.abs(loop.link.readings.positions[i]! - position)).toBeLessThan(0.05);
    }
    await loop.hold();
    expect([...loop.link.held]).toEqual(JOINTS.map(() => 1));
    loop.goals[SHOULDER] = -0.8;
    loop.goals[ELBOW] = 0.7;
    loop.goals[WRIST] = 0.6;
    await loop.becomes(() => expect(loop.link.readings.positions[ELBOW]!).toBeLessThan(0.75));
    await loop.becomes(() => expect(Math.max(...truth().velocities.map(Math.abs))).toBeLessThan(0.005));
    const { positions, motorTorques } = truth();
    // A servo that is mounted the other way round is read and moved in one and the same sense.
    expect(Math.abs(positions[WRIST]! - 0.6)).toBeLessThan(0.1);
    // Two springs that each carry half: servos of a pair that work against each other would show here.
    for (const [joint, gain] of [
      [SHOULDER, SOFT_GAIN],
      [ELBOW, USUAL_GAIN],
    ] as const) {
      const stiffness = (2 * gain * 4.1 * (4096 / (2 * Math.PI))) / (128 * 885);
      const short = loop.goals[joint]! - positions[joint]!;
      expect(Math.abs(short - motorTorques[joint]! / stiffness)).toBeLessThan(0.002);
      // What current (2.69 mA) and load (0.1 %) add up to.
      await loop.becomes(() =>
        expect(Math.abs(loop.link.readings.efforts[joint]! - truth().motorTorques[joint]!)).toBeLessThan(0.05),
      );
    }
    for (const [i, torque] of truth().motorTorques.entries()) {
      expect(Math.abs(loop.link.readings.efforts[i]! - torque), JOINTS[i]).toBeLessThan(0.05);
    }

    loop.driving = false;
    loop.link.setTorque(false);
    await loop.becomes(() => expect(loop.link.anyTorque).toBe(false));
    expect(truth().motorTorques).toEqual(JOINTS.map(() => 0));
  });

  test('a shadow that is not set up as one is refused, with what to write to it', async () => {
    const { loop } = start(undefined, ({ shadow }) => (shadow ? { shadow: false } : {}));
    await loop.becomes(() => expect(loop.link.reason).toMatch(/servo 3/));
    expect(loop.link.up).toBe(false);
    expect(loop.link.reason).toBe(
      'servo 3 (shoulder_lift): drive_mode is 0 instead of 1: it would work against servo 2, which it is to follow in ' +
        'reverse; arm-bridge setup registers sets it; servo 3 (shoulder_lift): secondary_id is 255 instead of 2: it is to ' +
        'follow servo 2; arm-bridge setup registers sets it',
    );
  });

  test('a second servo whose zero is wrong would work against the first: no torque', async () => {
    const { loop } = start(({ id }) => (id === 5 ? { zero: 1600 } : {}));
    await loop.up();
    await loop.becomes(() =>
      expect(loop.link.torqueRefusal).toContain(
        'servo 5 (elbow_flex) stands 0.15 rad from the other servo of elbow_flex',
      ),
    );
  });

  test('a shadow that shuts itself down is told, and brought back with its settings', async () => {
    const { sim, loop } = start();
    await loop.up();
    await loop.hold();
    // The arm stays up for those that would lower it, of whom there are none here.
    loop.link.onAiling = (joint, text, ailment) => {
      expect([joint, text, ailment]).toEqual([
        SHOULDER,
        expect.stringContaining('servo 3 (shoulder_lift) has shut itself down (overload'),
        'limp',
      ]);
      loop.link.giveUp();
    };
    sim.raiseOverload(3);
    await loop.becomes(() => expect(loop.link.readings.alarms[SHOULDER]).toBe(OVERLOAD));
    await loop.becomes(() => expect(loop.link.torque).toBe(false));
    expect(loop.warnings.join()).toContain('servo 3 (shoulder_lift): overload: take the load off it');
    await loop.becomes(() => expect(loop.link.up).toBe(true));
    expect([...loop.link.held]).toEqual(JOINTS.map((_, i) => (i === SHOULDER ? 0 : 1)));
    await loop.becomes(() => expect(loop.link.torqueRefusal).toContain('servo 3 (shoulder_lift) has shut itself down'));
    expect(loop.link.recover(loop.time.now, () => true)).toBe('');
    await loop.becomes(() => expect(loop.link.up && loop.link.readings.alarms[SHOULDER] === 0).toBe(true));
    expect(loop.link.torqueRefusal).toBe('');
    // Both servos of the joint have the soft gain, which a restart makes forget.
    expect(loop.link.gain[SHOULDER]).toBeCloseTo(SOFT_GAIN / USUAL_GAIN, 9);
    await loop.hold();
  });

  test('servos that are not set up as their arm asks are told', async () => {
    const { loop } = start(undefined, undefined, false);
    await loop.up();
    expect(loop.warnings.join()).toContain('servo 7 (wrist_roll): operating_mode is 3 instead of 5');
  });

  test('servos of another year are driven as what they are, with a warning', async () => {
    const { truth, loop } = start(({ id }) => (id === 8 ? { model: 'XM430-W350' } : {}));
    await loop.up();
    expect(loop.warnings).toEqual(['servo 8 (gripper) is a XL430-W250, not a XM430-W350: it is driven as what it is']);
    // Its spring is that of its own gain and torque: 640 x 1.5 Nm where 800 x 4.1 Nm were expected.
    expect([...loop.link.gain].map((gain) => Number(gain.toFixed(4)))).toEqual([1, 0.8, 1, 1, 1, 0.2927]);
    await loop.hold();
    loop.goals[5] = 0.9;
    await loop.becomes(() => expect(truth().positions[5]!).toBeGreaterThan(0.85));
  });
});
