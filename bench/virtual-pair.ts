import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MainModule } from '@mujoco/mujoco';
import { pino } from 'pino';
import { VirtualHost } from '../explore/virtual-host.ts';
import type { Arm } from '../src/arm/arm.ts';
import { Bridge } from '../src/bridge.ts';
import { configSchema } from '../src/config/schema.ts';
import type { GearOptions } from '../src/sim/gear.ts';
import type { SimulatedArm } from '../src/sim/simulated-arm.ts';

/** Most virtual time in which the bridge does what it is asked, s. */
const LIMIT = 60;

/** Angles by joint, rad. */
type Angles = Readonly<Record<string, number>>;

/**
 * An SO-101 leader that floats with its weight carried and an SO-101 that follows it, over MuJoCo in virtual time: the same calls
 * give the same motion on any machine.
 */
export class VirtualPair {
  readonly host: VirtualHost;
  readonly bridge: Bridge;
  readonly #folder: string;

  private constructor(host: VirtualHost, bridge: Bridge, folder: string) {
    this.host = host;
    this.bridge = bridge;
    this.#folder = folder;
  }

  /**
   * @param start where both begin, by joint, rad @param feedback as `force_feedback` of /move/leader/start
   * @param scene what stands before the follower; null: nothing @param gear of all joints; left out: without play @param rate Hz
   */
  static async start(
    mujoco: MainModule,
    start: (follower: Arm) => Angles,
    feedback: { readonly arm?: number; readonly gripper?: number },
    scene: string | null = null,
    gear: GearOptions = {},
    rate = 200,
  ): Promise<VirtualPair> {
    const host = new VirtualHost(mujoco);
    host.gear = gear;
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-pair-'));
    const config = configSchema.parse({
      state_folder: folder,
      recording: { folder: join(folder, 'recordings') },
      ros: { enabled: false },
      control: { rate },
      sim: { scene },
      arms: [
        { name: 'leader', id: 0, bus: 'sim:so101', variant: 'leader' },
        { name: 'follower', id: 1, bus: 'sim:so101' },
      ],
      pairs: [{ leader: 'leader', follower: 'follower' }],
    });
    const bridge = await host.time.until(Bridge.start(config, pino({ level: 'silent' }), host), LIMIT);
    const pair = new VirtualPair(host, bridge, folder);
    try {
      await pair.#begin(start(bridge.arms.byName('follower')!), feedback);
    } catch (error) {
      await pair.close();
      throw error;
    }
    return pair;
  }

  /** Both stand where they begin, and the follower follows. */
  async #begin(angles: Angles, feedback: object): Promise<void> {
    for (const arm of ['leader', 'follower']) await this.lead(arm, angles, 1);
    await this.pass(2);
    const payload = {
      robot_pairs: [{ leader_id: 0, follower_id: 1 }],
      enable_gravity_compensation: true,
      gravity_compensation_values: { shoulder: 100, elbow: 100, wrist: 100 },
      force_feedback: feedback,
    };
    const request = { method: 'POST' as const, url: '/move/leader/start', headers: { host: '127.0.0.1' }, payload };
    const { statusCode, payload: answer } = await this.host.time.until(this.bridge.http.inject(request), LIMIT);
    if (statusCode !== 200) throw new Error(`${statusCode} ${answer}`);
    await this.lead('follower', null);
    await this.pass(2);
  }

  /** The simulation of an arm, brought up to now. */
  sim(arm: 'leader' | 'follower'): SimulatedArm {
    return this.host.arms!.get(arm).sim;
  }

  /** Lets time pass, s. */
  pass(duration: number): Promise<void> {
    return this.host.time.run(this.host.time.now + duration);
  }

  /**
   * A hand leads joints of an arm to these angles within `duration` s; null: it lets go.
   * @param stiffness of the hand, Nm/rad, by joint; firm where it is left out
   */
  lead(arm: string, joints: Angles | null, duration = 0, stiffness: Angles = {}): Promise<void> {
    return this.host.time.until(this.host.arms!.hand(arm, joints, duration, stiffness), LIMIT);
  }

  /** Ends the bridge and removes what it has kept. */
  async close(): Promise<void> {
    try {
      await this.host.time.until(this.bridge.close(), LIMIT);
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }
}

/**
 * Adds what pushes a joint of a simulated arm in each step of its physics.
 * @param torque Nm, at a position, rad, and a velocity, rad/s @returns what it has pushed with last, Nm
 */
export function pushed(
  { physics }: SimulatedArm,
  joint: number,
  torque: (position: number, velocity: number) => number,
): () => number {
  const step = physics.step.bind(physics);
  let last = 0;
  physics.step = () => {
    last = torque(physics.positions[joint]!, physics.velocities[joint]!);
    physics.torques[joint] = physics.torques[joint]! + last;
    return step();
  };
  return () => last;
}
