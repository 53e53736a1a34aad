import { resolve } from 'node:path';
import type { Arm } from '../arm/arm.ts';
import type { Arms } from '../arm/arms.ts';
import { ArmModelError, armModels } from '../arm/model.ts';
import { BridgeError, type Caller, type Owner } from '../arm/types.ts';
import { BASE_VARIANT } from '../arm/variant.ts';
import type { Clock } from '../clock.ts';
import { idIn, type PairEntry, type Role, swapBuses } from '../config/edit.ts';
import { ConfigError } from '../config/load.ts';
import { type ArmConfig, armConfig, type PairConfig, pairConfig } from '../config/schema.ts';
import { AssignError } from '../servo/assign.ts';
import { type Bench, listed, servoName } from '../servo/bench.ts';
import { describePort, type PortInfo } from '../servo/port/discovery.ts';
import type { ServoFamily } from '../servo/servo-family.ts';
import { armToSetUp, buildsOf, counterparts, enterArm, nameFault, otherAt, type SetupArm, wantedRate } from './arm.ts';
import { ArmSetup, type SetupStep } from './arm-setup.ts';

/** The first time a follower is no faster than this, rad/s: there is time to see that something is wrong, and to let go. */
export const SLOW = 0.4;

/** So long a hand takes to plug a cable in, s; its servo answers by then. */
const PLUGGING = 0.5;

export const SETUP_ACTIONS = [
  'look',
  'singly',
  'give',
  'reassign',
  'leave_out',
  'set_registers',
  'leave_registers',
  'enter',
] as const;
/** What a person does at a step. */
export type SetupAction = (typeof SETUP_ACTIONS)[number];

/** At which steps each action has a meaning. */
const STEPS_OF: Readonly<Record<SetupAction, readonly SetupStep[]>> = {
  look: ['look', 'missing', 'whole'],
  singly: ['missing'],
  give: ['single'],
  reassign: ['single'],
  leave_out: ['single'],
  set_registers: ['registers'],
  leave_registers: ['registers'],
  enter: ['enter'],
};

export const HAND_ACTIONS = ['plug', 'middle', 'ends', 'let_go'] as const;
/** What the hand of somebody who practises does. */
export type HandAction = (typeof HAND_ACTIONS)[number];

/** The hand that builds a kit. */
export interface PracticeHand {
  plug(what: string): Promise<readonly number[]>;
  middle(): Promise<boolean>;
  ends(): Promise<boolean>;
  letGo(): Promise<void>;
}

/** What a person says of an arm before its set-up begins. */
export interface SetupRequest {
  /** Its bus; null: the simulated kit. */
  readonly bus: string | null;
  readonly model: string;
  /** Null: the build that its role names. */
  readonly variant: string | null;
  /** Null: it neither leads nor follows. */
  readonly role: Role | null;
  readonly name: string;
}

/** A set-up that is under way. */
export interface SetupView extends Omit<SetupRequest, 'variant' | 'bus'> {
  readonly variant: string;
  readonly bus: string;
  readonly practice: boolean;
  readonly step: SetupStep;
  /** Servos in the order in which they get their ids. */
  readonly servos: readonly {
    readonly joint: string;
    readonly id: number;
    readonly model: string;
    /** What tells it from others of its model; null: nothing does. */
    readonly part: string | null;
    /** It is the one that is to be connected alone. */
    readonly due: boolean;
    /** It has been given its id, or was left out. */
    readonly done: boolean;
  }[];
  /** What the last action has come to, and what is wrong, for people. */
  readonly said: string;
  readonly fault: string;
  /** The servo that is due has been given another id before: `reassign` gives it its own all the same. */
  readonly given: boolean;
  /** An action is being carried out. */
  readonly busy: boolean;
  /** Arms that it may be paired with, by its role. */
  readonly counterparts: readonly string[];
  readonly by: string;
}

/** A pair that has been formed here, and follows slowly until somebody says that it goes the right way. */
export type Trial = PairEntry;

/** A model with its builds, the plain one first. */
export interface ModelBuilds {
  readonly model: string;
  readonly builds: ReturnType<typeof buildsOf>;
}

