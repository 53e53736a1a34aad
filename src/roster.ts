import { realpathSync } from 'node:fs';
import { Arm } from './arm/arm.ts';
import type { Arms } from './arm/arms.ts';
import type { ControlClient } from './arm/control-client.ts';
import type { GainStore } from './arm/gain-store.ts';
import { armModels } from './arm/model.ts';
import type { SceneObjects } from './arm/scene.ts';
import { simulatedCounterpart } from './arm/simulated-counterpart.ts';
import { BridgeError, type Caller, type Owner, type Remedy } from './arm/types.ts';
import { BASE_VARIANT } from './arm/variant.ts';
import type { ArmPlan } from './arm-plan.ts';
import { armSetup, modelFault, planArm } from './arm-plan.ts';
import type { CalibrationStore } from './calibration/calibration-store.ts';
import { ConfigError } from './config/load.ts';
import { type ArmConfig, armConfig, MOST_ARMS } from './config/schema.ts';
import type { SimulatedArms } from './host.ts';
import type { GravityService } from './mirror/gravity.ts';
import type { MirrorService } from './mirror/mirror-service.ts';
import type { MoveService } from './motion/move-service.ts';
import type { Planners } from './motion/planners.ts';
import type { SharedState } from './rt/snapshot/shared-snapshot.ts';
import { describePorts, lastingUrl, type PortInfo } from './servo/port/discovery.ts';

/** How long an arm may take to answer once it is being connected, s. */
const CONNECT_TIMEOUT = 5;

/** Spacing of the bases of arms whose mounting is not configured, m. */
const ELBOW_ROOM = 0.5;

const LEAVING: Owner = { key: 'disconnect', name: 'the one who disconnects it' };

/** A request to connect an arm. */
export interface WantedArm {
  /** Name of an arm, or its model. */
  readonly name: string;
  /** Device file of its port, or the link to it; null if not given. */
  readonly device: string | null;
  /** Serial number of its USB adapter; null if not given. */
  readonly serialNumber: string | null;
  /** Its bus in the form of the configuration; null if not given. */
  readonly bus: string | null;
  /** Build of the model; null if not given. */
  readonly variant: string | null;
}

/** An arm found on the ROS 2 graph, whose bus another machine owns. */
export interface GuestArm {
  readonly name: string;
  /** Folder below robots/. */
  readonly model: string;
  readonly variant: string;
}

export interface RosterParts {
  readonly arms: Arms;
  /** Indexed like the arms in the control thread, which gets all of them when it is restarted. */
  readonly plans: ArmPlan[];
  readonly planners: Planners;
  readonly control: ControlClient;
  readonly shared: SharedState;
  readonly store: GainStore;
  readonly calibrations: CalibrationStore;
  readonly motion: MoveService;
  readonly mirror: MirrorService;
  readonly gravity: GravityService;
  /** Null when no arm is simulated. */
  readonly simulation: SimulatedArms | null;
  /** Objects in front of simulated arms. */
  readonly scene: SceneObjects;
  /** The serial ports of this machine. */
  readonly scan: () => Promise<readonly PortInfo[]>;
  /** The ROS 2 graph, through which arms of other machines are reached. */
  readonly graph: {
    /** Why there is none; empty when there is one. */
    readonly off: () => string;
    readonly add: (arm: Arm) => void;
  };
  readonly makeArm: (plan: ArmPlan, index: number) => Arm;
}

/** Connects and disconnects arms while the bridge runs. The ids of arms never change. */
export class Roster {
  readonly #parts: RosterParts;
  /** Added arms that have never answered, by their configuration. */
  readonly #spare = new Map<string, Arm>();
  readonly #leaving = new Set<Arm>();
  /** Guests: remote arms that are here only for a pair, each with the number of pair starts under way. */
  readonly #guests = new Map<Arm, number>();
  /** The bus on which an arm is being set up; null: none. */
  #held: string | null = null;
  readonly #listeners = new Set<(arm: Arm) => void>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: RosterParts) {
    this.#parts = parts;
    parts.mirror.onChange(() => this.#dismiss());
  }

  /**
   * Connects an arm: a known one, or a new one on a scanned port, or a simulated one if there are simulated arms.
   * @returns the arm, which answers
   * @throws {BridgeError} bad_request if it cannot be connected, disconnected for an arm that does not answer
   */
  connect(wanted: WantedArm): Promise<Arm> {
    return this.#inTurn(() => this.#connect(wanted));
  }

