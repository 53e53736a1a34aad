import type { Ask } from './asks.ts';
import type { Connection } from './live.ts';
import type { ArmFrame, ArmInfo, Hello, LogLine, LoopFrame, ObjectPose, PairFrame, ServerMessage } from './protocol.ts';
import { Telling } from './telling.ts';

/** Lines of the log that are kept. */
const LOG_LINES = 200;

/**
 * `models`: the arms themselves are others than before; after a reconnection they are usually not. `frames`: every frame of
 * the arms, for whoever acts on it; `arms`: as many of them as the computer can show; `chosen`: a person has chosen a pair;
 * `foreseen`: other ghosts are wanted.
 */
export type Topic =
  | 'connection'
  | 'hello'
  | 'models'
  | 'frames'
  | 'arms'
  | 'objects'
  | 'pairs'
  | 'loop'
  | 'log'
  | 'asks'
  | 'chosen'
  | 'foreseen';

/** The newest of what the bridge said. Who shows a topic is called when it has changed. */
export class Store {
  connection: Connection = 'connecting';
  hello: Hello | null = null;
  /** By id of the arm. */
  frames: ReadonlyMap<number, ArmFrame> = new Map();
  /** Of the bridge's clock, s since the epoch. */
  time = 0;
  /** Of simulations, where they were seen last. */
  objects: readonly ObjectPose[] = [];
  pairs: readonly PairFrame[] = [];
  mirroring = false;
  mirrorReason = '';
  loop: LoopFrame | null = null;
  log: readonly LogLine[] = [];
  /** What people ask one another for. */
  asks: readonly Ask[] = [];
  /** By name of the arm: joints at which its ghost stands in the scene, rad. Nothing moves because of it. */
  foreseen: ReadonlyMap<string, readonly number[]> = new Map();
  /** The pair, by the names of its arms, that a person has just set up. */
  chosen: { readonly leader: string; readonly follower: string } | null = null;
  /** How often what moves is shown. */
  readonly telling = new Telling();
  /** What is shown with the next frame of the arms that is. */
  readonly #waiting = new Set<Topic>();
  #models = '';
  readonly #listeners = new Map<Topic, (() => void)[]>();

  get arms(): readonly ArmInfo[] {
    return this.hello?.arms ?? [];
  }

  /** Whether this client may move arms. */
  get mayControl(): boolean {
    return this.connection === 'live' && (this.hello?.scopes.includes('control') ?? false);
  }

  on(topics: readonly Topic[], listener: () => void): void {
    for (const topic of topics) this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener]);
  }

  connected(state: Connection): void {
    this.connection = state;
    this.#tell('connection');
  }

  foresee(joints: ReadonlyMap<string, readonly number[]>): void {
    this.foreseen = joints;
    this.#tell('foreseen');
  }

  take(message: ServerMessage): void {
    switch (message.type) {
      case 'hello':
        this.hello = message;
        this.log = [];
        break;
      case 'arms':
        this.frames = new Map(message.arms.map((arm) => [arm.id, arm]));
        this.time = message.t;
        break;
      case 'objects':
        this.objects = message.objects;
        break;
      case 'pairs': {
        const changed = message.active !== this.mirroring;
        this.pairs = message.pairs;
        this.mirroring = message.active;
        this.mirrorReason = message.reason;
        // What can be pressed now is shown at once, however slowly the computer draws.
        if (changed) this.#tell('pairs');
        break;
      }
      case 'loop':
        this.loop = message;
        break;
      case 'log':
        this.log = [...this.log, ...message.lines].slice(-LOG_LINES);
        break;
      case 'asks':
        this.asks = message.asks;
        this.#tell('asks');
        return;
      case 'events':
      case 'refused':
        return;
    }
    if (message.type === 'hello' || message.type === 'log' || message.type === 'objects') this.#tell(message.type);
    else this.#show(message.type);
    if (message.type === 'hello') this.#compare(message);
  }

  /** A person goes on with this pair. */
  choose(pair: NonNullable<Store['chosen']>): void {
    this.chosen = pair;
    this.#tell('chosen');
  }

  #show(topic: 'arms' | 'pairs' | 'loop'): void {
    if (topic === 'arms') this.#tell('frames');
    this.#waiting.add(topic);
    if (!this.telling.due([...this.frames.values()], performance.now())) return;
    const topics = [...this.#waiting];
    this.#waiting.clear();
    for (const each of topics) this.#tell(each);
  }

  #compare({ arms }: Hello): void {
    const models = JSON.stringify(arms);
    if (models === this.#models) return;
    this.#models = models;
    this.#tell('models');
  }

  #tell(topic: Topic): void {
    for (const listener of this.#listeners.get(topic) ?? []) {
      try {
        listener();
      } catch (error) {
        // One that fails, such as a picture that cannot be drawn, leaves the others and the connection alone.
        reportError(error);
      }
    }
  }
}