/** What a set-up needs of the rest of the bridge. */
export interface SetupParts {
  readonly clock: Clock;
  readonly arms: Arms;
  /** The ports of this machine on which no arm is, with the bus that the configuration would name. */
  readonly ports: () => Promise<readonly { readonly port: PortInfo; readonly bus: string }[]>;
  /** Keeps a bus from everybody else. @returns what gives it back @throws {BridgeError} owned */
  readonly hold: (bus: string) => Promise<() => void>;
  /** The servos on a bus; `simulated`: of the simulated arm of that name. */
  readonly bench: (bus: string, family: ServoFamily, rate: number | null, simulated: string | null) => Bench;
  /** Builds the servos of a simulated arm as they come from the shop; null where nothing is simulated. */
  readonly kit: ((arm: SetupArm, name: string) => Promise<PracticeHand>) | null;
  /** Adds an arm to this bridge. @param kit it is a simulated one @throws {BridgeError} */
  readonly join: (config: ArmConfig, kit: boolean) => Promise<Arm>;
  /** Pairs of the configuration in use. */
  readonly pairs: () => readonly PairConfig[];
  readonly setPairs: (pairs: readonly PairConfig[]) => void;
  /** File that arms are written to. */
  readonly file: string;
}

interface Open {
  readonly owner: Owner;
  readonly request: SetupRequest & { readonly variant: string; readonly bus: string };
  readonly hand: PracticeHand | null;
  readonly setup: ArmSetup;
  readonly release: () => void;
  said: string;
  fault: string;
  given: boolean;
  /** What is being carried out; null: nothing. */
  work: Promise<unknown> | null;
}

/**
 * Sets arms up while the bridge runs, one at a time: who has begun goes on alone, and nobody else uses the bus meanwhile. It opens the
 * bus for each action and closes it again; no action switches torque on.
 */
export class SetupService {
  readonly #parts: SetupParts;
  /** Kits by the name of the arm, each with what was said of it when it was built. */
  readonly #kits = new Map<string, { readonly hand: PracticeHand; readonly of: string }>();
  #open: Open | null = null;
  /** A set-up is about to begin. */
  #beginning = false;
  #trials: readonly Trial[] = [];
  #made: readonly string[] = [];
  /** Read once: they do not change while the bridge runs. */
  #models: readonly ModelBuilds[] | null = null;

  constructor(parts: SetupParts) {
    this.#parts = parts;
  }

  get file(): string {
    return this.#parts.file;
  }

  /** Why nobody can practise here, for people; empty when people can. */
  get noPractice(): string {
    return this.#parts.kit === null
      ? 'A simulated kit needs a bridge with simulated arms: start it without --config.'
      : '';
  }

  /** Pairs that go slowly until they are confirmed. */
  get trials(): readonly Trial[] {
    return this.#trials;
  }

  /** Names of the arms that have been set up since the bridge began. */
  get made(): readonly string[] {
    return this.#made;
  }

  /** Arms that a person may choose from, each with its builds. */
  models(): readonly ModelBuilds[] {
    this.#models ??= armModels().map((model) => ({ model, builds: buildsOf(model) }));
    return this.#models;
  }