  /**
   * Reserves a bus for setting up an arm: no arm is connected there meanwhile.
   * @returns a function that releases the bus
   * @throws {BridgeError} owned when an arm of this bridge is on it, or another arm is being set up
   */
  hold(bus: string): Promise<() => void> {
    return this.#inTurn(() => this.#hold(bus));
  }

  async #hold(bus: string): Promise<() => void> {
    const ports = await this.#parts.scan();
    const taken = this.#parts.arms.all.find((arm) => !arm.detached && !arm.simulated && sameBus(arm.bus, bus, ports));
    if (taken !== undefined) {
      throw new BridgeError('owned', `Arm ${taken.name} is on ${bus}: disconnect it first, or name another port.`);
    }
    if (this.#held !== null) throw new BridgeError('owned', `An arm is being set up on ${this.#held}.`);
    this.#held = bus;
    return () => {
      this.#held = null;
    };
  }

  /** The ports of this machine without an arm of this bridge. */
  async free(): Promise<readonly { readonly port: PortInfo; readonly bus: string }[]> {
    const ports = await this.#parts.scan();
    const { all } = this.#parts.arms;
    return ports
      .map((port) => ({ port, bus: lastingUrl(port, ports) }))
      .filter(({ bus }) => !all.some((arm) => !arm.detached && sameBus(arm.bus, bus, ports)));
  }

  /**
   * Adds an arm that has been set up, or puts it back on its bus if it was there before.
   * @param config its id is changed if another arm has that id
   * @param kit it is a simulated arm that already exists
   * @returns the arm, which answers
   * @throws {BridgeError} bad_request, disconnected
   */
  join(config: ArmConfig, kit: boolean): Promise<Arm> {
    return this.#inTurn(() => this.#join(config, kit));
  }

  /**
   * Begins something with a remote arm that stays only while a pair uses it. Arms of the configuration stay anyway.
   * @param begin starts its pair
   * @throws {BridgeError} bad_request, unsupported without ROS 2, disconnected if the arm sends nothing; errors of
   *   `begin`
   */
  async withGuest(guest: GuestArm, begin: (arm: Arm) => Promise<void>): Promise<void> {
    const arm = await this.#inTurn(() => this.#invite(guest));
    try {
      await begin(arm);
    } finally {
      const starts = this.#guests.get(arm);
      if (starts !== undefined) this.#guests.set(arm, starts - 1);
      this.#dismiss();
    }
  }

