import type { Arm, Ask } from '../arm/arm.ts';
import type { MotionEnd } from '../arm/arm-control.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { Arms } from '../arm/arms.ts';
import type { ControlClient } from '../arm/control-client.ts';
import type { GainStore } from '../arm/gain-store.ts';
import { originOf } from '../arm/journal.ts';
import { timeOf } from '../arm/ownership.ts';
import { BridgeError, type Caller, type LoopStatistics, type Owner, startedBy } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import type { PairConfig } from '../config/schema.ts';
import { messageOf } from '../message-of.ts';
import type { MoveService } from '../motion/move-service.ts';
import type { Planners } from '../motion/planners.ts';
import type { EndReason } from '../rt/joint/motions.ts';
import { FollowCode } from '../rt/snapshot/arm-fields.ts';
import { alignLeader, giveToHand, isStarter, letGo, requireReleasable } from './leaders.ts';
import type {
  FeedbackChange,
  ForceFeedback,
  GravityPercentages,
  MirrorRequest,
  MirrorStatus,
  PairState,
  PairStatus,
  Release,
} from './mirroring.ts';
import { type PAIR, Pair } from './pair.ts';
import { canFeel, type PlannedPair, planPairs, refuseMismatch } from './plan.ts';

/** Interval at which the state of running pairs is checked for `onChange`, s. */
const WATCH_INTERVAL = 0.05;

/** Human-readable reasons why the control loop ended a motion, where the reason's name says too little. */
const ENDS: Readonly<Partial<Record<EndReason, string>>> = {
  torque_off: 'its torque has gone off',
};

const PAIR_STATES: Readonly<Record<number, PairState>> = {
  [FollowCode.idle]: 'starting',
  [FollowCode.ramping]: 'ramping',
  [FollowCode.following]: 'mirroring',
  [FollowCode.holding]: 'holding',
  [FollowCode.refused]: 'holding',
};

export interface MirrorParts {
  readonly arms: Arms;
  /** Configured pairs, for their settings. */
  readonly configured: () => readonly PairConfig[];
  readonly store: GainStore;
  readonly moves: MoveService;
  readonly planners: Planners;
  readonly control: Pick<ControlClient, 'sample'>;
  /** Figures of the control loop. */
  readonly loop: () => LoopStatistics;
  /** Called when a leader could not be released. */
  readonly notice: (text: string) => void;
  readonly clock: Clock;
}