  /** Adapters on which no arm is: what they are, and which arms usually come with them. */
  async ports(): Promise<
    readonly { readonly bus: string; readonly about: string; readonly likely: readonly string[] }[]
  > {
    const held = this.#open?.request.bus;
    const free = (await this.#parts.ports()).filter(({ port, bus }) => port.vendorId !== null && bus !== held);
    return free.map(({ port, bus }) => ({ bus, about: describePort(port), likely: port.adapter?.arms ?? [] }));
  }

  view(): SetupView | null {
    return this.#open === null ? null : this.#viewOf(this.#open);
  }

  /**
   * Begins to set an arm up. Writes nothing.
   * @throws {BridgeError} owned, bad_request, unsupported
   */
  async begin(request: SetupRequest, { owner }: Caller): Promise<SetupView> {
    if (this.#open !== null || this.#beginning) throw this.#refused(owner);
    this.#beginning = true;
    try {
      const open = await this.#opened(request, owner);
      this.#open = open;
      return await this.#carryOut(open, 'look', null);
    } finally {
      this.#beginning = false;
    }
  }

  /**
   * Does what is to be done at the present step. What goes wrong at the servos is told in the view, and the step stays.
   * @param counterpart arm that leads it, or that it leads, for `enter`
   * @throws {BridgeError} owned, bad_request
   */
  async act(action: SetupAction, counterpart: string | null, { owner }: Caller): Promise<SetupView> {
    const open = this.#mine(owner);
    if (open.work !== null) throw new BridgeError('bad_request', 'The last action is still under way.');
    if (!STEPS_OF[action].includes(open.setup.step)) {
      throw new BridgeError('bad_request', `"${action}" has no meaning at the step "${open.setup.step}".`);
    }
    return this.#carryOut(open, action, counterpart);
  }

  /** Ends it; what is written stays. An action under way is finished first. @returns false when none is under way @throws {BridgeError} owned */
  async end({ owner }: Caller): Promise<boolean> {
    if (this.#open === null) return false;
    await this.#end(this.#mine(owner));
    return true;
  }

  /** Ends it when whoever has begun it has gone. */
  endForsaken(hasGone: (owner: Owner) => boolean): void {
    if (this.#open !== null && hasGone(this.#open.owner)) void this.#end(this.#open);
  }

  /** Lets an action that writes be finished before the bridge ends. */
  async close(): Promise<void> {
    if (this.#open !== null) await this.#end(this.#open);
  }

  /**
   * Moves the hand of somebody who practises.
   * @param name of the arm @param what servo to be plugged in: its joint, or `all`
   * @returns what has been done, for people @throws {BridgeError} bad_request, owned
   */
  async hand(name: string, action: HandAction, what: string, { owner }: Caller): Promise<string> {
    const hand = this.#kits.get(name)?.hand;
    if (hand === undefined)
      throw new BridgeError('bad_request', `"${name.slice(0, 64)}" is no arm that is practised with.`);
    if (this.#open?.request.name === name) this.#mine(owner);
    const came = (done: boolean): string =>
      done ? 'The hand is there.' : 'Something holds the arm, or the hand was sent elsewhere.';
    switch (action) {
      case 'plug': {
        let ids: readonly number[];
        try {
          ids = await hand.plug(what);
        } catch (error) {
          throw new BridgeError('bad_request', `${(error as Error).message}.`);
        }
        await this.#parts.clock.sleep(PLUGGING);
        return `${ids.length === 1 ? 'One servo is' : `${ids.length} servos are`} connected to the adapter.`;
      }
      case 'middle':
        return came(await hand.middle());
      case 'ends':
        return came(await hand.ends());
      case 'let_go':
        await hand.letGo();
        return 'The hand has let go.';
    }
  }

  /** The follower goes the right way: from the next start on it has its full speed. @throws {BridgeError} bad_request */
  confirm(follower: string): void {
    const trial = this.#trial(follower);
    this.#trials = this.#trials.filter((other) => other !== trial);
    this.#parts.setPairs(this.#parts.pairs().map((pair) => (isOf(pair, trial) ? { ...pair, velocity: null } : pair)));
  }

  /**
   * Leader and follower were taken for each other: exchanges their ports in the configuration file, for the next start of the bridge.
   * @throws {BridgeError} bad_request
   */
  swap(follower: string): void {
    const trial = this.#trial(follower);
    if (this.#kits.has(follower))
      throw new BridgeError(
        'bad_request',
        'The simulated kit knows which of its arms is the leader: they are not exchanged.',
      );
    people(() => swapBuses(this.#parts.file, trial));
    this.#trials = this.#trials.filter((other) => other !== trial);
    this.#parts.setPairs(this.#parts.pairs().filter((pair) => !isOf(pair, trial)));
  }

  #trial(follower: string): Trial {
    const trial = this.#trials.find((pair) => pair.follower === follower);
    if (trial !== undefined) return trial;
    throw new BridgeError('bad_request', `No pair with the follower "${follower.slice(0, 64)}" waits for a word.`);
  }

  async #opened(request: SetupRequest, owner: Owner): Promise<Open> {
    const { model, role, name } = request;
    const fault = nameFault(name);
    if (fault !== undefined) throw new BridgeError('bad_request', `name: ${fault}.`);
    const practice = request.bus === null;
    const { arm, variant } = people(() => {
      if (!armModels().includes(model))
        throw new ArmModelError(`there is no arm "${model}": ${armModels().join(', ')}`);
      const variant = request.variant ?? variantFor(model, role);
      return { arm: armToSetUp(model, variant), variant };
    });
    const bus = request.bus ?? `sim:${model}`;
    const there = this.#parts.arms.byName(name);
    if (there !== undefined && (practice || !there.detached)) {
      throw new BridgeError('bad_request', `This bridge has an arm ${name} already: choose another name.`);
    }
    if (!practice) {
      const free = (await this.#parts.ports()).map((port) => port.bus);
      if (!free.includes(bus)) {
        const known = free.length === 0 ? 'there is none' : `there are ${free.join(', ')}`;
        throw new BridgeError('bad_request', `${bus} is no port of this computer without an arm; ${known}.`, {
          remedy: 'list_ports',
        });
      }
      const other = await otherAt(this.#parts.file, bus, name);
      if (other !== null) {
        throw new BridgeError(
          'bad_request',
          `${bus} is the port of ${other} in ${this.#parts.file}: ${name} has an adapter of its own.`,
        );
      }
    }
    const hand = practice ? await this.#kit(arm, { ...request, variant }) : null;
    const release = await this.#parts.hold(practice ? `sim:${name}` : bus);
    const rate = practice ? null : wantedRate(bus);
    const bench = this.#parts.bench(bus, arm.family, rate, practice ? name : null);
    return {
      owner,
      request: { ...request, variant, bus },
      hand,
      setup: new ArmSetup(arm, bench),
      release,
      said: '',
      fault: '',
      given: false,
      work: null,
    };
  }

  /** The kit of this name, which is built once. @throws {BridgeError} bad_request, unsupported */
  async #kit(arm: SetupArm, { name, model, variant }: SetupRequest): Promise<PracticeHand> {
    const { kit } = this.#parts;
    if (kit === null) throw new BridgeError('unsupported', this.noPractice);
    const of = [model, variant].join(' ');
    const there = this.#kits.get(name);
    if (there !== undefined && there.of !== of) {
      throw new BridgeError('bad_request', `The simulated kit ${name} is another arm: choose another name.`);
    }
    const hand = there?.hand ?? (await kit(arm, name));
    this.#kits.set(name, { hand, of });
    return hand;
  }

  async #carryOut(open: Open, action: SetupAction, counterpart: string | null): Promise<SetupView> {
    open.fault = '';
    open.given = false;
    const work = this.#work(open, action, counterpart).then(
      (said) => {
        open.said = said;
      },
      (error: unknown) => {
        if (!(error instanceof AssignError || error instanceof ConfigError || error instanceof BridgeError))
          throw error;
        open.given = error instanceof AssignError && error.code === 'given';
        open.said = '';
        open.fault = `${error.message}${error.message.endsWith('.') ? '' : '.'}`;
      },
    );
    open.work = work;
    try {
      await work;
    } finally {
      open.work = null;
    }
    const view = this.#viewOf(open);
    if (view.step === 'done') await this.#end(open);
    return view;
  }

  /** @returns what has been done, for people */
  async #work({ setup, request, hand }: Open, action: SetupAction, counterpart: string | null): Promise<string> {
    switch (action) {
      case 'look':
        await setup.look();
        if (setup.step === 'missing') return '';
        return `All ${setup.arm.servos.length} servos answer, each with its own id.`;
      case 'singly':
        setup.singly();
        return '';
      case 'give':
      case 'reassign': {
        const servo = setup.servo!;
        const { supply, changes } = await setup.give(action === 'reassign');
        const what = changes.length === 0 ? 'was set up already' : `has its id, ${servo.id}`;
        return `The servo for ${servoName(servo)} ${what}. It measures ${supply.toFixed(1)} V, as it should.`;
      }
      case 'leave_out':
        setup.leaveOut();
        return '';
      case 'set_registers': {
        const { eepromWrites } = await setup.setRegisters();
        return `Set: ${eepromWrites} EEPROM registers were written.`;
      }
      case 'leave_registers':
        setup.leaveRegisters();
        return '';
      case 'enter':
        return this.#enter(setup, request, hand !== null, counterpart);
    }
  }

  async #enter(
    setup: ArmSetup,
    { name, model, variant, bus, role }: Open['request'],
    practice: boolean,
    counterpart: string | null,
  ): Promise<string> {
    if (counterpart !== null && !this.#counterparts(name, role, practice).includes(counterpart)) {
      throw new BridgeError('bad_request', `${counterpart} cannot be the other arm of ${name}.`);
    }
    const { file } = this.#parts;
    const done = practice
      ? 'Nothing is written: the kit is there until the bridge ends'
      : await enterArm(file, { name, model, variant, bus, role }, counterpart);
    const id = practice ? null : idIn(file, name);
    const arm = await this.#parts.join(
      armConfig.parse({ name, model, variant, bus, ...(id === null ? {} : { id }) }),
      practice,
    );
    if (counterpart !== null && role !== null) {
      this.#pair(role === 'leader' ? { leader: name, follower: counterpart } : { leader: counterpart, follower: name });
    }
    setup.entered();
    this.#made = [...this.#made.filter((other) => other !== name), name];
    return `${arm.name} is robot ${arm.id} of this bridge now, and limp. ${done}.`;
  }

  /** From now on the two are a pair of this bridge, and slow until somebody has seen that it goes the right way. */
  #pair(entry: PairEntry): void {
    const slow = pairConfig.parse({ ...entry, velocity: SLOW });
    const others = this.#parts.pairs().filter(({ follower }) => follower !== entry.follower);
    this.#parts.setPairs([...others, slow]);
    this.#trials = [...this.#trials.filter(({ follower }) => follower !== entry.follower), entry];
  }

  /** Kits go with kits, and arms of the file with arms of the file that this bridge has. */
  #counterparts(name: string, role: Role | null, practice: boolean): readonly string[] {
    if (role === null) return [];
    const { arms, file, pairs } = this.#parts;
    if (!practice) return counterparts(file, name, role).filter((other) => arms.byName(other) !== undefined);
    const paired = pairs().flatMap(({ leader, follower }) => [leader, follower]);
    const fits = (arm: Arm): boolean => role === 'follower' || arm.model.variant !== 'leader';
    return arms.all.filter((arm) => arm.kit && !paired.includes(arm.name) && fits(arm)).map((arm) => arm.name);
  }

  #viewOf(open: Open): SetupView {
    const { setup, request, said, fault, given, work, owner, hand } = open;
    const { step, arm } = setup;
    const due = setup.servo;
    const differences =
      step === 'registers' ? `Some registers are not as its data want:\n${listed(arm.servos, setup.differences)}` : '';
    const faults = step === 'missing' ? `${setup.faults.join('; ')}.` : '';
    return {
      ...request,
      practice: hand !== null,
      step,
      servos: arm.servos.map((servo) => ({
        joint: servo.joint,
        id: servo.id,
        model: servo.model.model,
        part: servo.part,
        due: servo === due,
        done: setup.isDone(servo),
      })),
      said: [said, differences].filter((text) => text !== '').join(' '),
      fault: fault || faults,
      given,
      busy: work !== null,
      counterparts: step === 'enter' ? this.#counterparts(request.name, request.role, hand !== null) : [],
      by: owner.name,
    };
  }