  async #invite({ name, model, variant }: GuestArm): Promise<Arm> {
    const { arms, graph, plans } = this.#parts;
    const off = graph.off();
    if (off !== '') {
      throw new BridgeError('unsupported', `Arms of other machines are reached by ROS 2, which is off here: ${off}.`);
    }
    const there = arms.byName(name);
    if (there === undefined) {
      const config = this.#newConfig({ name, model, variant, bus: 'ros' });
      const arm = await this.#add({ ...config, mount: this.#beside(config.mount) });
      this.#guests.set(arm, 1);
      return arm;
    }
    if (!there.remote) {
      throw refusal(`This bridge has an arm "${name}" of its own: on one graph each arm needs a name of its own.`);
    }
    const { config } = plans[there.index]!;
    if (config.model !== model || config.variant !== variant) {
      throw refusal(
        `Arm ${name} is ${config.model} (${config.variant}) here, and ${model} (${variant}) on its own machine: ` +
          'start this bridge again.',
      );
    }
    const starts = this.#guests.get(there);
    if (starts !== undefined) this.#guests.set(there, starts + 1);
    try {
      if (there.read().state === 'disconnected') await this.#attach(there);
    } catch (error) {
      if (starts !== undefined) this.#guests.set(there, starts);
      throw error;
    }
    return there;
  }

  /** Removes guests that no pair uses or is about to use. */
  #dismiss(): void {
    // Without a control thread there is nothing to release.
    for (const arm of this.#guests.keys()) this.#inTurn(() => this.#dismissed(arm)).catch(() => {});
  }

  async #dismissed(arm: Arm): Promise<void> {
    if (this.#guests.get(arm) !== 0 || arm.detached || this.#parts.mirror.starterOf(arm) !== null) return;
    await this.#detach(arm, 'its machine drives it, and no pair here has it');
  }

  /** Runs tasks one after the other, so that two requests for one port cannot both get it. */
  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(task);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #join(config: ArmConfig, kit: boolean): Promise<Arm> {
    const { arms, plans } = this.#parts;
    const there = arms.byName(config.name);
    if (there !== undefined) {
      const { model, variant } = plans[there.index]!.config;
      if (there.bus !== config.bus || model !== config.model || variant !== config.variant) {
        throw refusal(
          `Arm ${config.name} of this bridge is another one: start the bridge again with the new configuration.`,
        );
      }
      if (there.read().state === 'disconnected') await this.#attach(there);
      return there;
    }
    if (plans.length >= MOST_ARMS) throw refusal(`There is no room for more than ${MOST_ARMS} arms.`);
    const ids = plans.map((plan, index) => plan.config.id ?? index);
    const id = config.id === undefined || ids.includes(config.id) ? Math.max(...ids) + 1 : config.id;
    return this.#add({ ...config, id, mount: this.#beside(config.mount) }, kit, true);
  }

  /** A free place for a base: the wanted one if no other arm stands there. */
  #beside(wanted: ArmConfig['mount']): ArmConfig['mount'] {
    const places = this.#parts.plans.map(({ config }) => config.mount.xyz);
    const [x, y, z] = wanted.xyz;
    if (places.every((place) => Math.hypot(place[0] - x, place[1] - y) > ELBOW_ROOM / 2)) return wanted;
    return { ...wanted, xyz: [x, Math.min(...places.map((place) => place[1])) - ELBOW_ROOM, z] };
  }

  /** Calls `listener` with each added arm, once it answers. @returns a function that unsubscribes */
  onAdded(listener: (arm: Arm) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Ends whatever drives an arm, lowers it, switches its torque off and releases its bus. Its pairs end.
   * @returns null, or why it is still connected
   * @throws {BridgeError} stopped, owned
   */
  async disconnect(arm: Arm, caller: Caller): Promise<string | null> {
    if (this.#leaving.has(arm)) return `Arm ${arm.name} is being disconnected.`;
    if (arm.detached) return `Arm ${arm.name} is disconnected already.`;
    this.#leaving.add(arm);
    try {
      if (arm.read().state !== 'disconnected') {
        const problem = await this.#lower(arm, caller);
        if (problem !== null) return problem;
      }
      await this.#detach(arm, `it has been disconnected by ${caller.owner.name}`);
      return null;
    } finally {
      arm.unreserve(LEAVING);
      this.#leaving.delete(arm);
    }
  }

  /** @returns null when the arm is limp and nobody can drive it any more, else why not */
  async #lower(arm: Arm, caller: Caller): Promise<string | null> {
    const { mirror, gravity, motion } = this.#parts;
    const why = `arm ${arm.name} is being disconnected by ${caller.owner.name}`;
    if (arm.remote) {
      // Stopped, limp or not, it stays what it is on its own machine.
      await mirror.leave(arm, why);
      const refused = arm.refusalFor(caller);
      if (refused !== null) throw refused;
      arm.letGoByOwner(why);
      return null;
    }
    arm.requireDrivable();
    await mirror.leave(arm, why);
    await gravity.stop(arm, caller, 'hold');
    const takeOver = caller.takeOver || arm.owner?.key === caller.owner.key;
    const leaving: Caller = { ...caller, owner: LEAVING, takeOver };
    // Whatever drives it ends, and nothing else may begin between going limp and the closing of its bus.
    await arm.halt(leaving, () => arm.reserve(LEAVING));
    if (!arm.read().torque) return null;
    const { ok, message } = await motion.sleep(arm, leaving);
    return ok ? null : `Arm ${arm.name} is still connected, since it was not lowered: ${message}`;
  }

  async #connect(wanted: WantedArm): Promise<Arm> {
    const found = await this.#find(wanted);
    if (this.#held !== null && sameBus(found.bus, this.#held, await this.#parts.scan())) {
      throw refusal('An arm is being set up on this bus: end that first.');
    }
    if (!(found instanceof Arm)) return this.#add(found);
    if (this.#leaving.has(found)) {
      throw refusal(`Arm ${found.name} is being disconnected: try again when that is done.`);
    }
    if (found.read().state === 'disconnected') await this.#attach(found);
    return found;
  }

  /** The requested arm, or the configuration of an arm to be added. @throws {BridgeError} bad_request */
  async #find(wanted: WantedArm): Promise<Arm | ArmConfig> {
    const { arms } = this.#parts;
    const named = arms.byName(wanted.name);
    const { bus } = wanted;
    if (bus === null && wanted.device === null && wanted.serialNumber === null) {
      if (named !== undefined) return named;
      throw refusal(
        `"${wanted.name}" is no arm of this bridge (${names(arms)}), and no device is named: give its device file or the ` +
          'serial number of its adapter.',
        'list_ports',
      );
    }
    if (bus?.startsWith('sim:')) return this.#findSimulated(wanted, bus);
    if (bus !== null && !bus.startsWith('serial:')) {
      // All arms of other machines are on the same bus, `ros`, so the name decides.
      const there = named?.bus === bus ? named : arms.all.find((arm) => arm.bus === bus);
      if (there !== undefined) return there;
      throw refusal('A bus on the network is connected only when the configuration names it.');
    }
    return this.#findSerial(wanted);
  }

  #findSimulated(wanted: WantedArm, bus: string): Arm | ArmConfig {
    const { arms, simulation } = this.#parts;
    const same = arms.all.filter((arm) => arm.bus === bus);
    const there = same.find((arm) => arm.name === wanted.name) ?? same.find((arm) => arm.detached);
    if (there !== undefined) return there;
    if (simulation === null) throw refusal('Arms are simulated only where the configuration has simulated ones.');
    return this.#configOf(wanted, bus);
  }

  async #findSerial(wanted: WantedArm): Promise<Arm | ArmConfig> {
    const { arms, scan } = this.#parts;
    const ports = await scan();
    const asked = wanted.device ?? wanted.serialNumber ?? serialTarget(wanted.bus!);
    const port = ports.find((one) => namesOf(one, ports).includes(asked));
    if (port === undefined) {
      throw refusal(`No serial port is "${asked.slice(0, 200)}". ${describePorts(ports)}`, 'list_ports');
    }
    const known = namesOf(port, ports);
    const there = arms.all.find(({ bus }) => {
      const target = serialTarget(bus);
      return known.includes(target) || known.includes(resolved(target));
    });
    return there ?? this.#configOf(wanted, busOf(port, ports));
  }

  /** The configuration of an arm to be added. @throws {BridgeError} bad_request */
  #configOf({ name, variant }: WantedArm, bus: string): ArmConfig {
    const { arms, plans } = this.#parts;
    const models = armModels();
    if (!models.includes(name)) {
      throw refusal(`"${name}" is neither an arm of this bridge (${names(arms)}) nor a model: ${models.join(', ')}.`);
    }
    const taken = plans.map(({ config }) => config.name);
    let free = `${name}_${this.#nextId()}`;
    while (taken.includes(free)) free += '_';
    return this.#newConfig({ name: free, model: name, variant: variant ?? BASE_VARIANT, bus });
  }

  #nextId(): number {
    return Math.max(...this.#parts.plans.map(({ config }, index) => config.id ?? index)) + 1;
  }

  /** @throws {BridgeError} bad_request */
  #newConfig(fields: Pick<ArmConfig, 'name' | 'model' | 'variant' | 'bus'>): ArmConfig {
    if (this.#parts.plans.length >= MOST_ARMS) {
      throw refusal(
        `There is no room for more than ${MOST_ARMS} arms, and those that are disconnected keep their places: start the bridge again.`,
      );
    }
    const { data, error } = armConfig.safeParse({ ...fields, id: this.#nextId() });
    if (error !== undefined)
      throw refusal(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    return data;
  }

  /** @param named its name has been chosen, so that no arm of another name can be it */
  async #add(config: ArmConfig, kit = false, named = false): Promise<Arm> {
    const { arms, planners } = this.#parts;
    const key = [
      kit || named || config.bus === 'ros' ? config.name : '',
      config.bus,
      config.model,
      config.variant,
    ].join(' ');
    const spare = this.#spare.get(key);
    const arm = spare ?? (await this.#make(config, kit));
    this.#spare.set(key, arm);
    if (arm.remote && spare === undefined) this.#parts.graph.add(arm);
    await this.#attach(arm);
    this.#spare.delete(key);
    // The planner thread takes a while to load an arm, so load it before the first move.
    planners.of(arm);
    arms.add(arm);
    for (const listener of this.#listeners) listener(arm);
    return arm;
  }

  /** Adds an arm to the control thread, off its bus. */
  async #make(config: ArmConfig, kit: boolean): Promise<Arm> {
    const { plans, shared, control, simulation, scene, store, makeArm } = this.#parts;
    const plan = await this.#planned(config, kit);
    plan.detached = 'it has not been connected yet';
    const simulated = config.bus.startsWith('sim:') && simulation !== null;
    if (simulated && !kit) {
      const objects = scene.of(config.name);
      await simulation.add(simulatedCounterpart(plan.model, config.name, config.simulation, objects));
    }
    const index = plans.length;
    const memory = shared.add(plan.model.joints.length);
    plans.push(plan);
    const arm = makeArm(plan, index);
    const port = simulated ? simulation.portFor(config.name) : null;
    try {
      const setup = armSetup(plan, port, store);
      await control.command({ kind: 'add', arm: index, setup, shared: memory });
    } catch (error) {
      plans.pop();
      shared.drop();
      throw error;
    }
    return arm;
  }

  /** @throws {BridgeError} bad_request for a model or a variant that does not exist */
  async #planned(config: ArmConfig, kit: boolean): Promise<ArmPlan> {
    const { planners, calibrations } = this.#parts;
    const id = config.id!;
    try {
      const read = await planners.readModel(config.model, config.variant).catch((error: unknown) => {
        throw modelFault(error, id);
      });
      return planArm(config, id, calibrations, kit, read);
    } catch (error) {
      if (error instanceof ConfigError) throw refusal(error.message);
      throw error;
    }
  }

  /** Puts an arm on its bus. @throws {BridgeError} disconnected when it does not answer; its state is then as before */
  async #attach(arm: Arm): Promise<void> {
    const plan = this.#parts.plans[arm.index]!;
    const before = plan.detached;
    plan.detached = null;
    await this.#parts.control.command({ kind: 'connect', arm: arm.index });
    const { clock } = arm;
    const deadline = clock.now() + CONNECT_TIMEOUT;
    while (arm.read().state === 'disconnected') {
      if (clock.now() > deadline) {
        const { reason } = arm;
        if (before !== null) await this.#detach(arm, before);
        throw new BridgeError('disconnected', `Arm ${arm.name} does not answer: ${reason}.`);
      }
      await arm.nextCycle();
    }
  }

  async #detach(arm: Arm, reason: string): Promise<void> {
    this.#parts.plans[arm.index]!.detached = reason;
    await this.#parts.control.command({ kind: 'disconnect', arm: arm.index, reason });
    // The snapshot shows it from the next cycle on.
    while (arm.read().state !== 'disconnected') await arm.nextCycle();
  }
}

