import { afterEach, describe, expect, test } from 'vitest';
import { lineOf } from '../../../src/cli/setup/arm.ts';
import { setRegisters } from '../../../src/cli/setup/registers.ts';
import { systemClock } from '../../../src/clock.ts';
import type { LinkJoint, LinkServo } from '../../../src/rt/driver/servo-slots.ts';
import { expectedServos } from '../../../src/servo/expected-servo.ts';
import { familyByName } from '../../../src/servo/families.ts';
import { modelByName } from '../../../src/servo/servo-models.ts';
import { ServedArm } from '../../../src/sim/serve.ts';
import type { SimServo } from '../../../src/sim/simulated-arm.ts';
import { JOINTS, so101 } from '../../sim/so101.ts';
import { registersByMaker, WITNESS_PYTHON } from '../../support/witness.ts';
import { LinkLoop, PATIENCE } from './support/link.ts';

const SHOULDER = 1;
const ELBOW = 2;
const WRIST = 3;
const OVERLOAD = 32;
/** Of the XM430, and what the arm's data set in the shoulder. */
const USUAL_GAIN = 800;
const SOFT_GAIN = 640;
/** As the grippers of a Koch and of a WidowX: no more than half of the servo's torque, also without a bridge. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  shoulder_lift: { position_p_gain: SOFT_GAIN },
  wrist_roll: { operating_mode: 5, current_limit: 735 },
  gripper: { pwm_limit: 442 },
};
/** Position limit of all joints, rad: within a turn of each servo, wherever it is mounted. */
const LIMIT = 2.2;
/** As a WidowX has them: the shoulder's second servo is a shadow, mounted face to face; the elbow's is none here. */
const SERVOS: readonly (readonly SimServo[])[] = [
  [servo(1, 'XM430-W350')],
  [servo(2, 'XM430-W350'), servo(3, 'XM430-W350', { sign: -1, shadow: true })],
  [servo(4, 'XM430-W350'), servo(5, 'XM430-W350', { sign: -1, zero: 1500 })],
  [servo(6, 'XL430-W250', { sign: -1, zero: 2100 })],
  [servo(7, 'XL330-M288')],
  [servo(8, 'XL430-W250')],
];

