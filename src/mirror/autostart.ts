import type { Arm } from '../arm/arm.ts';
import type { Caller, Owner } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import { defineMachine, Running } from '../machine.ts';
import { messageOf } from '../message-of.ts';
import type { MirrorService } from './mirror-service.ts';
import type { GravityPercentages } from './mirroring.ts';

/** Who has started the pairs that start by themselves. */
export const CONFIGURATION: Owner = { key: 'autostart', name: 'the configuration (autostart)' };
const CALLER: Caller = {
  owner: CONFIGURATION,
  takeOver: false,
  automatic: true,
};
/** Interval of looks and of tries, s. */
const INTERVAL = 0.5;

/** Start of the pairs that the configuration marks with `autostart`. */
export const AUTOSTART = defineMachine({
  name: 'Autostart of a pair',
  states: {
    waiting: 'after an unclean end a person must first reset the arms',
    trying: 'the start is retried until it succeeds',
    done: 'the pairs have been started once',
    over: 'a client has used the arms, so it starts the pairs itself',
  },
  inputs: {
    reset: 'no arm is stopped any more',
    started: 'the pairs are set up',
    acted: 'a client has driven or stopped one of the arms',
  },
  effects: {
    tellOver: 'report that it is no longer tried',
  },
  initial: 'waiting',
  table: {
    waiting: { reset: 'trying', started: null, acted: ['over', 'tellOver'] },
    trying: { reset: null, started: 'done', acted: ['over', 'tellOver'] },
    done: { reset: null, started: null, acted: null },
    over: { reset: null, started: null, acted: null },
  },
});

/** Pairs with one leader. */
export interface AutostartGroup {
  readonly leader: Arm;
  readonly followers: readonly Arm[];
  /** Null: the leader is limp. */
  readonly gravity: GravityPercentages | null;
}

/** Starts pairs automatically after the start of the bridge. */
export class Autostart {
  readonly #mirror: MirrorService;
  readonly #group: AutostartGroup;
  readonly #clock: Clock;
  readonly #log: (text: string) => void;
  readonly #machine: Running<
    keyof typeof AUTOSTART.states,
    keyof typeof AUTOSTART.inputs,
    keyof typeof AUTOSTART.effects
  >;
  readonly #acts: number;
  #timer: Pick<Timer, 'cancel'> | null = null;
  #busy = false;
  /** The message reported last. */
  #told = '';

  /** @param log receives human-readable messages */
  constructor(mirror: MirrorService, group: AutostartGroup, clock: Clock, log: (text: string) => void) {
    this.#mirror = mirror;
    this.#group = group;
    this.#clock = clock;
    this.#log = log;
    this.#machine = new Running(AUTOSTART, clock.now());
    this.#acts = this.#count();
  }

  /** Starts trying. The first try is under way when this returns. */
  begin(): void {
    this.#timer = this.#clock.every(INTERVAL, () => this.#look(), true);
    this.#look();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  get #arms(): readonly Arm[] {
    return [this.#group.leader, ...this.#group.followers];
  }

  #count(): number {
    return this.#arms.reduce((sum, { acts }) => sum + acts, 0);
  }

  #put(input: keyof typeof AUTOSTART.inputs): void {
    if (this.#machine.put(input, this.#clock.now()).includes('tellOver')) {
      this.#tell('not tried any more, since somebody has driven or stopped an arm of it: start it by hand');
    }
    if (this.#machine.state === 'done' || this.#machine.state === 'over') this.close();
  }

  #look(): void {
    if (this.#busy) return;
    if (this.#count() !== this.#acts) this.#put('acted');
    if (this.#arms.every(({ latched }) => !latched)) this.#put('reset');
    if (this.#machine.state === 'trying' && this.#timer !== null) void this.#try();
  }

  async #try(): Promise<void> {
    const { leader, followers, gravity } = this.#group;
    this.#busy = true;
    try {
      const pairs = followers.map((follower) => ({ leader: leader.id, follower: follower.id }));
      await this.#mirror.start({ pairs, gravity, invert: false }, CALLER);
      this.#put('started');
    } catch (error) {
      if (this.#count() !== this.#acts) this.#put('acted');
      else this.#tell(`${messageOf(error)} It is tried until it works, or until somebody drives or stops an arm of it`);
    } finally {
      this.#busy = false;
    }
  }

  #tell(text: string): void {
    if (text === this.#told) return;
    this.#told = text;
    this.#log(`autostart of mirroring of ${this.#group.leader.name}: ${text}`);
  }
}