function refusal(text: string, remedy: Remedy | null = null): BridgeError {
  return new BridgeError('bad_request', text, { remedy });
}

function names(arms: Arms): string {
  return arms.all.map(({ name }) => name).join(', ');
}

/** All names of a port: its device file, the link to it, a serial number that no other port has. */
function namesOf(port: PortInfo, ports: readonly PortInfo[]): readonly string[] {
  const { path, byId, serialNumber } = port;
  const alone = ports.every((other) => other === port || other.serialNumber !== serialNumber);
  return [path, ...(byId === null ? [] : [byId]), ...(serialNumber === null || !alone ? [] : [serialNumber])];
}

/** Whether two buses of the configuration are the same serial port. */
function sameBus(bus: string, other: string, ports: readonly PortInfo[]): boolean {
  if (bus === other) return !bus.startsWith('sim:');
  const [target, wanted] = [serialTarget(bus), serialTarget(other)];
  if (target === '' || wanted === '') return false;
  if (resolved(target) === resolved(wanted)) return true;
  return ports.some((port) => {
    const known = namesOf(port, ports);
    return known.includes(target) && known.includes(wanted);
  });
}

/** Device file or serial number of a serial bus; empty for other buses. */
function serialTarget(bus: string): string {
  return /^serial:(?:\?(?:baud=\d+&)?serial=)?([^?&]+)/.exec(bus)?.[1] ?? '';
}

/** The device file that a link of the configuration leads to. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The most durable name of a port: its serial number if a URL can contain it, else the link to it. */
function busOf(port: PortInfo, ports: readonly PortInfo[]): string {
  const { path, byId, serialNumber } = port;
  return serialNumber !== null && /^[\w.:-]+$/.test(serialNumber) && namesOf(port, ports).includes(serialNumber)
    ? `serial:?serial=${serialNumber}`
    : `serial:${byId ?? path}`;
}