  #mine(owner: Owner): Open {
    const open = this.#open;
    if (open === null) throw new BridgeError('bad_request', 'No arm is being set up: begin first.');
    if (open.owner.key !== owner.key) throw this.#refused(owner);
    return open;
  }

  #refused({ key }: Owner): BridgeError {
    const open = this.#open;
    if (open === null) return new BridgeError('owned', 'Somebody begins to set an arm up at this moment.');
    if (open.owner.key === key)
      return new BridgeError('bad_request', `${open.request.name} is being set up: end that first.`);
    return new BridgeError('owned', `${open.request.name} is being set up by ${open.owner.name}: ask them to end it.`);
  }

  async #end(open: Open): Promise<void> {
    await open.work?.catch(() => {});
    if (this.#open !== open) return;
    this.#open = null;
    open.release();
  }
}

/** The build that a role names, where the model has one. */
function variantFor(model: string, role: Role | null): string {
  return role === 'leader' && buildsOf(model).some(({ value }) => value === role) ? role : BASE_VARIANT;
}

function isOf(pair: PairEntry, { leader, follower }: PairEntry): boolean {
  return pair.leader === leader && pair.follower === follower;
}

/** What is wrong with a model or a configuration is for people. @throws {BridgeError} bad_request */
function people<T>(task: () => T): T {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof ArmModelError || error instanceof ConfigError)) throw error;
    throw new BridgeError('bad_request', `${error.message}.`);
  }
}

/** Where arms are written to when the bridge runs without a file of its own. */
export function ownFile(file: string | null): string {
  return resolve(file ?? 'my.yaml');
}
