import type { ArmSet } from '../arm/arms.ts';
import type { ArmHandle, Claim, Loss, RunningMotion } from '../arm/handle.ts';
import { BridgeError, type Caller, type LoopStatistics, type Owner } from '../arm/types.ts';
import type { PairConfig } from '../config/schema.ts';
import { FollowCode } from '../control/snapshot.ts';
import { type JointMap, jointMaps } from './map.ts';
import type { GravityPercentages, Mirror, MirrorRequest, MirrorStatus, PairState, PairStatus } from './types.ts';

/** Time over which a leader that was holding goes limp, so that a hand can take it, s. */
const LIMP_TIME = 2;
/** How often the state of running pairs is looked at for `onChange`, ms. */
const WATCH_INTERVAL = 50;

const OWNER: Owner = { key: 'mirror', name: 'leader-follower control' };

const PAIR_STATES: Readonly<Record<number, PairState>> = {
  [FollowCode.idle]: 'starting',
  [FollowCode.ramping]: 'ramping',
  [FollowCode.following]: 'mirroring',
  [FollowCode.holding]: 'holding',
};

interface PlannedPair {
  readonly leader: ArmHandle;
  readonly follower: ArmHandle;
  readonly maps: readonly JointMap[];
}

interface RunningPair extends PlannedPair {
  readonly startedBy: string;
  leaderClaim: Claim;
  followerClaim: Claim;
  followerMotion: RunningMotion | null;
  leaderMotion: RunningMotion | null;
  ended: boolean;
}

/** Leader-follower control: sets pairs up, watches them, and takes them down with the followers holding. */
export class MirrorService implements Mirror {
  readonly #arms: ArmSet;
  readonly #configured: readonly PairConfig[];
  readonly #loop: () => LoopStatistics;
  readonly #listeners = new Set<() => void>();
  #pairs: RunningPair[] = [];
  #ended: PairStatus[] = [];
  #reason = '';
  #watch: NodeJS.Timeout | undefined;
  #seen = '';

  /** @param configured pairs of the configuration, for their joint maps */
  constructor(arms: ArmSet, configured: readonly PairConfig[], loop: () => LoopStatistics) {
    this.#arms = arms;
    this.#configured = configured;
    this.#loop = loop;
  }

