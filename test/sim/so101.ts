import { readFileSync } from 'node:fs';
import type { SimArmOptions } from '../../src/sim/simulated-arm.ts';

export const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'] as const;

const URDF = readFileSync(new URL('../../robots/so101/so101.urdf', import.meta.url), 'utf8');

/** An SO-101 on servos 1..6 that stands at `initial` (rad, default all 0). */
export function so101(name: string, changes: Partial<SimArmOptions> = {}): SimArmOptions {
  return {
    name,
    urdf: URDF,
    toolLink: 'tool',
    joints: JOINTS.map((joint, i) => ({ name: joint, servos: [{ id: i + 1, model: 'STS3215', sign: 1, zero: 2048 }] })),
    initial: JOINTS.map(() => 0),
    ...changes,
  };
}
