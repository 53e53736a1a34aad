import { resolve } from 'node:path';
import type { Arm } from '../arm/arm.ts';
import type { Arms } from '../arm/arms.ts';
import { type ArmBuild, ArmModelError, armModels, type ReadModel } from '../arm/model.ts';
import { BridgeError, type Caller, type Owner } from '../arm/types.ts';
import { BASE_VARIANT } from '../arm/variant.ts';
import type { Clock } from '../clock.ts';
import { giveFullSpeed, idIn, type PairEntry, type Role, swapBuses, tryWriting } from '../config/edit.ts';
import { ConfigError } from '../config/load.ts';
import { type ArmConfig, armConfig, MOST_ARMS, type PairConfig, pairConfig } from '../config/schema.ts';
import { AssignError } from '../servo/assign.ts';
import { type Bench, listed, servoName } from '../servo/bench.ts';
import { likelyArms } from '../servo/port/adapters.ts';
import { describePort, type PortInfo } from '../servo/port/discovery.ts';
import type { ServoFamily } from '../servo/servo-family.ts';
import {
  counterparts,
  enterArm,
  nameFault,
  nameTaken,
  otherAt,
  pairsOf,
  type SetupArm,
  SLOW,
  setupArm,
  wantedRate,
} from './arm.ts';
import { ArmSetup, type SetupStep } from './arm-setup.ts';
import { connectAll, connectOne } from './instructions.ts';

/** Time to plug a cable in, s; the servo answers by then. */
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
/** Action of a person at a step. */
export type SetupAction = (typeof SETUP_ACTIONS)[number];

/** Steps at which each action is valid. */
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
/** Action of the simulated hand during practice. */
export type HandAction = (typeof HAND_ACTIONS)[number];

/** The simulated hand that builds a kit. */
export interface PracticeHand {
  plug(what: string): Promise<readonly number[]>;
  middle(): Promise<boolean>;
  ends(): Promise<boolean>;
  letGo(): Promise<void>;
}

/** Data of an arm that a person gives before its set-up. */
export interface SetupRequest {
  /** Its bus; null: the simulated kit. */
  readonly bus: string | null;
  readonly model: string;
  /** Null: the build for its role. */
  readonly variant: string | null;
  /** Null: it neither leads nor follows. */
  readonly role: Role | null;
  readonly name: string;
}

/** A running set-up. */
export interface SetupView extends Omit<SetupRequest, 'variant' | 'bus'> {
  readonly variant: string;
  readonly bus: string;
  readonly practice: boolean;
  readonly step: SetupStep;
  /** Servos in the order of the assignment of ids. */
  readonly servos: readonly {
    readonly joint: string;
    readonly id: number;
    readonly model: string;
    /** Part that distinguishes it from others of its model; null: none. */
    readonly part: string | null;
    /** Supply that it is made for, V; several: the print on it tells which. */
    readonly supplies: readonly number[];
    /** It must be connected alone now. */
    readonly due: boolean;
    /** It has got its id, or was skipped. */
    readonly done: boolean;
  }[];
  /** Human-readable: what to connect, and to which supply; empty at steps that need nothing connected. */
  readonly instruction: string;
  /** Human-readable: result of the last action, and the fault; empty: none. */
  readonly said: string;
  readonly fault: string;
  /** The due servo already has another assigned id; `reassign` replaces it. */
  readonly given: boolean;
  /** An action is running. */
  readonly busy: boolean;
  /** Arms that it can be paired with in its role. */
  readonly counterparts: readonly string[];
  readonly by: string;
}

/** A USB adapter without an arm. */
export interface FreePort {
  /** Bus URL for the configuration. */
  readonly bus: string;
  readonly about: string;
  /** Name of a kind of adapter that arms have; null: an unknown one. */
  readonly adapter: string | null;
  /** Models of arms that it suggests. */
  readonly likely: readonly string[];
}