/** Leader-follower control: sets pairs up, watches them, and ends them with the followers holding. */
export class MirrorService {
  readonly #parts: MirrorParts;
  readonly #listeners = new Set<() => void>();
  /** Force feedback set by clients, by follower, for the next start. */
  readonly #wanted = new Map<Arm, ForceFeedback>();
  #pairs: Pair[] = [];
  #ended: PairStatus[] = [];
  #reason = '';
  #watch: Pick<Timer, 'cancel'> | undefined;
  #seen = '';

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the pairs are set up. Take-over ends pairs that run with the same arms, and tells why.
   * @param asks the request to each arm, if it was made earlier
   * @throws {BridgeError} bad_pair, already_mirroring, unknown_arm, disconnected, stopped, owned; unsupported when the
   *   request is void
   */
  async start(request: MirrorRequest, caller: Caller, asks: ReadonlyMap<Arm, Ask> = new Map()): Promise<void> {
    const planned = this.#plan(request, caller);
    const { takeOver, automatic = false, uncalibrated = false } = caller;
    const owner = startedBy(caller.owner, 'leader-follower control');
    const claimer = { owner, takeOver, automatic, uncalibrated, origin: originOf(caller) };
    // Checked before the first claim: a set-up that cannot succeed takes no arm from its owner.
    for (const plan of planned) {
      for (const arm of [plan.leader, plan.follower]) {
        const led = arm === plan.leader;
        if (led) arm.requireLeadable();
        else arm.requireDrivable();
        arm.requireUnbarred(caller);
        const ask = asks.get(arm);
        if (ask !== undefined) arm.requireWanted(ask);
        arm.requireClaimable(claimer, led);
      }
      if (plan.align !== 'leader') refuseMismatch(plan);
    }
    const pairs = claimAll(planned, claimer, caller.owner, asks);
    this.#pairs.push(...pairs);
    for (const pair of pairs) this.#endWhenLost(pair);
    this.#ended = this.#ended.filter((old) => !pairs.some(({ plan }) => plan.follower.name === old.follower));
    this.#reason = '';
    this.#beginWatch();
    try {
      const leaders = new Set(pairs.map(({ leading }) => leading));
      await Promise.all([...leaders].map((leading) => this.#lead(leading, request.gravity, pairs)));
      await Promise.all(pairs.map((pair) => this.#drive(pair)));
    } catch (error) {
      const told = this.#reason;
      await Promise.all(pairs.map((pair) => this.#end(pair, 'failed', `set-up failed: ${messageOf(error)}`)));
      if (told === '') throw error;
      throw new BridgeError('bad_pair', `Mirroring has ended at once: ${told}.`);
    }
    if (pairs.some(({ ended }) => ended)) {
      throw new BridgeError('bad_pair', `Mirroring has ended at once: ${this.#reason}.`);
    }
    this.#changed();
  }

  /**
   * Stops all pairs, or that of one follower; followers hold. Resolves to false when nothing was mirroring.
   * @param release what happens to leaders that floated; left out: they are lowered and released
   * @throws {BridgeError} owned, when a leader is to be released at once by somebody who has not started its pair
   */
  async stop(caller: Caller, release: Release = 'lower', follower?: Arm): Promise<boolean> {
    const pairs = this.#pairs.filter(({ plan }) => follower === undefined || plan.follower === follower);
    for (const { plan, startedBy: starter } of pairs) {
      if (plan.leader.read().state === 'floating') requireReleasable(plan.leader, starter, caller, release);
    }
    const reason = `stopped by ${caller.owner.name}`;
    await Promise.all(pairs.map((pair) => this.#end(pair, 'stop', reason, release)));
    return pairs.length > 0;
  }

  /** Who started the pair that includes this arm; null when no pair does. */
  starterOf(arm: Arm): Owner | null {
    return this.#pairs.find(({ plan }) => plan.leader === arm || plan.follower === arm)?.startedBy ?? null;
  }

  /** How the joints of running pairs belong together: the follower's angle is scale * the leader's + offset, rad. */
  get joints() {
    return this.#pairs.map(({ plan: { leader, follower, maps } }) => ({
      leader: leader.name,
      follower: follower.name,
      joints: maps.flatMap(({ from, scale, offset }, i) =>
        from < 0
          ? []
          : [{ leader: leader.model.joints[from]!.name, follower: follower.model.joints[i]!.name, scale, offset }],
      ),
    }));
  }

  /** Name of the arm that leads this one in the configuration; null: none. */
  configuredLeader(follower: Arm): string | null {
    return this.#parts.configured().find((pair) => pair.follower === follower.name)?.leader ?? null;
  }

  /** Force feedback to the leader of a follower, now or at the next start: as set by a client, else as configured. */
  feedbackOf(follower: Arm): ForceFeedback {
    return this.#pairs.find(({ plan }) => plan.follower === follower)?.feedback ?? this.#startFeedback(follower);
  }

  /** Sets the force feedback to the leader of a follower, at once and for the next start; a part left out stays as it is. */
  setFeedback(follower: Arm, change: FeedbackChange): void {
    this.#wanted.set(follower, changed(this.#startFeedback(follower), change));
    this.#feel(
      this.#pairs.filter(({ plan }) => plan.follower === follower),
      change,
    );
  }

  #startFeedback(follower: Arm): ForceFeedback {
    const configured = this.#parts.configured().find((config) => config.follower === follower.name);
    return this.#wanted.get(follower) ?? configured?.force_feedback ?? { arm: 0, gripper: 0 };
  }

  /**
   * Sets the force feedback of the leaders of the pairs that the caller has started, or by take-over of all, at once and
   * until their pairs end. A caller who has started none lowers that of the others: anybody may stop them, too.
   * @param change 0..1; a part left out stays as it is
   * @param follower of the pair; null: of every pair
   * @returns false if no leader feels, and nothing has changed: a limp one feels nothing
   * @throws {BridgeError} owned, when the caller has started none of the pairs whose leaders feel, and raises them all
   */
  feel(change: FeedbackChange, caller: Caller, follower: Arm | null): boolean {
    const felt = this.#pairs.filter(
      ({ plan }) =>
        (follower === null || plan.follower === follower) && canFeel(plan) && plan.leader.read().state === 'floating',
    );
    const [first] = felt;
    if (first === undefined) return false;
    const own = felt.filter(({ startedBy: starter }) => isStarter(starter, caller));
    const allowed = own.length > 0 ? own : felt.filter(({ feedback }) => lowers(feedback, change));
    if (allowed.length === 0) {
      const { leader } = first.plan;
      const text = `Arm ${leader.name} pushes the hand of ${first.startedBy.name}, whose feedback others may only lower.`;
      throw new BridgeError('owned', text, { arm: leader, remedy: 'take_over' });
    }
    this.#feel(allowed, change);
    return true;
  }

  #feel(pairs: readonly Pair[], change: FeedbackChange): void {
    for (const pair of pairs) {
      if (!canFeel(pair.plan)) continue;
      const feedback = changed(pair.feedback, change);
      pair.feedback = feedback;
      this.#parts.control.sample({ kind: 'feedback', arm: pair.plan.follower.index, feedback });
    }
    if (pairs.length > 0) this.#changed();
  }

  /** Ends the pairs of an arm, which then holds or stays limp; leaders that floated only for it are lowered. */
  async leave(arm: Arm, reason: string): Promise<void> {
    const pairs = this.#pairs.filter(({ plan }) => plan.leader === arm || plan.follower === arm);
    await Promise.all(
      pairs.map((pair) => this.#end(pair, 'leave', reason, pair.plan.leader === arm ? 'hold' : 'lower')),
    );
  }

  status(): MirrorStatus {
    const { period } = this.#parts.loop();
    const pairs = this.#pairs.map((pair): PairStatus => {
      const { leader, follower } = pair.plan;
      const { followState, followLatency } = follower.read();
      const state = PAIR_STATES[followState] ?? 'starting';
      return {
        leader: leader.name,
        follower: follower.name,
        state,
        owner: pair.startedBy.name,
        since: pair.since,
        rate: period > 0 ? 1 / period : 0,
        latency: followLatency,
        forceFeedback: pair.feedback,
        reason: state === 'holding' ? `no fresh sample of ${leader.name}` : pair.trouble,
      };
    });
    return { active: pairs.length > 0, pairs: [...pairs, ...this.#ended], reason: this.#reason };
  }

  /** Calls `listener` after each change of `status()`. @returns a function that unsubscribes */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #plan(request: MirrorRequest, { takeOver }: Caller): PlannedPair[] {
    const { arms, configured } = this.#parts;
    const planned = planPairs(request, arms, configured()).map((plan) => {
      const wanted = this.#wanted.get(plan.follower);
      return wanted === undefined || request.forceFeedback !== undefined || !canFeel(plan)
        ? plan
        : { ...plan, feedback: wanted };
    });
    const wanted = new Set(planned.flatMap(({ leader, follower }) => [leader, follower]));
    const running = this.#pairs.find(({ plan }) => wanted.has(plan.leader) || wanted.has(plan.follower));
    if (running !== undefined && !takeOver) {
      const { plan, startedBy: client, since } = running;
      const names = `${plan.leader.name} leads ${plan.follower.name}`;
      throw new BridgeError(
        'already_mirroring',
        `Leader-follower control is already running: ${names}, started by ${client.name}, since ${timeOf(since)}.`,
        { remedy: 'stop_mirroring' },
      );
    }
    return planned;
  }

  #endWhenLost(pair: Pair): void {
    const { following, leading, plan } = pair;
    following.onLost = ({ message }) => void this.#end(pair, 'lost', `arm ${plan.follower.name}: ${message}`);
    leading.onLost = ({ message }) => this.#endLed(leading, message);
  }

