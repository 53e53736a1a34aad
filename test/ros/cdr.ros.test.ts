import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  decodeJointState,
  JointStateEncoder,
  PoseStampedEncoder,
  TransformsEncoder,
  WrenchStampedEncoder,
} from '../../src/ros/cdr.ts';
import { describeRos, isolateRos, Witness } from './support/ros.ts';

const NAMES = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
const POSITIONS = Float64Array.of(0.1, -0.2, Math.PI, -1e-9, 0, 1.5);
const VELOCITIES = Float64Array.of(1, 2, 3, -4, 5.5, 0);
const EFFORTS = Float64Array.of(0.01, -2.94, 0, 1, 2, 3);
const STAMP = 1_764_000_000.25;
const HEADER = { stamp: { sec: 1_764_000_000, nanosec: 250_000_000 } };
const POSE = { position: { x: 0.391362, y: -0.000011, z: 0.226469 }, orientation: { x: 0.1, y: -0.2, z: 0.3, w: 0.9 } };

/**
 * What rclpy wrote, without what it left as it found it in memory: padding, here set to zero, and an end of up to
 * 8 bytes, which Fast DDS reserves because it reckons with padding after empty sequences of doubles. Every field of a
 * message comes as its size, which is its alignment, or as a string.
 */
function withoutPadding(bytes: Buffer, fields: readonly (4 | 8 | string)[]): string {
  const clean = Buffer.alloc(bytes.length);
  bytes.copy(clean, 0, 0, 4);
  let at = 4;
  for (const field of fields) {
    const size = typeof field === 'string' ? 4 : field;
    while ((at - 4) % size !== 0) at++;
    const end = at + size + (typeof field === 'string' ? field.length + 1 : 0);
    bytes.copy(clean, at, at, end);
    at = end;
  }
  expect(bytes.length - at).toBeGreaterThanOrEqual(0);
  expect(bytes.length - at).toBeLessThanOrEqual(8);
  return clean.toString('hex', 0, at);
}

const doubles = (count: number): (4 | 8)[] => [4, ...Array<8>(count).fill(8)];

const jointStateFields = (names: readonly string[], velocities: boolean, efforts: boolean): (4 | 8 | string)[] => [
  ...([4, 4, '', 4] as const),
  ...names,
  ...doubles(names.length),
  ...doubles(velocities ? names.length : 0),
  ...doubles(efforts ? names.length : 0),
];

describeRos('CDR beside rclpy', () => {
  let restore: () => void;
  let witness: Witness;
  beforeAll(async () => {
    restore = isolateRos();
    witness = await Witness.start();
  });
  afterAll(async () => {
    await witness?.close();
    restore();
  });

  test.each([
    [null, null],
    [VELOCITIES, null],
    [null, EFFORTS],
    [VELOCITIES, EFFORTS],
  ])('a JointState is what rclpy writes, byte for byte (velocities %o, efforts %o)', async (velocities, efforts) => {
    const fields = { header: HEADER, name: NAMES, position: [...POSITIONS] };
    const known = { velocity: [...(velocities ?? [])], effort: [...(efforts ?? [])] };
    const expected = await witness.serialize('sensor_msgs/msg/JointState', { ...fields, ...known });
    const encoder = new JointStateEncoder(NAMES);
    encoder.encode(1, EFFORTS, velocities, efforts);
    const bytes = encoder.encode(STAMP, POSITIONS, velocities, efforts);
    const layout = jointStateFields(NAMES, velocities !== null, efforts !== null);
    expect(bytes.toString('hex')).toBe(withoutPadding(expected, layout));
  });

  test.each([['j'], ['a', 'bc', 'def', 'ghij'], ['a_longer_name_of_a_joint']])(
    'the padding is that of rclpy for joints %s',
    async (...names: string[]) => {
      const positions = Float64Array.from(names, (_, index) => index + 0.5);
      const fields = { header: HEADER, name: names, position: [...positions], effort: [...positions] };
      const expected = await witness.serialize('sensor_msgs/msg/JointState', fields);
      const bytes = new JointStateEncoder(names).encode(STAMP, positions, null, positions);
      expect(bytes.toString('hex')).toBe(withoutPadding(expected, jointStateFields(names, false, true)));
    },
  );

  test.each(['follower/base_link', 'a/base_link', 'ab/base_link', 'abc/base_link'])(
    'a PoseStamped in %s is what rclpy writes, byte for byte',
    async (frame) => {
      const fields = { header: { ...HEADER, frame_id: frame }, pose: POSE };
      const expected = await witness.serialize('geometry_msgs/msg/PoseStamped', fields);
      const bytes = new PoseStampedEncoder(frame).encode(STAMP, POSE);
      expect(bytes.toString('hex')).toBe(withoutPadding(expected, [4, 4, frame, 8, 8, 8, 8, 8, 8, 8]));
    },
  );

  test.each(['arm/tool', 'ab/tool', 'follower/gripper_frame'])(
    'a WrenchStamped in %s is what rclpy writes, byte for byte',
    async (frame) => {
      const wrench = { force: { x: 1.5, y: -2, z: 9 }, torque: { x: 0.1, y: 0.2, z: -0.3 } };
      const fields = { header: { ...HEADER, frame_id: frame }, wrench };
      const expected = await witness.serialize('geometry_msgs/msg/WrenchStamped', fields);
      const bytes = new WrenchStampedEncoder(frame).encode(STAMP, Float64Array.of(1.5, -2, 9, 0.1, 0.2, -0.3));
      expect(bytes.toString('hex')).toBe(withoutPadding(expected, [4, 4, frame, 8, 8, 8, 8, 8, 8]));
    },
  );

  test.each([['a/base'], ['follower/base_link', 'follower/shoulder', 'follower/arm'], ['ab/c', 'abc/de']])(
    'a TFMessage down the frames %s is what rclpy writes, byte for byte',
    async (...names: string[]) => {
      const frames = names.map((child, index) => ({ parent: names[index - 1] ?? 'world', child }));
      const { x, y, z } = POSE.position;
      const { x: qx, y: qy, z: qz, w: qw } = POSE.orientation;
      const values = Float64Array.from(frames.flatMap((_, index) => [x + index, y, z, qx, qy, qz, qw - index]));
      const transforms = frames.map(({ parent, child }, index) => ({
        header: { ...HEADER, frame_id: parent },
        child_frame_id: child,
        transform: { translation: { x: x + index, y, z }, rotation: { x: qx, y: qy, z: qz, w: qw - index } },
      }));
      const expected = await witness.serialize('tf2_msgs/msg/TFMessage', { transforms });
      const layout = frames.flatMap(({ parent, child }) => [4, 4, parent, child, 8, 8, 8, 8, 8, 8, 8] as const);
      const encoder = new TransformsEncoder(frames);
      encoder.encode(1, new Float64Array(values.length));
      expect(encoder.encode(STAMP, values).toString('hex')).toBe(withoutPadding(expected, [4, ...layout]));
    },
  );

  test('a JointState that rclpy wrote reads as what it was made from', async () => {
    const efforts = Float64Array.of(0.5, -1.25);
    const header = { ...HEADER, frame_id: 'frame' };
    const fields = { header, name: NAMES, position: [...POSITIONS], effort: [...efforts] };
    const message = decodeJointState(await witness.serialize('sensor_msgs/msg/JointState', fields));
    const velocities = new Float64Array();
    expect(message).toEqual({ stamp: STAMP, frame: 'frame', names: NAMES, positions: POSITIONS, velocities, efforts });
  });
});