/** An arm model with its builds, the plain one first. */
export interface ModelBuilds {
  readonly model: string;
  readonly builds: readonly ArmBuild[];
}

/** Reads models outside the main thread, because it takes tens of milliseconds. */
export interface ModelReader {
  /** @throws {ArmModelError} */
  readModel(model: string, variant: string): Promise<ReadModel>;
  /** @throws {ArmModelError} */
  builds(model: string): Promise<readonly ArmBuild[]>;
}

/** Parts of the bridge that a set-up needs. */
export interface SetupParts {
  readonly clock: Clock;
  readonly arms: Arms;
  readonly reader: ModelReader;
  /** Ports of this machine without an arm, each with its bus URL for the configuration. */
  readonly ports: () => Promise<readonly { readonly port: PortInfo; readonly bus: string }[]>;
  /** Reserves a bus. @returns releases it @throws {BridgeError} owned */
  readonly hold: (bus: string) => Promise<() => void>;
  /** Access to the servos on a bus. @param simulated name of the simulated arm that has them; null: real servos */
  readonly bench: (bus: string, family: ServoFamily, rate: number | null, simulated: string | null) => Bench;
  /** Makes the new servos of a simulated arm; null if the bridge simulates nothing. */
  readonly kit: ((arm: SetupArm, name: string) => Promise<PracticeHand>) | null;
  /** Adds an arm to this bridge. @param kit whether it is a simulated kit @throws {BridgeError} */
  readonly join: (config: ArmConfig, kit: boolean) => Promise<Arm>;
  /** Pairs of the configuration in use. */
  readonly pairs: () => readonly PairConfig[];
  readonly setPairs: (pairs: readonly PairConfig[]) => void;
  /** Configuration file that arms are written to. */
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
  /** Running action; null: none. */
  work: Promise<unknown> | null;
}

/**
 * Sets up arms while the bridge runs, one at a time. Only the client that began may continue, and nobody else uses the
 * bus meanwhile. Each action opens the bus and closes it again; no action switches torque on.
 */
export class SetupService {
  readonly #parts: SetupParts;
  /** Kits by arm name; `of` is the model and variant it was built as. */
  readonly #kits = new Map<string, { readonly hand: PracticeHand; readonly of: string }>();
  #open: Open | null = null;
  /** A set-up is starting. */
  #beginning = false;
  #made: readonly string[] = [];
  /** Followers whose ports have been exchanged with those of their leaders, for the next start. */
  readonly #swapped = new Set<string>();
  /** Cached, because models do not change while the bridge runs. */
  #models: Promise<readonly ModelBuilds[]> | null = null;

  constructor(parts: SetupParts) {
    this.#parts = parts;
  }

  get file(): string {
    return this.#parts.file;
  }

  /** Human-readable reason why practice is impossible; empty if it is possible. */
  get noPractice(): string {
    return this.#parts.kit === null
      ? 'A simulated kit needs a bridge with simulated arms: start it without --config.'
      : '';
  }

  /**
   * Pairs that follow slowly until they are confirmed, whichever run of the bridge has set them up. One whose ports have been
   * exchanged is tried after the next start.
   */
  get trials(): readonly PairEntry[] {
    return this.#parts.pairs().filter(({ velocity, follower }) => velocity === SLOW && !this.#swapped.has(follower));
  }

