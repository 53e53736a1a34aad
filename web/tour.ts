/** The tour of the page: its steps, and how it is judged by what the bridge says that each has really happened. */
import { defineMachine, Running } from '../src/machine.ts';
import type { ArmFrame } from './protocol.ts';

export const TOUR = defineMachine({
  name: 'Tour of the control page',
  states: {
    closed: 'no tour',
    init: 'task: move the follower to its origin',
    initialised: 'done',
    drag: "task: drag the follower's tool somewhere else",
    dragged: 'done',
    pair: 'task: pair the follower with its leader',
    lead: 'the pair runs; task: move the leader',
    led: 'done: the follower has followed',
    pick: 'task: pick up the cube',
    picked: "done: it hangs in the follower's gripper",
    record: 'task: start an episode',
    recording: 'recording; task: end the episode',
    recorded: 'done: the episode is saved',
    stop: 'task: stop the arms',
    reset: 'an arm is stopped; task: reset it',
    finished: 'the tour is complete',
  },
  inputs: {
    begin: 'a person starts the tour',
    next: 'the person moves on, even without doing the step',
    end: 'the person ends the tour',
    happened: 'the task of the step is done',
    undone: 'a precondition of the step is gone',
  },
  effects: {
    untick: 'untick all steps',
    tick: 'tick the step',
  },
  initial: 'closed',
  // Who skips a step skips with it the one that builds on it: drag on init, lead and pick on pair.
  table: {
    closed: { begin: ['init', 'untick'], next: null, end: null, happened: null, undone: null },
    init: { begin: null, next: 'pair', end: 'closed', happened: ['initialised', 'tick'], undone: null },
    initialised: { begin: null, next: 'drag', end: 'closed', happened: null, undone: null },
    drag: { begin: null, next: 'pair', end: 'closed', happened: ['dragged', 'tick'], undone: 'init' },
    dragged: { begin: null, next: 'pair', end: 'closed', happened: null, undone: null },
    pair: { begin: null, next: 'record', end: 'closed', happened: 'lead', undone: null },
    lead: { begin: null, next: 'pick', end: 'closed', happened: ['led', 'tick'], undone: 'pair' },
    led: { begin: null, next: 'pick', end: 'closed', happened: null, undone: null },
    pick: { begin: null, next: 'record', end: 'closed', happened: ['picked', 'tick'], undone: 'pair' },
    picked: { begin: null, next: 'record', end: 'closed', happened: null, undone: null },
    record: { begin: null, next: 'stop', end: 'closed', happened: 'recording', undone: null },
    recording: { begin: null, next: 'stop', end: 'closed', happened: ['recorded', 'tick'], undone: 'record' },
    recorded: { begin: null, next: 'stop', end: 'closed', happened: null, undone: null },
    stop: { begin: null, next: 'finished', end: 'closed', happened: 'reset', undone: null },
    reset: { begin: null, next: 'finished', end: 'closed', happened: ['finished', 'tick'], undone: null },
    finished: { begin: null, next: null, end: 'closed', happened: null, undone: null },
  },
});

export type TourState = typeof TOUR.initial;
type Input = 'begin' | 'next' | 'end' | 'happened' | 'undone';

/** What can be ticked, in the order of the tour. */
export const STEPS = {
  init: 'Init',
  drag: 'Drag',
  lead: 'Lead',
  pick: 'Pick',
  record: 'Record',
  stop: 'Stop',
} as const;
export type Step = keyof typeof STEPS;

/** A state to people: the step that it belongs to, the panel that has what is pressed, and what to do, or what has been done. */
interface Card {
  readonly step: Step;
  readonly panel?: 'move' | 'teleoperation' | 'record';
  readonly says: string;
  /** The step has been done. */
  readonly done?: true;
}

