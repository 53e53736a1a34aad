import type { MainModule } from '@mujoco/mujoco';
import type { ControlChannel } from '../src/arm/control-client.ts';
import { fileDisk } from '../src/disk.ts';
import type { Host, SimulatedArms } from '../src/host.ts';
import { RosUnavailable } from '../src/ros/room.ts';
import { ControlThread } from '../src/rt/control-thread.ts';
import type { ControlSetup, FromControl, ToControl } from '../src/rt/messages.ts';
import { type BytePort, PortError } from '../src/servo/port/port.ts';
import type { SimFault } from '../src/sim/sim-messages.ts';
import { type SimArmOptions, SimulatedArm } from '../src/sim/simulated-arm.ts';
import { type Lane, VirtualTime } from './virtual-clock.ts';

/** Bits that a byte takes on a line, with those about it, and bits a second of the line. */
const BITS = 10;
const BAUD = 1_000_000;
/** How often simulated arms go on while nobody asks them, s. */
const TICK = 0.001;

/** The wire between a control thread and an emulated bus: bytes arrive when the line has carried them. */
class VirtualWire implements BytePort {
  readonly url: string;
  readonly clock: Lane;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly #arm: VirtualArm;
  readonly #servos: Lane;
  /** When the line has carried all that was sent so far, s. */
  #free = 0;
  #open = false;

  constructor(url: string, arm: VirtualArm, control: Lane, servos: Lane) {
    this.url = url;
    this.clock = control;
    this.#arm = arm;
    this.#servos = servos;
  }

