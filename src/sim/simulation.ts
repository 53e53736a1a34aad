import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Clock } from '../clock.ts';
import type { BytePort } from '../servo/port/port.ts';
import { FRUGAL, threadEntry } from '../thread.ts';
import type { SimFault } from './servo-line.ts';
import type { SimCall, SimReply, SimRequest, SimResult, SimWorkerData } from './sim-messages.ts';
import type { SimObjectState } from './sim-object.ts';
import type { SimArmOptions, SimTruth } from './simulated-arm.ts';

/** The simulated arms of a bridge, in a separate thread or the same one. */
export interface SimulatedArms {
  /** Builds one more arm. @throws {Error} if its name is taken, it cannot be built, or the simulation has ended */
  add(arm: SimArmOptions): Promise<void>;
  /** Connects exactly these servos of a kit (`SimArmOptions.factoryNew`) to its line. @throws {Error} as `hand` */
  connect(arm: string, ids: readonly number[]): Promise<void>;
  /**
   * A new byte port to the arm's servo bus, in the form that the control thread takes. The port handed out before
   * closes.
   * @throws {Error} for an unknown arm
   */
  portFor(name: string): MessagePort | BytePort;
  /**
   * Moves joints of an arm by hand to the given angles (rad) within `duration` (s), or lets go of all (null).
   * `stiffness` (Nm/rad, by joint) makes the hand yield; it holds the other joints firmly. Resolves when the motion has
   * begun.
   * @throws {Error} for an unknown arm or joint, or if the simulation has ended
   */
  hand(
    arm: string,
    joints: Readonly<Record<string, number>> | null,
    duration: number,
    stiffness?: Readonly<Record<string, number>>,
  ): Promise<void>;
  /** True state of the arm. @throws {Error} for an unknown arm, or if the simulation has ended */
  truth(arm: string): Promise<SimTruth>;
  /** Changes the faults of the arm. @throws {Error} for an unknown arm or servo, or if the simulation has ended */
  fault(arm: string, fault: SimFault): Promise<void>;
  /** Scene objects of an arm, may be empty. @throws {Error} for an unknown arm, or if the simulation has ended */
  objects(arm: string): Promise<readonly SimObjectState[]>;
  /**
   * Moves an object to a position in the base frame (m) by a hand of limited force, which lets go after `duration` s;
   * 0: at once.
   * @throws {Error} for an unknown arm, an unknown or fixed object, or if the simulation has ended
   */
  leadObject(
    arm: string,
    object: string,
    goal: readonly [x: number, y: number, z: number],
    duration: number,
  ): Promise<void>;
  /** Puts the scene objects of an arm back at their initial poses. @throws {Error} as `objects` */
  resetObjects(arm: string): Promise<void>;
  /**
   * Reports the object poses of each arm to a listener, 7 numbers each (position, quaternion with w last): once at
   * first, and up to 30 times a second while any object moves.
   */
  onObjects(listener: (arm: string, poses: Float64Array) => void): void;
  /** Ends the simulation; every byte port closes. */
  close(): Promise<void>;
}

export interface SimulationOptions {
  readonly clock: Clock;
  /** Compiled worker entry; default: next to this file, or in `dist/` if this file runs from source. */
  readonly workerUrl?: URL;
  /** Called when the physics of an arm diverged (the simulation goes on) or the thread died (it has ended). */
  readonly onFailure?: (message: string) => void;
  /** SCHED_FIFO priority of the thread, 1..99, if the system allows it; default: none. */
  readonly priority?: number | null;
  /** Longest wait for MuJoCo and all arms, s. */
  readonly startTimeout?: number;
}

/** Grace period for the thread to end by itself, s. */
const ENDING = 1;

interface Waiting {
  readonly resolve: (result: SimResult) => void;
  readonly reject: (reason: Error) => void;
}

/** The simulated arms of this process in their own thread, and the main thread's handle to it. */
export class Simulation implements SimulatedArms {
  readonly #clock: Clock;
  readonly #worker: Worker;
  readonly #names: string[];
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  /** Last reported object poses, by arm. */
  readonly #poses = new Map<string, Float64Array>();
  #next = 1;
  #closing = false;
  #over: string | null = null;
  #onFailure: (message: string) => void;
  #onObjects: (arm: string, poses: Float64Array) => void = () => {};

