import { expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { fromLerobot, type LerobotFile, toLerobot } from '../../src/calibration/lerobot.ts';
import { fromPhosphobot, toPhosphobot } from '../../src/calibration/phosphobot.ts';
import { calibrationFile } from '../../src/config/calibration.ts';

const SO101 = loadArmModel('so101');
const KOCH = loadArmModel('koch', 'leader');
const WRITTEN = '2026-11-21T22:00:00.000Z';

/** As LeRobot writes it for a follower: joints by name, the middle of their ranges wherever they came to lie. */
const LEROBOT: LerobotFile = {
  shoulder_pan: { id: 1, drive_mode: 0, homing_offset: -1470, range_min: 753, range_max: 3292 },
  shoulder_lift: { id: 2, drive_mode: 0, homing_offset: 987, range_min: 843, range_max: 3201 },
  elbow_flex: { id: 3, drive_mode: 0, homing_offset: -12, range_min: 897, range_max: 3110 },
  wrist_flex: { id: 4, drive_mode: 1, homing_offset: 2047, range_min: 850, range_max: 3207 },
  wrist_roll: { id: 5, drive_mode: 0, homing_offset: -2047, range_min: 0, range_max: 4095 },
  gripper: { id: 6, drive_mode: 0, homing_offset: 1318, range_min: 2031, range_max: 3475 },
};

test('a calibration of LeRobot is taken over, counts from the middles of its ranges, and goes back as it was', () => {
  const taken = calibrationFile.parse(fromLerobot(LEROBOT, SO101, 'follower', WRITTEN));
  for (const { name, lower, upper } of SO101.joints) {
    const { range_min: least, range_max: most } = LEROBOT[name]!;
    const { sign, zero } = taken.joints[name]!;
    const middle = (sign * ((least + most) / 2 - zero) * 2 * Math.PI) / 4096;
    expect(Math.abs(middle - (lower + upper) / 2), name).toBeLessThan(0.0016);
  }
  expect(taken.joints.wrist_flex!.sign).toBe(-1);
  const back = toLerobot(taken, SO101);
  for (const [name, joint] of Object.entries(LEROBOT)) {
    const { range_min: least, range_max: most, ...rest } = back[name]!;
    expect(joint).toMatchObject(rest);
    expect(Math.abs(least - joint.range_min), name).toBeLessThanOrEqual(1);
    expect(Math.abs(most - joint.range_max), name).toBeLessThanOrEqual(1);
  }
  expect(fromLerobot(back, SO101, 'follower', WRITTEN).joints).toMatchObject(
    Object.fromEntries(Object.entries(taken.joints).map(([name, { zero, sign }]) => [name, { zero, sign }])),
  );
});

test('a Dynamixel arm says by its own register that a servo is reversed; a sign that the format cannot tell is refused', () => {
  const whole = Object.fromEntries(
    KOCH.joints.map(({ name, servos }) => [
      name,
      { id: servos[0]!.id, drive_mode: 0 as const, homing_offset: 5, range_min: 900, range_max: 3100 },
    ]),
  );
  const taken = fromLerobot(whole, KOCH, 'leader', WRITTEN);
  expect(toLerobot(taken, KOCH).elbow_flex!.drive_mode).toBe(1);
  const turned = {
    ...taken,
    joints: { ...taken.joints, elbow_flex: { ...taken.joints.elbow_flex!, sign: -1 as const } },
  };
  expect(() => toLerobot(turned, KOCH)).toThrow(/servo 3 \(elbow_flex\) counts the other way round/);
  expect(() => fromLerobot(whole, SO101, 'x', WRITTEN)).not.toThrow();
  expect(() => fromLerobot({ ...whole, thumb: whole.gripper! }, KOCH, 'x', WRITTEN)).toThrow(/no joint "thumb"/);
  const { gripper: _, ...short } = whole;
  expect(() => fromLerobot(short, KOCH, 'x', WRITTEN)).toThrow(/"gripper" .* is missing/);
});

test('the mounts of a phosphobot configuration are taken over, with the homing offsets that the arm has', () => {
  const config = {
    name: 'so-100',
    servos_offsets: [2048, 1900, 2150, 2048, 2048, 1536],
    servos_offsets_signs: [-1, 1, 1, 1, 1, 1] as (1 | -1)[],
  };
  const before = fromLerobot(LEROBOT, SO101, 'follower', WRITTEN);
  const taken = calibrationFile.parse(fromPhosphobot(config, SO101, 'follower', WRITTEN, before));
  expect(Object.values(taken.joints).map(({ zero }) => zero)).toEqual(config.servos_offsets);
  expect(Object.values(taken.joints).map(({ sign }) => sign)).toEqual(config.servos_offsets_signs);
  expect(taken.joints.gripper!.homing_offset).toBe(1318);
  expect(() => fromPhosphobot({ ...config, servos_offsets: [1] }, SO101, 'x', WRITTEN, null)).toThrow(/has 1 values/);
});

test('a calibration goes to phosphobot, and comes back with the same zeros, signs and offsets', () => {
  const before = fromLerobot(LEROBOT, SO101, 'follower', WRITTEN);
  const given = toPhosphobot(before, SO101, { voltage: 7.4, gripperTorque: 2.94 });
  expect(Object.keys(given)).toEqual([
    'name',
    'servos_voltage',
    'servos_offsets',
    'servos_calibration_position',
    'servos_offsets_signs',
    'pid_gains',
    'gripping_threshold',
    'non_gripping_threshold',
  ]);
  // The gripper opens from its zero to its calibration position.
  const { zero, sign } = before.joints.gripper!;
  const opened = (sign * (given.servos_calibration_position[5]! - zero) * 2 * Math.PI) / 4096;
  expect(opened).toBeCloseTo(SO101.gripper!.open, 2);
  expect(given.gripping_threshold).toBeGreaterThan(given.non_gripping_threshold);
  const back = fromPhosphobot(JSON.parse(JSON.stringify(given)), SO101, 'follower', WRITTEN, before);
  for (const [name, joint] of Object.entries(before.joints)) {
    const { id, sign: turned, zero: counted, homing_offset } = joint;
    expect(back.joints[name]).toMatchObject({ id, sign: turned, zero: counted, homing_offset });
  }
});