  /** Ends the pairs of a leader that is lost. */
  #endLed(leading: ArmSession, why: string): void {
    for (const pair of [...this.#pairs]) {
      if (pair.leading === leading) void this.#end(pair, 'lost', `arm ${leading.arm.name}: ${why}`);
    }
  }

  /** Drives a leader to its follower if one of its pairs requests that, then hands it to the operator. */
  async #lead(leading: ArmSession, gravity: GravityPercentages | null, pairs: readonly Pair[]): Promise<void> {
    const { planners, store } = this.#parts;
    const mine = pairs.filter((pair) => pair.leading === leading);
    const aligned = mine.find(({ plan }) => plan.align === 'leader');
    if (aligned !== undefined) {
      await alignLeader(aligned.plan, leading, aligned.following, planners.of(leading.arm));
    }
    const motion = await giveToHand(leading, gravity, store);
    for (const pair of mine) this.#put(pair, 'led');
    if (motion === null) return;
    void motion.ended.then(async (end) => {
      // A leader that has gone limp is in the hand; one that stiffens no longer yields to it.
      if (end.reason !== 'done') this.#endLed(leading, await whyEnded(leading.arm, end));
    });
  }

  async #drive(pair: Pair): Promise<void> {
    const { following, plan } = pair;
    await following.torqueOn();
    const { maps, options } = plan;
    const motion = await following.begin({
      kind: 'mirror',
      leader: plan.leader.index,
      maps,
      options,
      feedback: pair.feedback,
    });
    this.#put(pair, 'driven');
    void motion.ended.then(async (end) => {
      const why = await whyEnded(plan.follower, end);
      return this.#end(pair, 'over', `arm ${plan.follower.name}: ${why}`);
    });
  }

  /**
   * Ends a pair: the follower holds, a floating leader holds, a limp one stays limp.
   * @param release what happens to a floating leader afterwards
   */
  async #end(pair: Pair, input: keyof typeof PAIR.inputs, reason: string, release: Release = 'hold'): Promise<void> {
    const status = this.status().pairs.find((shown) => shown.follower === pair.plan.follower.name);
    const effects = this.#put(pair, input);
    if (effects.length === 0) return;
    const { leading, following } = pair;
    if (input === 'failed') for (const session of [leading, following]) session.problem ??= reason;
    this.#pairs = this.#pairs.filter((other) => other !== pair);
    if (status !== undefined) this.#ended.push({ ...status, state: 'idle', rate: 0, latency: 0, reason });
    this.#reason = reason;
    const last = !this.#pairs.some((other) => other.leading === leading);
    const floating = last && leading.arm.read().state === 'floating';
    // The arms are free at once. A stopped or disconnected arm holds already; the status has the reason.
    const freed = [
      ...(effects.includes('freeFollower') ? [following.stop()] : []),
      ...(effects.includes('freeLeader') && last ? [leading.stop()] : []),
    ];
    await Promise.allSettled(freed);
    this.#changed();
    // The answer to a stop does not wait until the leader is down.
    if (floating && effects.includes('releaseLeader')) void this.#letGo(leading, release);
  }

  async #letGo({ arm, owner }: ArmSession, release: Release): Promise<void> {
    const { moves, notice } = this.#parts;
    const problem = await letGo(arm, release, moves, { owner, takeOver: false, automatic: true });
    if (problem !== '') notice(problem);
  }

  #put(pair: Pair, input: keyof typeof PAIR.inputs): readonly (keyof typeof PAIR.effects)[] {
    return pair.machine.put(input, this.#parts.clock.now());
  }

  #beginWatch(): void {
    const { clock } = this.#parts;
    this.#watch ??= clock.every(WATCH_INTERVAL, () => {
      for (const pair of [...this.#pairs]) {
        const { leader, follower, threshold } = pair.plan;
        const { followState } = follower.read();
        const following = followState === FollowCode.following || followState === FollowCode.ramping;
        pair.trouble = following ? follower.lagging || unfelt(pair) : '';
        if (followState !== FollowCode.refused) continue;
        const most = ((threshold * 180) / Math.PI).toFixed(0);
        const why = `arm ${leader.name} came back more than ${most} degrees away from its follower`;
        void this.#end(pair, 'tooFar', `${why}; start again`);
      }
      const seen = JSON.stringify(this.#pairs.map(({ plan, trouble }) => [plan.follower.read().followState, trouble]));
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

/** Why the control loop has ended a motion of an arm, human-readable. */
async function whyEnded(arm: Arm, { reason, text }: MotionEnd): Promise<string> {
  // The arm reports the reason in the same cycle, and that ends the pair. A control thread that has failed may not be back soon.
  if (reason === 'disconnected') await arm.nextCycle().catch(() => {});
  return text || (ENDS[reason] ?? `motion ended (${reason})`);
}

function changed(
  present: ForceFeedback,
  { arm = present.arm, gripper = present.gripper }: FeedbackChange,
): ForceFeedback {
  return { arm, gripper };
}

/** Whether no part becomes more than it is. */
function lowers(present: ForceFeedback, { arm = 0, gripper = 0 }: FeedbackChange): boolean {
  return arm <= present.arm && gripper <= present.gripper;
}

/** Why a leader does not feel the requested force; empty when it does. */
function unfelt({ plan: { leader, follower }, feedback }: Pair): string {
  if (feedback.arm === 0 && feedback.gripper === 0) return '';
  if (leader.read().state !== 'floating')
    return `${leader.name} feels nothing while it is limp: start the pair with gravity compensation, which lets it float`;
  if (Number.isFinite(follower.read().external[0])) return '';
  return `${leader.name} feels nothing: the machine of ${follower.name} does not tell what pushes it (external_torques)`;
}

/**
 * Claims both arms of every pair, or none; a shared leader is claimed once.
 * @throws {BridgeError} disconnected, stopped, owned; unsupported when the request is void
 */
function claimAll(
  planned: readonly PlannedPair[],
  caller: Caller,
  startedBy: Owner,
  asks: ReadonlyMap<Arm, Ask>,
): Pair[] {
  const claim = (arm: Arm, led: boolean): ArmSession => arm.claim(caller, { ask: asks.get(arm) ?? arm.ask(), led });
  const leaders = new Map<Arm, ArmSession>();
  const pairs: Pair[] = [];
  try {
    for (const plan of planned) {
      const leading = leaders.get(plan.leader) ?? claim(plan.leader, true);
      leaders.set(plan.leader, leading);
      pairs.push(new Pair(plan, startedBy, leading, claim(plan.follower, false)));
    }
  } catch (error) {
    for (const session of [...leaders.values(), ...pairs.map(({ following }) => following)]) {
      session.problem = messageOf(error);
      session.end();
    }
    throw error;
  }
  return pairs;
}
