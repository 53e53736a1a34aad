import type { ArmSession } from '../arm/arm-session.ts';
import type { Owner } from '../arm/types.ts';
import { defineMachine, Running } from '../machine.ts';
import type { ForceFeedback } from '../rt/messages.ts';
import type { PlannedPair } from './plan.ts';

/** A leader and its follower, from the claim of both to the end. */
export const PAIR = defineMachine({
  name: 'Pair of leader and follower',
  states: {
    leading: 'the leader is driven to its follower, or handed over to the person',
    arming: "the follower's torque goes on",
    following: 'the control loop drives the follower',
    ended: 'both arms hold, or stay limp',
  },
  inputs: {
    led: 'the person has the leader',
    driven: 'the follower is driven',
    failed: 'the set-up has failed',
    lost: 'one of the arms is stopped, disconnected or taken over, or its leader no longer yields to the hand',
    over: "the control loop has ended the follower's motion",
    tooFar: 'the leader returned too far from its follower',
    stop: 'a client stops the pair',
    leave: 'one of the arms is being disconnected or released',
  },
  effects: {
    freeFollower: 'the follower decelerates, holds, and has no owner',
    freeLeader: 'the same for the leader, unless another pair follows it',
    releaseLeader: 'a floating leader is lowered, released or left holding, as requested',
  },
  initial: 'leading',
  table: {
    leading: {
      led: 'arming',
      driven: null,
      failed: ['ended', 'freeFollower', 'freeLeader'],
      lost: ['ended', 'freeFollower', 'freeLeader'],
      over: null,
      tooFar: null,
      stop: ['ended', 'freeFollower', 'freeLeader', 'releaseLeader'],
      leave: ['ended', 'freeFollower', 'freeLeader', 'releaseLeader'],
    },
    arming: {
      led: null,
      driven: 'following',
      failed: ['ended', 'freeFollower', 'freeLeader'],
      lost: ['ended', 'freeFollower', 'freeLeader'],
      over: null,
      tooFar: null,
      stop: ['ended', 'freeFollower', 'freeLeader', 'releaseLeader'],
      leave: ['ended', 'freeFollower', 'freeLeader', 'releaseLeader'],
    },
    following: {
      led: null,
      driven: null,
      failed: ['ended', 'freeFollower', 'freeLeader'],
      lost: ['ended', 'freeFollower', 'freeLeader'],
      over: ['ended', 'freeFollower', 'freeLeader'],
      tooFar: ['ended', 'freeFollower', 'freeLeader'],
      stop: ['ended', 'freeFollower', 'freeLeader', 'releaseLeader'],
      leave: ['ended', 'freeFollower', 'freeLeader', 'releaseLeader'],
    },
    ended: {
      led: null,
      driven: null,
      failed: null,
      lost: null,
      over: null,
      tooFar: null,
      stop: null,
      leave: null,
    },
  },
});

/** A running pair. */
export class Pair {
  readonly plan: PlannedPair;
  readonly startedBy: Owner;
  /** s since the epoch */
  readonly since: number;
  /** The leader's session, shared by pairs with the same leader. */
  readonly leading: ArmSession;
  readonly following: ArmSession;
  /** Current force feedback; the leader feels it while it floats. */
  feedback: ForceFeedback;
  /** Why the follower lags; empty when it does not. */
  trouble = '';
  readonly machine = new Running(PAIR);

  constructor(plan: PlannedPair, startedBy: Owner, leading: ArmSession, following: ArmSession) {
    this.plan = plan;
    this.feedback = plan.feedback;
    this.startedBy = startedBy;
    this.since = following.arm.clock.wall();
    this.leading = leading;
    this.following = following;
  }

  get ended(): boolean {
    return this.machine.state === 'ended';
  }
}