  /** Names of the arms set up since the bridge started, and of those whose pair is still to be confirmed. */
  get made(): readonly string[] {
    const waiting = this.trials.flatMap(({ leader, follower }) => [leader, follower]);
    return [...new Set([...this.#made, ...waiting])];
  }

  /** Models that a person can choose from, each with its builds. */
  async models(): Promise<readonly ModelBuilds[]> {
    this.#models ??= Promise.all(
      armModels().map(async (model) => ({ model, builds: await this.#parts.reader.builds(model) })),
    );
    try {
      return await this.#models;
    } catch (error) {
      this.#models = null;
      throw error;
    }
  }

  /** USB adapters without an arm. */
  async ports(): Promise<readonly FreePort[]> {
    const held = this.#open?.request.bus;
    const free = (await this.#parts.ports()).filter(({ port, bus }) => port.vendorId !== null && bus !== held);
    return free.map(({ port, bus }) => ({
      bus,
      about: describePort(port),
      adapter: port.adapter?.name ?? null,
      likely: port.adapter === null ? [] : likelyArms(port.adapter),
    }));
  }

  view(): SetupView | null {
    return this.#open === null ? null : this.#viewOf(this.#open);
  }

  /**
   * Begins the set-up of an arm. Writes nothing to servos.
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
   * Carries out an action of the present step. A fault of the servos appears in the view, and the step stays.
   * @param counterpart for `enter`: the other arm of its pair; null: no pair
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

  /**
   * Ends the set-up after a running action; written data stays.
   * @returns false if no set-up is running
   * @throws {BridgeError} owned
   */
  async end({ owner }: Caller): Promise<boolean> {
    if (this.#open === null) return false;
    await this.#end(this.#mine(owner));
    return true;
  }

  /** Ends the set-up if its client has gone. */
  endForsaken(hasGone: (owner: Owner) => boolean): void {
    if (this.#open !== null && hasGone(this.#open.owner)) void this.#end(this.#open);
  }

  /** Ends the set-up after a running action, because the action may be writing. */
  async close(): Promise<void> {
    if (this.#open !== null) await this.#end(this.#open);
  }

  /**
   * Moves the simulated hand of a practice kit.
   * @param name name of the arm
   * @param what servo to plug in: its joint, or `all`
   * @returns human-readable result
   * @throws {BridgeError} bad_request, owned
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

  /**
   * Confirms that the follower goes the right way: from the next start it has full speed.
   * @throws {BridgeError} bad_request
   */
  confirm(follower: string): void {
    const trial = this.#trial(follower);
    if (!this.#kits.has(follower)) people(() => giveFullSpeed(this.#parts.file, trial));
    this.#parts.setPairs(this.#parts.pairs().map((pair) => (pair === trial ? { ...pair, velocity: null } : pair)));
  }

  /**
   * Exchanges the ports of a leader and a follower that were mixed up, in the configuration file. It takes effect at
   * the next start of the bridge, which asks about the pair again.
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
    this.#swapped.add(follower);
  }

  #trial(follower: string): PairEntry {
    if (this.#swapped.has(follower)) {
      throw new BridgeError(
        'bad_request',
        `The ports of ${follower} and its leader have been exchanged: start the bridge again, and calibrate both.`,
      );
    }
    const trial = this.trials.find((pair) => pair.follower === follower);
    if (trial !== undefined) return trial;
    throw new BridgeError('bad_request', `No pair with the follower "${follower.slice(0, 64)}" waits for a word.`);
  }

  async #opened(request: SetupRequest, owner: Owner): Promise<Open> {
    const { model, role, name } = request;
    const fault = nameFault(name);
    if (fault !== undefined) throw new BridgeError('bad_request', `name: ${fault}.`);
    const practice = request.bus === null;
    const { arm, variant } = await this.#armOf(model, request.variant, role).catch((error: unknown) => {
      throw inWords(error);
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
      const taken = await nameTaken(this.#parts.file, bus, name);
      if (taken !== null) throw new BridgeError('bad_request', `${taken}.`);
      // Before anything is written to servos: a service of systemd may not write its configuration.
      people(() => tryWriting(this.#parts.file));
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

  /** @throws {ArmModelError} for a model or a variant that does not exist */
  async #armOf(
    model: string,
    wanted: string | null,
    role: Role | null,
  ): Promise<{ readonly arm: SetupArm; readonly variant: string }> {
    const { reader } = this.#parts;
    if (!armModels().includes(model)) throw new ArmModelError(`there is no arm "${model}": ${armModels().join(', ')}`);
    const asLeader = async (): Promise<boolean> => (await reader.builds(model)).some(({ value }) => value === role);
    // The build for a role, if the model has one, else the plain build.
    const variant = wanted ?? (role === 'leader' && (await asLeader()) ? role : BASE_VARIANT);
    const read = await reader.readModel(model, variant);
    return { arm: setupArm(read.model), variant };
  }

  /** The kit of this name; built on first use. @throws {BridgeError} bad_request, unsupported */
  async #kit(arm: SetupArm, { name, model, variant }: SetupRequest): Promise<PracticeHand> {
    const { kit } = this.#parts;
    if (kit === null) throw new BridgeError('unsupported', this.noPractice);
    const of = [model, variant].join(' ');
    const there = this.#kits.get(name);
    if (there !== undefined && there.of !== of) {
      throw new BridgeError('bad_request', `The simulated kit ${name} is another arm: choose another name.`);
    }
    if (there === undefined) this.#checkRoom();
    const hand = there?.hand ?? (await kit(arm, name));
    this.#kits.set(name, { hand, of });
    return hand;
  }

  /** A kit is simulated until the bridge ends, so kits count as arms from the beginning. @throws {BridgeError} bad_request */
  #checkRoom(): void {
    const arms = this.#parts.arms.all.map(({ name }) => name);
    const kits = [...this.#kits.keys()].filter((name) => !arms.includes(name));
    if (arms.length + kits.length < MOST_ARMS) return;
    const begun = kits.length === 0 ? '' : `go on with ${kits.join(', ')}, or `;
    throw new BridgeError(
      'bad_request',
      `There is no room for more than ${MOST_ARMS} arms, simulated kits included: ${begun}start the bridge again.`,
    );
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

  /** @returns human-readable result */
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
    if (!practice) {
      // Also after an earlier attempt that wrote the file, but could not connect the arm and so was repeated without a counterpart.
      const both = ({ leader, follower }: PairConfig): boolean =>
        [leader, follower].every((each) => this.#parts.arms.byName(each) !== undefined);
      for (const pair of pairsOf(file, name).filter(both)) this.#pair(pair);
    } else if (counterpart !== null && role !== null) {
      const pair =
        role === 'leader' ? { leader: name, follower: counterpart } : { leader: counterpart, follower: name };
      this.#pair(pairConfig.parse({ ...pair, velocity: SLOW }));
    }
    setup.entered();
    this.#made = [...this.#made.filter((other) => other !== name), name];
    return `${arm.name} is robot ${arm.id} of this bridge now, and limp. ${done}.`;
  }

  /** Makes the two arms a pair of this bridge. */
  #pair(pair: PairConfig): void {
    const others = this.#parts.pairs().filter(({ follower }) => follower !== pair.follower);
    this.#parts.setPairs([...others, pair]);
  }

  /** Possible partners: kits for a kit, otherwise arms of the file that this bridge has. */
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
        supplies: servo.model.supplies,
        due: servo === due,
        done: setup.isDone(servo),
      })),
      instruction: instructionAt(setup),
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

/** What to connect at the step of a set-up; empty: nothing. */
function instructionAt({ step, arm, servo }: ArmSetup): string {
  if (servo !== null) return connectOne(arm, servo);
  return step === 'look' || step === 'missing' || step === 'whole' ? connectAll(arm) : '';
}

/** Turns faults of a model or a configuration into refusals. @throws {BridgeError} bad_request */
function people<T>(task: () => T): T {
  try {
    return task();
  } catch (error) {
    throw inWords(error);
  }
}

/** A fault of a model or a configuration as a refusal; other errors as they are. */
function inWords(error: unknown): unknown {
  if (!(error instanceof ArmModelError || error instanceof ConfigError)) return error;
  return new BridgeError('bad_request', `${error.message}.`);
}

/** Configuration file for new arms: the bridge's own, or my.yaml if it runs without one. */
export function ownFile(file: string | null): string {
  return resolve(file ?? 'my.yaml');
}
