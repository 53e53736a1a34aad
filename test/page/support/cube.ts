import { expect } from 'vitest';
import type { BridgeProcess } from '../../e2e/support/bridge.ts';

/** Of the usual pair, the arm that has the scene before it. */
const SCENE_ARM = 1;

export interface SeenObject {
  readonly name: string;
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  /** N */
  readonly touches: readonly { readonly by: string; readonly force: number }[];
}

/** An object of the scene, by the physics. */
export async function object(bridge: BridgeProcess, name: string): Promise<SeenObject> {
  const { objects } = (await bridge.get(`/sim/objects?robot_id=${SCENE_ARM}`)).body as { objects: SeenObject[] };
  return objects.find((other) => other.name === name)!;
}

/**
 * Joint angles of the follower around the cube, from above it to beside it, rad, without the gripper. A person sees them in the
 * picture; moves and joints are left alone by the question.
 * @param heights of the tool, m
 */
export async function posesAtCube(bridge: BridgeProcess, heights: readonly number[]): Promise<number[][]> {
  const { x, y } = (await object(bridge, 'cube')).position;
  const poses: number[][] = [];
  for (const height of heights) {
    // The open fingers come down before the cube, one on each side, and absolute moves count from the tool at init.
    const place = { x: 100 * (x - 0.027 - 0.3123), y: 100 * (y - 0.0069), z: 100 * (height - 0.218) };
    const { body } = await bridge.post('/api/v1/arms/follower/reachable', { ...place, rx: -80 });
    expect(body).toMatchObject({ reachable: true });
    poses.push(body.joints.slice(0, -1));
  }
  return poses;
}
