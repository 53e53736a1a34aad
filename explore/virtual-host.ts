import type { MainModule } from '@mujoco/mujoco';
import type { ControlChannel } from '../src/arm/control-client.ts';
import { fileDisk } from '../src/disk.ts';
import type { Host } from '../src/host.ts';
import type { FromPlanner, ToPlanner } from '../src/motion/plan-messages.ts';
import { PlannerThread } from '../src/motion/planner-thread.ts';
import type { PlannerChannel } from '../src/motion/planners.ts';
import { FolderLock } from '../src/recording/folder-lock.ts';
import type { FromRecording, ToRecording } from '../src/recording/messages.ts';
import type { RecordingChannel } from '../src/recording/recording-client.ts';
import { type RecordingSetup, RecordingThread } from '../src/recording/recording-thread.ts';
import { type RosRoom, type RosServices, RosUnavailable } from '../src/ros/room.ts';
import { ControlThread } from '../src/rt/control-thread.ts';
import type { ControlSetup, FromControl, ToControl } from '../src/rt/messages.ts';
import { openLink, runBench } from '../src/rt/open-link.ts';
import type { PortInfo } from '../src/servo/port/discovery.ts';
import type { BytePort } from '../src/servo/port/port.ts';
import type { GearOptions } from '../src/sim/gear.ts';
import { LocalSimulation } from '../src/sim/local-simulation.ts';
import type { LineOptions } from '../src/sim/servo-line.ts';
import type { SimArmOptions } from '../src/sim/simulated-arm.ts';
import type { SimulatedArms } from '../src/sim/simulation.ts';
import { LanePort } from './lane-port.ts';
import { type Lane, VirtualTime } from './virtual-clock.ts';

/** How often simulated arms go on while nobody asks them, s. */
const TICK = 0.005;
/** A bus at 1 Mbaud behind a USB adapter that hands over what it has eight times in a millisecond. */
const USB_LINE: LineOptions = { baudRate: 1_000_000, interval: 125e-6 };

/** What a thread would be: gone when it is killed. */
interface VirtualThread {
  readonly control: ControlThread;
  readonly kill: (reason: Error) => void;
}

/**
 * A machine in virtual time: main thread, control thread, planner thread and simulation are lanes of one clock and run in one thread.
 * HTTP takes requests by `inject`; ROS 2 is not there.
 */
export class VirtualHost implements Host {
  readonly time: VirtualTime;
  readonly clock: Lane;
  readonly controlLane: Lane;
  readonly plannerLane: Lane;
  readonly simulationLane: Lane;
  readonly recordingLane: Lane;
  readonly disk = fileDisk;
  readonly listens = false;
  /** Null before the bridge has started it. */
  arms: LocalSimulation | null;
  /** The arms go on when the bridge that has started them ends. */
  armsOutlive = false;
  thread: VirtualThread | null = null;
  /** How long the planner thread takes for a question, s. */
  planningTime: () => number = () => 0;
  /** Gears of all simulated arms. */
  gear: GearOptions = {};
  /** Serial ports that are plugged in. */
  ports: readonly PortInfo[] = [];
  /** The port of a URL, for arms whose bus is no simulated one. */
  portAt: ((url: string) => BytePort) | null = null;
  readonly #mj: MainModule | null;
  readonly #line: LineOptions;
  /** No other process of virtual time uses the folder of recordings. */
  readonly #folderLock = new FolderLock(() => 'held');

  /**
   * @param mj null for the light physics
   * @param arms that are there already; null: the bridge has them made
   */
  constructor(
    mj: MainModule | null,
    time = new VirtualTime(),
    arms: LocalSimulation | null = null,
    line: LineOptions = USB_LINE,
  ) {
    this.#mj = mj;
    this.#line = line;
    this.time = time;
    this.arms = arms;
    this.clock = time.lane('main');
    this.controlLane = time.lane('control', true);
    this.plannerLane = time.lane('planner', true);
    this.simulationLane = time.lane('simulation', true);
    this.recordingLane = time.lane('recording');
  }

  /** Kills the process that runs on it, as `kill -9` does. @returns a host for the next one, with the same arms */
  killed(): VirtualHost {
    this.halt();
    const next = new VirtualHost(this.#mj, this.time, this.arms, this.#line);
    next.portAt = this.portAt;
    return next;
  }

  /** No thread of the process runs any more; the simulation goes on. */
  halt(): void {
    for (const lane of [this.clock, this.controlLane, this.recordingLane, this.plannerLane])
      lane.pause(Number.POSITIVE_INFINITY);
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
    const control = new ControlThread(this.#withPorts(setup), this.controlLane, openLink, (message: FromControl) => {
      const copy = cloned(message);
      this.clock.soon(() => channel.onMessage(copy));
    });
    control.runBench = runBench;
    control.onClosed = () => end(new Error('it has ended'));
    this.thread = { control, kill: end };
    this.controlLane.soon(() => control.start());
    return channel;
  }

