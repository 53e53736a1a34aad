import { setTimeout as sleep } from 'node:timers/promises';
import { McapFile } from '../src/recording/mcap-file.ts';
import { JOINT_STATE } from '../src/recording/ros-schemas.ts';
import { JointStateEncoder } from '../src/ros/cdr.ts';
import { loadModel } from './arms.ts';

/** Rate of the recording, Hz, and its length, s. */
export const RATE = 200;
export const HOUR = 3600;

/**
 * Writes a recording of an arm that turns to and fro about its pose `init`, as the bridge writes it.
 * @param path of the file, which must not exist
 * @param arm name of the arm
 * @param duration s
 */
export async function writeHour(path: string, arm: string, duration = HOUR): Promise<void> {
  const { joints, poses } = loadModel();
  const names = joints.map(({ name }) => name);
  const file = await McapFile.create(path);
  const topic = await file.topic(`/${arm}/joint_states`, JOINT_STATE);
  const encoder = new JointStateEncoder(names);
  const zeros = new Float64Array(names.length);
  const begin = Date.now() / 1000;
  for (let k = 0; k < duration * RATE; k++) {
    const positions = poses.get('init')!.slice();
    positions[0] = positions[0]! + 0.6 * Math.sin(k / RATE);
    const time = begin + k / RATE;
    // The disk gets its share: an hour comes in seconds here.
    if (k % RATE === 0) await sleep(1);
    await file.add(topic, encoder.encode(time, positions, zeros, zeros), time);
  }
  await file.end();
}
