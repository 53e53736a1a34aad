import { BridgeError } from '../src/arm/types.ts';
import type { Bridge } from '../src/bridge.ts';
import { SETTLING } from './answers.ts';
import type { Deed } from './script.ts';
import type { World } from './world.ts';

type Control = Extract<Deed, { do: 'follow' | 'grip' }>;

/** Nearer than this a gripper has arrived, rad. */
const ARRIVED = 0.03;

let begun = 0;

/** A controller drives joints of an arm, or its gripper; each is an owner of its own, as those of ROS are. */
export async function control(world: World, deed: Control): Promise<void> {
  const { bridge, host, judge } = world;
  if (bridge === null || host === null) return;
  const undo = judge.driven(deed.arm);
  const reason = `${deed.do} ${begun++}`;
  if (!judge.isStopped(deed.arm)) judge.allow(deed.arm, reason, Number.POSITIVE_INFINITY, 'move');
  // The main thread hears of it when it runs.
  await new Promise<void>((resolve) => host.clock.soon(resolve));
  try {
    await carryOut(bridge, deed);
  } catch (error) {
    if (!(error instanceof BridgeError)) judge.complain('error', deed.arm, String(error));
    undo();
  }
  if (world.host === host && judge.allowedUntil(deed.arm, reason) > world.now)
    judge.allow(deed.arm, reason, world.now + SETTLING);
}

/** Setpoints leap, and leap back, after this time, s. */
const BETWEEN_LEAPS = 1.5;
/** A stream that says nothing for so long has ended, s. */
const STREAM_TIMEOUT = 0.5;

/** A program streams setpoints for an arm: it may move while they are taken. */
export async function stream(world: World, deed: Extract<Deed, { do: 'stream' }>, wait: Wait): Promise<void> {
  const { bridge, host, judge } = world;
  if (bridge === null || host === null) return;
  const number = begun++;
  const caller = { owner: { key: `stream/${number}`, name: `stream ${number}` }, takeOver: deed.takeOver };
  const names = Object.keys(deed.joints);
  const options = { timeout: STREAM_TIMEOUT, reapproach: deed.reapproach };
  let taken = false;
  for (let t = 0; t < deed.over && world.host === host; t += deed.every) {
    const offset = deed.swing * Math.sin(deed.turn * t) + deed.leap * (Math.floor(t / BETWEEN_LEAPS) % 2);
    const positions = Float64Array.from(Object.values(deed.joints), (angle) => angle + offset);
    host.clock.soon(() => {
      const refused = bridge.streams.command(bridge.arms.byName(deed.arm)!, names, positions, caller, options);
      if (refused !== null) return;
      if (!taken) judge.driven(deed.arm);
      taken = true;
      judge.allow(deed.arm, `stream ${number}`, world.now + STREAM_TIMEOUT + SETTLING, 'follow');
    });
    await wait(deed.every);
  }
}

/** Resolves after so long, s. */
type Wait = (duration: number) => Promise<void>;

async function carryOut({ arms, trajectories }: Bridge, deed: Control): Promise<void> {
  const arm = arms.byName(deed.arm)!;
  const caller = { owner: { key: `controller/${deed.do}`, name: `controller ${deed.do}` }, takeOver: deed.takeOver };
  if (deed.do === 'follow') {
    const none = new Float64Array(arm.model.joints.length).fill(Number.POSITIVE_INFINITY);
    const path = {
      names: Object.keys(deed.joints),
      times: Float64Array.of(deed.over),
      positions: Float64Array.from(Object.values(deed.joints)),
      velocities: null,
    };
    const tolerances = { path: none, pathVelocity: none, goal: none, goalVelocity: none, goalTime: 0 };
    await trajectories.follow(arm, path, tolerances, caller);
    return;
  }
  const { gripper } = arm.model;
  if (gripper === null) return;
  const position = gripper.closed + deed.opening * (gripper.open - gripper.closed);
  await trajectories.gripper(arm, { position, velocity: deed.velocity, torque: deed.torque }, ARRIVED, caller);
}