  startRecording(setup: RecordingSetup): RecordingChannel {
    const channel: RecordingChannel = {
      onMessage: () => {},
      onExit: () => {},
      post: (message: ToRecording) => {
        const copy = cloned(message);
        this.recordingLane.soon(() => thread.receive(copy));
      },
    };
    const thread = new RecordingThread(
      setup,
      this.recordingLane,
      this.disk,
      this.#folderLock,
      (message: FromRecording) => {
        const copy = cloned(message);
        this.clock.soon(() => channel.onMessage(copy));
      },
    );
    thread.onClosed = () => this.clock.soon(() => channel.onExit(new Error('it has ended')));
    return channel;
  }

  startPlanner(givenUp: SharedArrayBuffer): PlannerChannel {
    const thread = new PlannerThread(new Int32Array(givenUp), (message: FromPlanner) => {
      const copy = cloned(message);
      this.clock.soon(() => channel.onMessage(copy));
    });
    const lane = this.plannerLane;
    let free = lane.now();
    const channel: PlannerChannel = {
      onMessage: () => {},
      onExit: () => {},
      close: () => {},
      post: (message: ToPlanner) => {
        const copy = cloned(message);
        // One question after the other. What is no longer wanted by the end of its time has been given up by then.
        free = Math.max(free, lane.now()) + ('setup' in message ? 0 : this.planningTime());
        lane.after(free - lane.now(), () => thread.receive(copy));
      },
    };
    return channel;
  }

  startStop(): never {
    throw new Error('HTTP does not listen in virtual time');
  }

  async startSimulation(
    arms: readonly SimArmOptions[],
    { onFailure = () => {} }: { readonly onFailure?: (message: string) => void },
  ): Promise<SimulatedArms> {
    const given = this.arms;
    const made =
      given ??
      new LocalSimulation({
        clock: this.simulationLane,
        mujoco: this.#mj,
        line: this.#line,
        tick: TICK,
        catchUp: Number.POSITIVE_INFINITY,
        onFailure,
      });
    if (given === null) {
      for (const arm of arms)
        made.build({ ...arm, joints: arm.joints.map((joint) => ({ gear: this.gear, ...joint })) });
    }
    this.arms = made;
    return {
      add: (arm) => made.add(arm),
      connect: (arm, ids) => made.connect(arm, ids),
      portFor: (name) => made.portFor(name),
      hand: (arm, joints, duration, stiffness) => made.hand(arm, joints, duration, stiffness),
      truth: (arm) => made.truth(arm),
      objects: (arm) => made.objects(arm),
      leadObject: (arm, object, goal, duration) => made.leadObject(arm, object, goal, duration),
      resetObjects: (arm) => made.resetObjects(arm),
      onObjects: (listener) => made.onObjects(listener),
      fault: (arm, fault) => made.fault(arm, fault),
      close: async () => {
        if (!this.armsOutlive) made.dispose();
      },
    };
  }

  async scanPorts(): Promise<readonly PortInfo[]> {
    return this.ports;
  }

  async loadRos(): Promise<void> {}

  startRos(_services: RosServices): Promise<RosRoom> {
    return Promise.reject(new RosUnavailable('it runs in virtual time'));
  }

  /** The ports of the arms as the control thread has them. */
  #withPorts(setup: ControlSetup): ControlSetup {
    const arms = setup.arms.map((arm) => {
      const { bus } = arm;
      if (bus.kind === 'remote') return arm;
      const made = bus.kind === 'sim' ? bus.port : this.portAt?.(bus.url);
      if (made === undefined || 'postMessage' in made) return arm;
      const port = made instanceof LanePort ? made : new LanePort(bus.url, made, this.controlLane);
      return { ...arm, bus: { kind: 'sim' as const, url: bus.url, port } };
    });
    return { ...setup, arms };
  }
}

/** A message as another thread has it: what is not shared memory, and no port, is copied. */
function cloned<Message>(value: Message): Message {
  if (ArrayBuffer.isView(value)) return (value as unknown as Float64Array).slice() as unknown as Message;
  if (Array.isArray(value)) return value.map(cloned) as unknown as Message;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cloned(part)])) as Message;
}