  async open(): Promise<void> {
    if (!this.#arm.pluggedIn) throw new PortError('not_found', `${this.url}: it is not plugged in`);
    this.#open = true;
  }

  write(bytes: Uint8Array): void {
    if (!this.#open) return;
    const copy = bytes.slice();
    this.#servos.after(this.#carried(copy.length), () => this.#arm.feed(copy, this));
  }

  /** A reply of the servos. */
  reply(bytes: Uint8Array): void {
    const copy = bytes.slice();
    this.clock.after(this.#carried(copy.length), () => {
      if (this.#open) this.onBytes(copy);
    });
  }

  unplug(): void {
    if (!this.#open) return;
    this.#open = false;
    this.clock.soon(() => this.onClose(new PortError('closed', `${this.url}: it has been unplugged`)));
  }

  async close(): Promise<void> {
    this.#open = false;
  }

  /** @returns time until the line has carried this many bytes more, s */
  #carried(bytes: number): number {
    const now = this.clock.now();
    this.#free = Math.max(this.#free, now) + (bytes * BITS) / BAUD;
    return this.#free - now;
  }
}

/** A simulated arm in virtual time, and who listens to it. */
export class VirtualArm {
  readonly sim: SimulatedArm;
  pluggedIn = true;
  readonly #lane: Lane;
  #wire: VirtualWire | null = null;
  /** Where the reply to what is being fed goes. */
  #asker: VirtualWire | null = null;

  constructor(mj: MainModule, options: SimArmOptions, lane: Lane, onFailure: (message: string) => void) {
    this.#lane = lane;
    this.sim = new SimulatedArm(mj, options, lane.now(), (bytes) => this.#asker?.reply(bytes), onFailure);
  }

  feed(bytes: Uint8Array, wire: VirtualWire): void {
    if (!this.pluggedIn) return;
    this.#asker = wire;
    this.sim.feed(bytes, this.#lane.now());
  }

  /** A new way to its bus, in place of the one before. */
  wire(url: string, control: Lane): VirtualWire {
    this.#wire?.unplug();
    this.#wire = new VirtualWire(url, this, control, this.#lane);
    return this.#wire;
  }

  unplug(): void {
    this.pluggedIn = false;
    this.#wire?.unplug();
  }

  plugIn(): void {
    this.pluggedIn = true;
  }
}

/** The simulated arms of a virtual host. */
export class VirtualArms implements SimulatedArms {
  readonly #mj: MainModule;
  readonly #arms = new Map<string, VirtualArm>();
  readonly #lane: Lane;
  /** They go on when the bridge that has started them ends. */
  outlives = false;
  /** The thread that drives them. */
  control: Lane;
  readonly #onFailure: (message: string) => void;
  readonly #timer: { cancel(): void };

  constructor(mj: MainModule, lane: Lane, control: Lane, onFailure: (message: string) => void) {
    this.#mj = mj;
    this.#lane = lane;
    this.control = control;
    this.#onFailure = onFailure;
    this.#timer = lane.every(TICK, () => {
      for (const { sim } of this.#arms.values()) sim.advance(lane.now());
    });
  }

  get(name: string): VirtualArm {
    const arm = this.#arms.get(name);
    if (arm === undefined) throw new Error(`no simulated arm "${name}"`);
    return arm;
  }

  async add(arm: SimArmOptions): Promise<void> {
    this.#arms.set(arm.name, new VirtualArm(this.#mj, arm, this.#lane, this.#onFailure));
  }

  portFor(name: string): BytePort {
    return this.get(name).wire(`sim:${name}`, this.control);
  }

  async hand(arm: string, joints: Readonly<Record<string, number>> | null, duration: number): Promise<void> {
    this.get(arm).sim.hand(joints, duration);
  }

  async truth(arm: string) {
    return this.get(arm).sim.truth(this.#lane.wall() - this.#lane.now());
  }

  async fault(arm: string, { dead, loseRate, corruptRate, powerCycle }: SimFault): Promise<void> {
    const { sim } = this.get(arm);
    const { faults } = sim.bus;
    if (dead) {
      faults.dead.clear();
      for (const id of dead) faults.dead.add(id);
    }
    if (loseRate !== undefined) faults.loseRate = loseRate;
    if (corruptRate !== undefined) faults.corruptRate = corruptRate;
    if (powerCycle) sim.powerCycle();
  }

  async close(): Promise<void> {
    if (this.outlives) return;
    this.#timer.cancel();
    for (const { sim } of this.#arms.values()) sim.dispose();
  }
}

/** What a thread would be: gone when it is killed. */
interface VirtualThread {
  readonly control: ControlThread;
  readonly kill: (reason: Error) => void;
}

/**
 * A machine in virtual time: main thread, control thread and simulation are lanes of one clock and run in one thread.
 * HTTP takes requests by `inject`; ROS 2 is not there.
 */
export class VirtualHost implements Host {
  readonly time: VirtualTime;
  readonly clock: Lane;
  readonly controlLane: Lane;
  readonly simulationLane: Lane;
  readonly disk = fileDisk;
  readonly listens = false;
  /** Null before the bridge has started it. */
  arms: VirtualArms | null = null;
  thread: VirtualThread | null = null;
  readonly #mj: MainModule;

  /** @param arms that are there already; null: the bridge has them made */
  constructor(mj: MainModule, time = new VirtualTime(), arms: VirtualArms | null = null) {
    this.#mj = mj;
    this.time = time;
    this.arms = arms;
    this.clock = time.lane('main');
    this.controlLane = time.lane('control');
    this.simulationLane = time.lane('simulation');
    if (arms !== null) arms.control = this.controlLane;
  }

  /** Kills the process that runs on it, as `kill -9` does. @returns a host for the next one, with the same arms */
  killed(): VirtualHost {
    this.clock.pause(Number.POSITIVE_INFINITY);
    this.controlLane.pause(Number.POSITIVE_INFINITY);
    return new VirtualHost(this.#mj, this.time, this.arms);
  }

  startControl(setup: ControlSetup): ControlChannel {
    let alive = true;
    const channel: ControlChannel = {
      onMessage: () => {},
      onExit: () => {},
      post: (message: ToControl) => {
        const copy = cloned(message);
        this.controlLane.soon(() => {
          if (alive) control.receive(copy);
        });
      },
    };
    const end = (reason: Error): void => {
      if (!alive) return;
      alive = false;
      control.loop.stop();
      this.clock.soon(() => channel.onExit(reason));
    };
    const control = new ControlThread(setup, this.controlLane, (message: FromControl) => {
      const copy = cloned(message);
      this.clock.soon(() => channel.onMessage(copy));
    });
    control.onClosed = () => end(new Error('it has ended'));
    this.thread = { control, kill: end };
    this.controlLane.soon(() => control.start());
    return channel;
  }

  async startSimulation(
    arms: readonly SimArmOptions[],
    { onFailure = () => {} }: { readonly onFailure?: (message: string) => void },
  ): Promise<VirtualArms> {
    if (this.arms !== null) return this.arms;
    this.arms = new VirtualArms(this.#mj, this.simulationLane, this.controlLane, onFailure);
    for (const arm of arms) await this.arms.add(arm);
    return this.arms;
  }

  async scanPorts(): Promise<[]> {
    return [];
  }

  startRos(): Promise<never> {
    return Promise.reject(new RosUnavailable('it runs in virtual time'));
  }
}

/** A message as another thread has it: what is not shared memory, and no port, is copied. */
function cloned<Message>(value: Message): Message {
  if (ArrayBuffer.isView(value)) return (value as unknown as Float64Array).slice() as unknown as Message;
  if (Array.isArray(value)) return value.map(cloned) as unknown as Message;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cloned(part)])) as Message;
}
