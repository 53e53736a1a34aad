import type { ArmSet } from '../arm/arms.ts';
import type { GainStore } from '../arm/gain-store.ts';
import type { ArmHandle, Claim, Loss, RunningMotion } from '../arm/handle.ts';
import { BridgeError, type Caller, type LoopStatistics, type Owner } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import type { PairConfig } from '../config/schema.ts';
import type { EndReason } from '../rt/joint/arm-controller.ts';
import { FollowCode } from '../rt/snapshot/arm-fields.ts';
import { FollowerLag } from './follower-lag.ts';
import { alignLeader, giveToHand, letGo } from './leaders.ts';
import type {
  GravityPercentages,
  Mirror,
  MirrorRequest,
  MirrorStatus,
  PairState,
  PairStatus,
  PlannedMotions,
  Release,
} from './mirroring.ts';
import { type PlannedPair, planPairs, refuseMismatch } from './plan.ts';

/** How often the state of running pairs is looked at for `onChange`, s. */
const WATCH_INTERVAL = 0.05;

const OWNER: Owner = { key: 'mirror', name: 'leader-follower control' };

/** Why the control loop has ended a follower's motion, where the name of the reason says too little. */
const ENDS: Readonly<Partial<Record<EndReason, string>>> = {
  silent: 'its servos have not answered for a while; it holds',
  torque_off: 'its torque has gone off',
};

const PAIR_STATES: Readonly<Record<number, PairState>> = {
  [FollowCode.idle]: 'starting',
  [FollowCode.ramping]: 'ramping',
  [FollowCode.following]: 'mirroring',
  [FollowCode.holding]: 'holding',
  [FollowCode.refused]: 'holding',
};

interface RunningPair extends PlannedPair {
  readonly startedBy: string;
  leaderClaim: Claim;
  followerClaim: Claim;
  followerMotion: RunningMotion | null;
  leaderMotion: RunningMotion | null;
  ended: boolean;
  /** Ends what the set-up has begun. */
  readonly aborted: AbortController;
  readonly behind: FollowerLag;
  /** Why the follower stays behind; empty when it does not. */
  trouble: string;
}

/** Leader-follower control: sets pairs up, watches them, and takes them down with the followers holding. */
export class MirrorService implements Mirror {
  readonly #arms: ArmSet;
  readonly #configured: readonly PairConfig[];
  readonly #store: GainStore;
  readonly #mover: PlannedMotions;
  readonly #loop: () => LoopStatistics;
  readonly #notice: (text: string) => void;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #pairs: RunningPair[] = [];
  #ended: PairStatus[] = [];
  #reason = '';
  #watch: Pick<Timer, 'cancel'> | undefined;
  #seen = '';

  /**
   * @param configured pairs of the configuration, for what they say of a pair
   * @param notice is told what people should know of a leader that has not been released
   */
  constructor(
    arms: ArmSet,
    configured: readonly PairConfig[],
    store: GainStore,
    mover: PlannedMotions,
    loop: () => LoopStatistics,
    notice: (text: string) => void,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#arms = arms;
    this.#configured = configured;
    this.#store = store;
    this.#mover = mover;
    this.#loop = loop;
    this.#notice = notice;
  }