  async start(request: MirrorRequest, caller: Caller): Promise<void> {
    const planned = this.#plan(request);
    const owner: Caller = { owner: OWNER, takeOver: caller.takeOver };
    const running: RunningPair[] = [];
    const leaders = new Map<ArmHandle, Claim>();
    // Before the first claim: a set-up that cannot succeed takes no arm from anybody.
    for (const { leader, follower } of planned) {
      leader.requireDrivable();
      follower.requireDrivable();
    }
    try {
      for (const plan of planned) {
        const pair = {} as RunningPair;
        const lose = (arm: ArmHandle) => (loss: Loss) => void this.#end(pair, `arm ${arm.name}: ${loss.message}`);
        const shared = leaders.get(plan.leader);
        const leaderClaim = shared ?? plan.leader.claim(owner, (loss) => this.#leaderLost(plan.leader, loss));
        leaders.set(plan.leader, leaderClaim);
        const followerClaim = plan.follower.claim(owner, lose(plan.follower));
        const rest = { followerMotion: null, leaderMotion: null, ended: false, startedBy: caller.owner.name };
        Object.assign(pair, plan, { leaderClaim, followerClaim }, rest);
        running.push(pair);
      }
    } catch (error) {
      for (const [arm, claim] of leaders) arm.release(claim);
      for (const pair of running) pair.follower.release(pair.followerClaim);
      throw error;
    }
    this.#pairs.push(...running);
    this.#ended = this.#ended.filter((old) => !running.some((pair) => pair.follower.name === old.follower));
    this.#reason = '';
    this.#beginWatch();
    try {
      await Promise.all([...leaders.keys()].map((leader) => this.#prepareLeader(leader, request.gravity, running)));
      await Promise.all(running.map((pair) => this.#drive(pair)));
      // Snapshots tell of it from the next cycle on.
      await running[0]?.follower.nextCycle();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await Promise.all(running.map((pair) => this.#end(pair, `set-up failed: ${why}`)));
      throw error;
    }
    const lost = running.find((pair) => pair.ended);
    if (lost !== undefined) throw new BridgeError('bad_pair', `Mirroring has ended at once: ${this.#reason}.`);
    this.#changed();
  }

  async stop(caller: Caller): Promise<boolean> {
    if (this.#pairs.length === 0) return false;
    await Promise.all([...this.#pairs].map((pair) => this.#end(pair, `stopped by ${caller.owner.name}`)));
    return true;
  }

  status(): MirrorStatus {
    const { period } = this.#loop();
    const pairs = this.#pairs.map((pair): PairStatus => {
      const { code, latency } = pair.follower.follow();
      const state = PAIR_STATES[code] ?? 'starting';
      return {
        leader: pair.leader.name,
        follower: pair.follower.name,
        state,
        owner: pair.startedBy,
        rate: period > 0 ? 1 / period : 0,
        latency,
        reason: state === 'holding' ? `no fresh sample of ${pair.leader.name}` : '',
      };
    });
    return { active: pairs.length > 0, pairs: [...pairs, ...this.#ended], reason: this.#reason };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #plan(request: MirrorRequest): PlannedPair[] {
    const planned: PlannedPair[] = [];
    const role = new Map<ArmHandle, 'leader' | 'follower'>();
    for (const [index, ids] of request.pairs.entries()) {
      const leader = this.#arms.byId(ids.leader);
      const follower = this.#arms.byId(ids.follower);
      const label = `Robot pair ${index} (${leader.name} to ${follower.name})`;
      if (leader === follower) throw new BridgeError('bad_pair', `${label}: an arm cannot follow itself.`);
      if (role.get(leader) === 'follower' || role.has(follower)) {
        const twice = role.get(leader) === 'follower' ? leader : follower;
        throw new BridgeError(
          'bad_pair',
          `${label}: arm ${twice.name} would have two roles. Name it once as follower.`,
        );
      }
      role.set(leader, 'leader');
      role.set(follower, 'follower');
      const configured = this.#configured.find(
        (pair) => pair.leader === leader.name && pair.follower === follower.name,
      );
      const maps = jointMaps(leader.model, follower.model, configured?.joints ?? {}, request.invert);
      if (typeof maps === 'string') throw new BridgeError('bad_pair', `${label}: ${maps}.`);
      planned.push({ leader, follower, maps });
    }
    for (const arm of role.keys()) {
      if (!this.#pairs.some((pair) => pair.leader === arm || pair.follower === arm)) continue;
      throw new BridgeError(
        'already_mirroring',
        'Leader-follower control is already running. To stop it, call /move/leader/stop',
      );
    }
    return planned;
  }

  async #prepareLeader(leader: ArmHandle, gravity: GravityPercentages | null, pairs: RunningPair[]): Promise<void> {
    if (leader.remote) return;
    const mine = pairs.filter((pair) => pair.leader === leader);
    if (gravity !== null) await leader.torqueOn();
    else if (!leader.read().torque) return;
    // Ended while this was being set up: the leader may be somebody else's.
    if (mine.every((pair) => pair.ended)) return;
    const full = new Float64Array(leader.model.joints.length).fill(1);
    const motion = await leader.drive(
      gravity === null
        ? { kind: 'float', support: full, fade: LIMP_TIME }
        : { kind: 'float', support: support(leader, gravity), fade: 0 },
    );
    for (const pair of mine) pair.leaderMotion = motion;
    if (mine.every((pair) => pair.ended)) await leader.cancel(motion.motion);
  }

  async #drive(pair: RunningPair): Promise<void> {
    await pair.follower.torqueOn();
    if (pair.ended) return;
    const source = { kind: 'mirror', leader: pair.leader.index, maps: pair.maps } as const;
    const motion = await pair.follower.drive(source);
    pair.followerMotion = motion;
    if (pair.ended) {
      await pair.follower.cancel(motion.motion);
      return;
    }
    void motion.ended.then((reason) => this.#end(pair, `arm ${pair.follower.name}: motion ended (${reason})`));
  }

  #leaderLost(leader: ArmHandle, loss: Loss): void {
    for (const pair of [...this.#pairs]) {
      if (pair.leader === leader) void this.#end(pair, `arm ${leader.name}: ${loss.message}`);
    }
  }

  /** Takes a pair down: the follower holds, a floating leader holds, a limp one stays limp. */
  async #end(pair: RunningPair, reason: string): Promise<void> {
    if (pair.ended) return;
    const status = this.status().pairs.find((shown) => shown.follower === pair.follower.name);
    pair.ended = true;
    this.#pairs = this.#pairs.filter((other) => other !== pair);
    if (status !== undefined) this.#ended.push({ ...status, state: 'idle', rate: 0, latency: 0, reason });
    this.#reason = reason;
    const last = !this.#pairs.some((other) => other.leader === pair.leader);
    const braking = [
      ...(pair.followerMotion === null ? [] : [pair.follower.cancel(pair.followerMotion.motion)]),
      ...(last && pair.leaderMotion !== null ? [pair.leader.cancel(pair.leaderMotion.motion)] : []),
    ];
    // The arms are free at once: whoever drives them next does so after the commands that have just been sent.
    pair.follower.release(pair.followerClaim);
    if (last) pair.leader.release(pair.leaderClaim);
    // An arm that is stopped or gone holds already; the reason is in the status.
    await Promise.allSettled(braking);
    this.#changed();
  }

  #beginWatch(): void {
    this.#watch ??= setInterval(() => {
      const seen = JSON.stringify(this.#pairs.map((pair) => pair.follower.follow().code));
      if (seen !== this.#seen) {
        this.#seen = seen;
        this.#changed();
      }
      if (this.#pairs.length === 0) {
        clearInterval(this.#watch);
        this.#watch = undefined;
      }
    }, WATCH_INTERVAL);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const SUPPORT_BY_ROLE: Readonly<Record<string, keyof GravityPercentages>> = {
  shoulder_lift: 'shoulder',
  elbow_flex: 'elbow',
  wrist_flex: 'wrist',
};

/** Supported part of each joint's weight; joints without a percentage of their own are supported as the wrist is. */
function support(leader: ArmHandle, gravity: GravityPercentages): Float64Array {
  return Float64Array.from(leader.model.joints, (joint) => gravity[SUPPORT_BY_ROLE[joint.role] ?? 'wrist'] / 100);
}