function servo(id: number, model: string, changes: Partial<SimServo> = {}): SimServo {
  return { id, model, sign: 1, zero: 2048, shadow: false, ...changes };
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The arm behind a real pseudo-terminal, and an arm's link whose data are as `expected` says. */
async function start(
  expected: (servo: SimServo) => Partial<SimServo> = () => ({}),
  simulated: (servo: SimServo) => Partial<SimServo> = () => ({}),
  setUp = true,
): Promise<{ arm: ServedArm; loop: LinkLoop }> {
  const arm = await ServedArm.start({
    clock: systemClock,
    arm: so101('arm', {
      joints: JOINTS.map((name, i) => ({
        name,
        servos: SERVOS[i]!.map((own) => ({ ...own, ...simulated(own) })),
        settings: setUp ? (SETTINGS[name] ?? {}) : {},
      })),
      initial: [0, -1, 1, 0.3, 0, 0.2],
    }),
    pty: { link: null },
  });
  ends.push(() => arm.close());
  const joints = JOINTS.map(
    (name, i): LinkJoint => ({
      name,
      lower: -LIMIT,
      upper: LIMIT,
      settings: SETTINGS[name] ?? {},
      servos: SERVOS[i]!.map((own): LinkServo => {
        const { id, model: trade, sign, zero, shadow } = { ...own, ...expected(own) };
        return {
          id,
          model: modelByName(trade)!,
          calibration: { sign, zero, stepsPerTurn: 4096 },
          shadow: shadow === true,
        };
      }),
    }),
  );
  const loop = new LinkLoop(arm.path!, joints);
  ends.push(() => loop.close());
  return { arm, loop };
}

describe.skipIf(process.platform !== 'linux')('joints with several servos, and several models on one bus', () => {
  test('are held and moved as one, each servo by its own sign and zero, in their own units', async () => {
    const { arm, loop } = await start();
    await loop.up();
    expect(loop.warnings).toEqual([]);
    expect(loop.link.torqueRefusal).toBe('');
    for (const [i, position] of arm.truth().positions.entries()) {
      expect(Math.abs(loop.link.readings.positions[i]! - position)).toBeLessThan(0.05);
    }
    await loop.hold();
    expect([...loop.link.held]).toEqual(JOINTS.map(() => 1));
    loop.goals[SHOULDER] = -0.8;
    loop.goals[ELBOW] = 0.7;
    loop.goals[WRIST] = 0.6;
    await expect.poll(() => loop.link.readings.positions[ELBOW]!, PATIENCE).toBeLessThan(0.75);
    await expect.poll(() => Math.max(...arm.truth().velocities.map(Math.abs)), PATIENCE).toBeLessThan(0.005);
    const { positions, motorTorques } = arm.truth();
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
      await expect
        .poll(() => Math.abs(loop.link.readings.efforts[joint]! - arm.truth().motorTorques[joint]!), PATIENCE)
        .toBeLessThan(0.05);
    }
    for (const [i, torque] of arm.truth().motorTorques.entries()) {
      expect(Math.abs(loop.link.readings.efforts[i]! - torque), JOINTS[i]).toBeLessThan(0.05);
    }

    loop.driving = false;
    loop.link.setTorque(false);
    await expect.poll(() => loop.link.anyTorque, PATIENCE).toBe(false);
    expect(arm.truth().motorTorques).toEqual(JOINTS.map(() => 0));
  });

  test('a shadow that is not set up as one is refused, with what to write to it', async () => {
    const { loop } = await start(undefined, ({ shadow }) => (shadow ? { shadow: false } : {}));
    await expect.poll(() => loop.link.reason, PATIENCE).toMatch(/servo 3/);
    expect(loop.link.up).toBe(false);
    expect(loop.link.reason).toBe(
      'servo 3 (shoulder_lift): drive_mode is 0 instead of 1: it would work against servo 2, which it is to follow in ' +
        'reverse; arm-bridge setup registers sets it; servo 3 (shoulder_lift): secondary_id is 255 instead of 2: it is to ' +
        'follow servo 2; arm-bridge setup registers sets it',
    );
  });

  test('a second servo whose zero is wrong would work against the first: no torque', async () => {
    const { loop } = await start(({ id }) => (id === 5 ? { zero: 1600 } : {}));
    await loop.up();
    await expect
      .poll(() => loop.link.torqueRefusal, PATIENCE)
      .toContain('servo 5 (elbow_flex) stands 0.15 rad from the other servo of elbow_flex');
  });

  test('a shadow that shuts itself down is told, and brought back with its settings', async () => {
    const { arm, loop } = await start();
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
    arm.arm.raiseOverload(3);
    await expect.poll(() => loop.link.readings.alarms[SHOULDER], PATIENCE).toBe(OVERLOAD);
    await expect.poll(() => loop.link.torque, PATIENCE).toBe(false);
    expect(loop.warnings.join()).toContain('servo 3 (shoulder_lift): overload: take the load off it');
    await expect.poll(() => loop.link.up, PATIENCE).toBe(true);
    expect([...loop.link.held]).toEqual(JOINTS.map((_, i) => (i === SHOULDER ? 0 : 1)));
    await expect
      .poll(() => loop.link.torqueRefusal, PATIENCE)
      .toContain('servo 3 (shoulder_lift) has shut itself down');
    expect(loop.link.recover(systemClock.now())).toBe('');
    await expect.poll(() => loop.link.up && loop.link.readings.alarms[SHOULDER] === 0, PATIENCE).toBe(true);
    expect(loop.link.torqueRefusal).toBe('');
    // Both servos of the joint have the soft gain, which a restart makes forget.
    expect(loop.link.gain[SHOULDER]).toBeCloseTo(SOFT_GAIN / USUAL_GAIN, 9);
    await loop.hold();
  });

  test.skipIf(!WITNESS_PYTHON)('grippers have their protection as another program reads it over the line', async () => {
    const { arm, loop } = await start(undefined, undefined, false);
    await loop.up();
    expect(loop.warnings.join()).toContain('servo 7 (wrist_roll): operating_mode is 3 instead of 5');
    await loop.close();
    const servos = JOINTS.flatMap((name, i) =>
      expectedServos({
        ...{ name, lower: -Math.PI, upper: Math.PI },
        settings: SETTINGS[name] ?? {},
        servos: SERVOS[i]!.map(({ id, model, sign, zero, shadow = false }) => {
          return { id, model: modelByName(model)!, calibration: { sign, zero, stepsPerTurn: 4096 }, shadow };
        }),
      }),
    );
    const line = lineOf(`serial:${arm.path}`, familyByName('dynamixel'));
    await setRegisters(line, servos, 1_000_000);
    const registers = ['7:11:1', '7:38:2', '8:36:2', '6:36:2', '2:84:2', '3:84:2'];
    expect(await registersByMaker('dynamixel', arm.path!, ...registers)).toEqual([5, 735, 442, 885, 640, 640]);
  });

  test('servos of another year are driven as what they are, with a warning', async () => {
    const { arm, loop } = await start(({ id }) => (id === 8 ? { model: 'XM430-W350' } : {}));
    await loop.up();
    expect(loop.warnings).toEqual(['servo 8 (gripper) is a XL430-W250, not a XM430-W350: it is driven as what it is']);
    // Its spring is that of its own gain and torque: 640 x 1.5 Nm where 800 x 4.1 Nm were expected.
    expect([...loop.link.gain].map((gain) => Number(gain.toFixed(4)))).toEqual([1, 0.8, 1, 1, 1, 0.2927]);
    await loop.hold();
    loop.goals[5] = 0.9;
    await expect.poll(() => arm.truth().positions[5]!, PATIENCE).toBeGreaterThan(0.85);
  });
});