  async start(request: MirrorRequest, caller: Caller): Promise<void> {
    const planned = this.#plan(request);
    const owner: Caller = { owner: OWNER, takeOver: caller.takeOver };
    const running: RunningPair[] = [];
    const leaders = new Map<ArmHandle, Claim>();
    // Before the first claim: a set-up that cannot succeed takes no arm from anybody.
    for (const pair of planned) {
      pair.leader.requireDrivable();
      pair.follower.requireDrivable();
      if (pair.align !== 'leader') refuseMismatch(pair);
    }
    try {
      for (const plan of planned) {
        const pair = {} as RunningPair;
        const lose = (arm: ArmHandle) => (loss: Loss) => void this.#end(pair, `arm ${arm.name}: ${loss.message}`);
        const shared = leaders.get(plan.leader);
        const leaderClaim = shared ?? plan.leader.claim(owner, (loss) => this.#leaderLost(plan.leader, loss));
        leaders.set(plan.leader, leaderClaim);
        const followerClaim = plan.follower.claim(owner, lose(plan.follower));
        const motions = {
          followerMotion: null,
          leaderMotion: null,
          ended: false,
          aborted: new AbortController(),
          behind: new FollowerLag(plan.follower.model.joints.length),
          trouble: '',
        };
        Object.assign(pair, plan, { leaderClaim, followerClaim, startedBy: caller.owner.name }, motions);
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

  async stop(caller: Caller, release: Release = 'lower'): Promise<boolean> {
    if (this.#pairs.length === 0) return false;
    const reason = `stopped by ${caller.owner.name}`;
    await Promise.all([...this.#pairs].map((pair) => this.#end(pair, reason, release)));
    return true;
  }

  /** Ends the pairs of an arm, which holds or stays limp; leaders that floated for it alone are lowered. */
  async leave(arm: ArmHandle, reason: string): Promise<void> {
    const pairs = this.#pairs.filter(({ leader, follower }) => leader === arm || follower === arm);
    await Promise.all(pairs.map((pair) => this.#end(pair, reason, pair.leader === arm ? 'hold' : 'lower')));
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
        reason: state === 'holding' ? `no fresh sample of ${pair.leader.name}` : pair.trouble,
      };
    });
    return { active: pairs.length > 0, pairs: [...pairs, ...this.#ended], reason: this.#reason };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #plan(request: MirrorRequest): PlannedPair[] {
    const planned = planPairs(request, this.#arms, this.#configured);
    for (const arm of planned.flatMap(({ leader, follower }) => [leader, follower])) {
      if (!this.#pairs.some((pair) => pair.leader === arm || pair.follower === arm)) continue;
      throw new BridgeError(
        'already_mirroring',
        'Leader-follower control is already running. To stop it, call /move/leader/stop',
      );
    }
    return planned;
  }

  async #prepareLeader(leader: ArmHandle, gravity: GravityPercentages | null, pairs: RunningPair[]): Promise<void> {
    const mine = pairs.filter((pair) => pair.leader === leader);
    const aligned = mine.find((pair) => pair.align === 'leader');
    if (aligned !== undefined) await alignLeader(aligned, this.#mover, aligned.aborted.signal);
    // Ended while this was being set up: the leader may be somebody else's.
    if (mine.every((pair) => pair.ended)) return;
    const motion = await giveToHand(leader, mine[0]!.leaderClaim, gravity, this.#store);
    if (motion === null) return;
    for (const pair of mine) pair.leaderMotion = motion;
    if (mine.every((pair) => pair.ended)) await leader.cancel(motion.motion);
  }

  async #drive(pair: RunningPair): Promise<void> {
    await pair.follower.torqueOn();
    if (pair.ended) return;
    const { maps, options } = pair;
    const source = { kind: 'mirror', leader: pair.leader.index, maps, options } as const;
    const motion = await pair.follower.drive(source);
    pair.followerMotion = motion;
    if (pair.ended) {
      await pair.follower.cancel(motion.motion);
      return;
    }
    void motion.ended.then((reason) =>
      this.#end(pair, `arm ${pair.follower.name}: ${ENDS[reason] ?? `motion ended (${reason})`}`),
    );
  }

  #leaderLost(leader: ArmHandle, loss: Loss): void {
    for (const pair of [...this.#pairs]) {
      if (pair.leader === leader) void this.#end(pair, `arm ${leader.name}: ${loss.message}`);
    }
  }

  /**
   * Takes a pair down: the follower holds, a floating leader holds, a limp one stays limp.
   * @param release what becomes of a floating leader after that
   */
  async #end(pair: RunningPair, reason: string, release: Release = 'hold'): Promise<void> {
    if (pair.ended) return;
    const status = this.status().pairs.find((shown) => shown.follower === pair.follower.name);
    pair.ended = true;
    pair.aborted.abort();
    this.#pairs = this.#pairs.filter((other) => other !== pair);
    if (status !== undefined) this.#ended.push({ ...status, state: 'idle', rate: 0, latency: 0, reason });
    this.#reason = reason;
    const last = !this.#pairs.some((other) => other.leader === pair.leader);
    const floating = last && pair.leader.read().state === 'floating';
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
    // The answer to a stop does not wait until the leader is down.
    if (floating) void this.#letGo(pair.leader, release);
  }

  async #letGo(leader: ArmHandle, release: Release): Promise<void> {
    const problem = await letGo(leader, release, this.#mover, { owner: OWNER, takeOver: false });
    if (problem !== '') this.#notice(problem);
  }

  #beginWatch(): void {
    this.#watch ??= this.#clock.every(WATCH_INTERVAL, () => {
      for (const pair of [...this.#pairs]) {
        const { code } = pair.follower.follow();
        const following = code === FollowCode.following || code === FollowCode.ramping;
        pair.trouble = following ? pair.behind.look(pair.follower, this.#clock.now()) : '';
        if (code !== FollowCode.refused) continue;
        const most = ((pair.threshold * 180) / Math.PI).toFixed(0);
        const why = `arm ${pair.leader.name} came back more than ${most} degrees away from its follower`;
        void this.#end(pair, `${why}; start again`);
      }
      const seen = JSON.stringify(this.#pairs.map((pair) => [pair.follower.follow().code, pair.trouble]));
      if (seen !== this.#seen) {
        this.#seen = seen;
        this.#changed();
      }
      if (this.#pairs.length === 0) {
        this.#watch?.cancel();
        this.#watch = undefined;
      }
    });
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