export const CARDS: Readonly<Record<Exclude<TourState, 'closed'>, Card>> = {
  init: {
    step: 'init',
    panel: 'move',
    says: 'Choose “follower” under Move and press “Init”: the arm rises to its zero and holds itself.',
  },
  initialised: {
    step: 'init',
    says: 'The follower has its zero, from which all of its places count.',
    done: true,
  },
  drag: {
    step: 'drag',
    says: 'Choose “Target: follower” in the picture and drag its ball. Where it is green, let go: the arm goes there.',
  },
  dragged: { step: 'drag', says: 'The follower has gone where you wanted it.', done: true },
  pair: {
    step: 'lead',
    panel: 'teleoperation',
    says: 'Press “Start” under Teleoperate: the follower goes slowly to where its leader is, then follows it.',
  },
  lead: {
    step: 'lead',
    says: 'Now drag a link of the leader in the picture, or a slider of the hand under Teleoperate.',
  },
  led: { step: 'lead', says: 'The follower does what its leader does.', done: true },
  pick: {
    step: 'pick',
    says: 'Lead the open fingers of the follower to both sides of the red cube, close the leader’s gripper, and raise it.',
  },
  picked: {
    step: 'pick',
    says: 'The cube is up. “Reset objects” in the picture puts everything back.',
    done: true,
  },
  record: {
    step: 'record',
    panel: 'record',
    says: 'Press R, or “Record”: from then on all that the arms do is kept.',
  },
  recording: { step: 'record', says: 'It is being recorded. Lead the leader a little, then press R again, or “End”.' },
  recorded: {
    step: 'record',
    says: 'The episode is in the list under Record, where it can be looked at and replayed.',
    done: true,
  },
  stop: { step: 'stop', says: 'Press Esc, or the red button, which work everywhere: all arms brake and hold.' },
  reset: {
    step: 'stop',
    says: 'No arm moves until somebody presses “Reset” in the red bar; it moves nothing by itself.',
  },
  finished: { step: 'stop', says: 'That is all. Your own arms do the same: see “Set up”.' },
};

/** What the tour is judged by, at one moment. */
export interface Sight {
  readonly leader: ArmFrame;
  readonly follower: ArmFrame;
  readonly mirroring: boolean;
  /** Where the cube is in the base frame of the follower, m; null before it has moved. */
  readonly cube: readonly number[] | null;
  /** Name of the episode that is being recorded. */
  readonly episode: string | null;
  /** Names of the newest recordings. */
  readonly recordings: readonly string[];
}

/** A tool has gone somewhere else, m. */
const ELSEWHERE = 0.02;
/** A joint has been led, rad. */
const LED = 0.3;
/** A cube so far above the base has been lifted, and one so near to the tool is in the gripper, m. */
const LIFTED = 0.06;
const GRIPPED = 0.06;

const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.hypot(...a.map((value, i) => value - b[i]!));

const farthest = (now: ArmFrame, before: ArmFrame): number =>
  Math.max(...now.joints.position.map((angle, i) => Math.abs((angle ?? 0) - (before.joints.position[i] ?? 0))));

/**
 * What has become of a step.
 * @param before how things were as the step began
 */
function judge(state: TourState, now: Sight, before: Sight): Input | null {
  const { leader, follower, mirroring, cube, episode } = now;
  const said = (happened: boolean): Input | null => (happened ? 'happened' : null);
  const states = [leader.state, follower.state];
  switch (state) {
    case 'init':
      return said(follower.initialised && follower.state !== 'moving');
    case 'drag': {
      if (!follower.initialised) return 'undone';
      const [to, from] = [follower.tool, before.follower.tool];
      const away = to === null || from === null ? 0 : distance(to.position, from.position);
      return said(away > ELSEWHERE && follower.state === 'ready');
    }
    case 'pair':
      return said(mirroring);
    case 'lead':
      if (!mirroring) return 'undone';
      return said(Math.min(farthest(leader, before.leader), farthest(follower, before.follower)) > LED);
    case 'pick': {
      if (!mirroring) return 'undone';
      const tool = follower.tool?.position;
      return said(cube !== null && tool !== undefined && cube[2]! > LIFTED && distance(cube, tool) < GRIPPED);
    }
    case 'record':
      return said(episode !== null);
    case 'recording':
      if (episode !== null) return null;
      return before.episode !== null && now.recordings.includes(before.episode) ? 'happened' : 'undone';
    case 'stop':
      return said(states.includes('stopped'));
    case 'reset':
      // Whether an arm that does not answer is stopped nobody knows.
      return said(!states.includes('stopped') && !states.includes('disconnected'));
    default:
      return null;
  }
}

/** A tour that is taken. */
export class Tour {
  readonly ticked = new Set<Step>();
  readonly #running = new Running(TOUR);
  #before: Sight | null = null;

  get state(): TourState {
    return this.#running.state;
  }

  /** What a person wants. @returns whether the tour is at another state */
  put(input: Input): boolean {
    const from = this.state;
    for (const effect of this.#running.put(input, 0)) {
      if (effect === 'untick') this.ticked.clear();
      else if (from !== 'closed') this.ticked.add(CARDS[from].step);
    }
    if (this.state === from) return false;
    this.#before = null;
    return true;
  }

  /** What the bridge says. @returns whether the tour is at another state */
  see(now: Sight): boolean {
    this.#before ??= now;
    const input = judge(this.state, now, this.#before);
    return input !== null && this.put(input);
  }
}