  private constructor(clock: Clock, worker: Worker, names: readonly string[], onFailure: (message: string) => void) {
    this.#clock = clock;
    this.#worker = worker;
    this.#names = [...names];
    this.#onFailure = onFailure;
    this.#exited = new Promise((resolve) => {
      worker.once('exit', (code) => {
        this.#end(`the simulation thread ended with code ${code}`);
        resolve();
      });
    });
    worker.on('error', (error: Error) => this.#end(`the simulation thread failed: ${error.message}`));
  }

  /**
   * Starts the thread, loads MuJoCo and builds the arms; resolves when they answer.
   * @throws {Error} that says which arm cannot be built and why
   */
  static async start(arms: readonly SimArmOptions[], options: SimulationOptions): Promise<Simulation> {
    const names = arms.map((arm) => arm.name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw new Error(`two simulated arms are named "${twice}": give each its own name`);
    const data: SimWorkerData = { arms, priority: options.priority ?? null };
    const worker = new Worker(options.workerUrl ?? threadEntry('sim/entry.js'), {
      workerData: data,
      name: 'simulation',
      resourceLimits: FRUGAL,
    });
    const timeout = options.startTimeout ?? 30;
    const { clock } = options;
    const timer = clock.timer(() => {
      late(new Error(`not ready within ${timeout} s; this computer is too busy: end other programs, then start again`));
    });
    let late: (reason: Error) => void = () => {};
    try {
      return await new Promise<Simulation>((resolve, reject) => {
        late = reject;
        timer.start(timeout);
        const simulation = new Simulation(clock, worker, names, (message) => reject(new Error(message)));
        worker.on('message', (reply: SimReply) => {
          if (reply.type === 'ready') {
            simulation.#onFailure = options.onFailure ?? (() => {});
            resolve(simulation);
          } else {
            simulation.#receive(reply);
          }
        });
      });
    } catch (error) {
      await worker.terminate();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  async add(arm: SimArmOptions): Promise<void> {
    if (this.#names.includes(arm.name)) throw new Error(`there is a simulated arm "${arm.name}" already`);
    await this.#call({ type: 'add', arm });
    this.#names.push(arm.name);
  }

  async connect(arm: string, ids: readonly number[]): Promise<void> {
    await this.#call({ type: 'connect', arm, ids });
  }

  /** A port to transfer to the thread that drives it (`SimPort`). */
  portFor(name: string): MessagePort {
    if (!this.#names.includes(name)) {
      throw new Error(`no simulated arm "${name}"; there are ${this.#names.join(', ')}`);
    }
    const { port1, port2 } = new MessageChannel();
    const request: SimRequest = { number: 0, call: { type: 'attach', arm: name, port: port2 } };
    if (this.#over === null) this.#worker.postMessage(request, [port2]);
    else port2.close();
    return port1;
  }

  async hand(
    arm: string,
    joints: Readonly<Record<string, number>> | null,
    duration: number,
    stiffness: Readonly<Record<string, number>> = {},
  ): Promise<void> {
    await this.#call({ type: 'hand', arm, joints, duration, stiffness });
  }

  async truth(arm: string): Promise<SimTruth> {
    return (await this.#call({ type: 'truth', arm })) as SimTruth;
  }

  async objects(arm: string): Promise<readonly SimObjectState[]> {
    return (await this.#call({ type: 'objects', arm })) as readonly SimObjectState[];
  }

  async leadObject(
    arm: string,
    object: string,
    goal: readonly [x: number, y: number, z: number],
    duration: number,
  ): Promise<void> {
    await this.#call({ type: 'lead-object', arm, object, goal, duration });
  }

  async resetObjects(arm: string): Promise<void> {
    await this.#call({ type: 'reset-objects', arm });
  }

  onObjects(listener: (arm: string, poses: Float64Array) => void): void {
    this.#onObjects = listener;
    for (const [arm, poses] of this.#poses) listener(arm, poses);
  }

  async fault(arm: string, fault: SimFault): Promise<void> {
    await this.#call({ type: 'fault', arm, fault });
  }

  async close(): Promise<void> {
    this.#closing = true;
    if (this.#over === null) {
      const request: SimRequest = { number: 0, call: { type: 'stop' } };
      this.#worker.postMessage(request);
    }
    const timer = this.#clock.after(ENDING, () => void this.#worker.terminate());
    await this.#exited;
    timer.cancel();
  }

  #call(call: SimCall): Promise<SimResult> {
    if (this.#over !== null || this.#closing) {
      return Promise.reject(new Error(this.#over ?? 'the simulation is being closed'));
    }
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      const request: SimRequest = { number, call };
      this.#worker.postMessage(request);
    });
  }

  #receive(reply: Exclude<SimReply, { type: 'ready' }>): void {
    if (reply.type === 'failure') {
      this.#onFailure(reply.message);
      return;
    }
    if (reply.type === 'objects') {
      this.#poses.set(reply.arm, reply.poses);
      this.#onObjects(reply.arm, reply.poses);
      return;
    }
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (reply.type === 'done') waiting?.resolve(reply.result);
    else waiting?.reject(new Error(reply.message));
  }

  #end(message: string): void {
    if (this.#over !== null) return;
    this.#over = message;
    for (const { reject } of this.#waiting.values()) reject(new Error(message));
    this.#waiting.clear();
    if (!this.#closing) this.#onFailure(message);
  }
}
