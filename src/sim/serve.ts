import { lstatSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import loadMujoco from '@mujoco/mujoco';
import type { Clock, Timer } from '../clock.ts';
import { BROWN_OUT, type FaultPlan, NO_FAULTS, STALL } from './faults.ts';
import { ServoLine } from './servo-line.ts';
import { type SimArmOptions, type SimTruth, SimulatedArm } from './simulated-arm.ts';
import { PseudoTerminal } from './terminal.ts';

export interface ServeOptions {
  readonly clock: Clock;
  readonly arm: SimArmOptions;
  readonly faults?: FaultPlan;
  /** Uses the light physics model, which has no contacts. */
  readonly light?: boolean;
  /** Serves the arm's bus on a pseudo-terminal; if `link` is a path, a symbolic link to it is created there. */
  readonly pty?: { readonly link: string | null };
  /** Serves the bus over TCP as raw bytes, one host at a time; port 0 takes a free port. */
  readonly tcp?: { readonly host: string; readonly port: number };
  /** Receives messages for the user: unplugged, plugged in, physics failures. */
  readonly onEvent?: (message: string) => void;
}

/** Period at which the arm advances without requests, s. */
const TICK = 1e-3;
/** Wait before a second host is turned away, because the first may just have hung up, s. */
const HANGING_UP = 0.1;

/**
 * An emulated arm with physics, whose servo bus any program can open on a pseudo-terminal, over TCP, or both. It runs
 * on the event loop of the thread that started it.
 */
export class ServedArm {
  readonly arm: SimulatedArm;
  readonly #options: ServeOptions;
  readonly #faults: FaultPlan;
  readonly #clock: Clock;
  readonly #line: ServoLine;
  readonly #timers: Pick<Timer, 'cancel'>[] = [];
  #terminal: PseudoTerminal | null = null;
  #server: Server | null = null;
  #host: Socket | null = null;
  #tcpPort: number | null = null;
  #closed = false;

  /**
   * Builds the arm and opens its ports.
   * @throws {Error} with a message for the user if the model cannot be built or a port cannot be served
   */
  static async start(options: ServeOptions): Promise<ServedArm> {
    const served = new ServedArm(options.light ? null : await loadMujoco(), options);
    try {
      await served.plugIn();
    } catch (error) {
      await served.close();
      throw error;
    }
    served.#planFaults();
    return served;
  }

  private constructor(mj: Awaited<ReturnType<typeof loadMujoco>> | null, options: ServeOptions) {
    const faults = options.faults ?? NO_FAULTS;
    const { clock, arm } = options;
    this.#options = options;
    this.#faults = faults;
    this.#clock = clock;
    const ids = arm.joints.flatMap((joint) => joint.servos.map((servo) => servo.id));
    const unknown = [...faults.dead, ...Object.keys(faults.servos).map(Number)].find((id) => !ids.includes(id));
    if (unknown !== undefined) {
      throw new Error(`arm "${arm.name}" has no servo ${unknown} that could fail; its ids are ${ids.join(', ')}`);
    }
    const changed: SimArmOptions = {
      ...arm,
      joints: arm.joints.map((joint) => ({ gear: faults.gear, ...joint })),
      ...(faults.voltage === null ? {} : { supplyVoltage: faults.voltage }),
      // Both families count the return delay in units of 2 us.
      ...(faults.returnDelay === null
        ? {}
        : { eeprom: { ...arm.eeprom, return_delay: Math.round(faults.returnDelay / 2e-6) } }),
    };
    this.arm = new SimulatedArm(
      mj,
      changed,
      clock.now(),
      (bytes) => this.#line.answer(bytes),
      (message) => this.#tell(message),
    );
    // Return delays also apply without a baud rate.
    const { returnDelay, delay, interval } = faults;
    const baudRate = faults.baudRate ?? (returnDelay === null ? null : Number.POSITIVE_INFINITY);
    this.#line = new ServoLine(this.arm, clock, { baudRate, delay, interval });
    this.#line.fault(faults);
    this.#timers.push(clock.every(TICK, () => this.arm.advance(clock.now())));
  }

  /** Device file of the present pseudo-terminal; null without one. */
  get terminal(): string | null {
    return this.#terminal?.path ?? null;
  }

  /** Path at which users open the pseudo-terminal: the link, or else the device file; null without one. */
  get path(): string | null {
    return this.#options.pty?.link ?? this.terminal;
  }

  /** TCP port; null without one. */
  get tcpPort(): number | null {
    return this.#tcpPort;
  }

  /** True state of the arm. */
  truth(): SimTruth {
    const clock = this.#clock;
    this.arm.advance(clock.now());
    return this.arm.truth(clock.wall() - clock.now());
  }

  /** Opens the ports, as at the start. @throws {Error} with a message for the user */
  async plugIn(): Promise<void> {
    const { pty, tcp } = this.#options;
    if (pty && !this.#terminal) {
      if (pty.link !== null) clearStaleLink(pty.link);
      const terminal = await PseudoTerminal.open((chunk) => this.#feed(chunk, this.#toTerminal));
      this.#terminal = terminal;
      if (pty.link !== null) symlinkSync(terminal.path, pty.link);
    }
    if (tcp && !this.#server) await this.#listen(tcp.host, this.#tcpPort ?? tcp.port);
  }

  /** Closes the ports, as if the adapter were pulled out; the arm keeps its supply and runs on. */
  async unplug(): Promise<void> {
    this.#line.clear();
    const { pty } = this.#options;
    const terminal = this.#terminal;
    this.#terminal = null;
    if (terminal) {
      if (pty && pty.link !== null) removeLink(pty.link, terminal.path);
      await terminal.close();
    }
    const server = this.#server;
    this.#server = null;
    this.#host?.destroy();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Ends everything; safe to call more than once. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
    await this.unplug();
    this.arm.dispose();
  }

  readonly #toTerminal = (bytes: Uint8Array): void => this.#terminal?.write(bytes);
  /** Sends a copy, because a socket keeps the chunk until the system has taken it. */
  readonly #toHost = (bytes: Uint8Array): void => void this.#host?.write(Buffer.from(bytes));

  #feed(chunk: Uint8Array, send: (bytes: Uint8Array) => void): void {
    this.#line.onBytes = send;
    this.#line.write(chunk);
  }

  async #listen(host: string, port: number): Promise<void> {
    const server = createServer({ noDelay: true }, (socket) => {
      socket.on('error', () => {});
      if (this.#host === null) this.#serve(socket);
      else this.#clock.after(HANGING_UP, () => this.#serveNext(server, socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const use = error.code === 'EADDRINUSE' ? 'it is in use: name another, or 0 for a free one' : error.message;
        reject(new Error(`TCP port ${port} of ${host} cannot be served: ${use}`));
      });
      server.listen(port, host, resolve);
    });
    this.#server = server;
    this.#tcpPort = (server.address() as AddressInfo).port;
  }

  #serve(socket: Socket): void {
    this.#host = socket;
    socket.on('data', (chunk: Uint8Array) => this.#feed(chunk, this.#toHost));
    const leave = (): void => {
      if (this.#host === socket) this.#host = null;
    };
    // A host that has hung up may connect again before its old connection is closed.
    socket.on('end', leave);
    socket.on('close', leave);
  }

  /** Serves a second host if the first has hung up meanwhile. */
  #serveNext(server: Server, socket: Socket): void {
    if (this.#server === server && this.#host === null) {
      this.#serve(socket);
      return;
    }
    this.#tell(`a second host (${socket.remoteAddress}) was turned away: a servo bus has one`);
    socket.destroy();
  }

  #planFaults(): void {
    const { unplug, stalls, brownOuts } = this.#faults;
    const clock = this.#clock;
    if (stalls !== null) this.#timers.push(clock.every(stalls, () => this.#line.stall(STALL)));
    if (brownOuts !== null) this.#timers.push(clock.every(brownOuts, () => this.#brownOut()));
    if (!unplug) return;
    const later = (seconds: number, what: () => Promise<void>, message: string): void => {
      const carryOut = (): void => {
        what().then(
          () => this.#tell(message),
          (error: Error) => this.#tell(error.message),
        );
      };
      this.#timers.push(clock.after(seconds, carryOut));
    };
    later(unplug.after, () => this.unplug(), `unplugged for ${unplug.duration} s`);
    later(unplug.after + unplug.duration, () => this.plugIn(), 'plugged in again');
  }

  #brownOut(): void {
    this.arm.supply(0);
    this.#timers.push(this.#clock.after(BROWN_OUT, () => this.arm.supply(null)));
  }

  #tell(message: string): void {
    this.#options.onEvent?.(message);
  }
}

/** Removes a stale link that a killed run left behind. @throws {Error} if the path holds anything else */
function clearStaleLink(link: string): void {
  const there = lstatSync(link, { throwIfNoEntry: false });
  if (!there) return;
  const stale = there.isSymbolicLink() && readlinkSync(link).startsWith('/dev/pts/');
  if (!stale) throw new Error(`${resolvePath(link)} exists and is no link to a pseudo-terminal: name another path`);
  if (statSync(link, { throwIfNoEntry: false })) {
    throw new Error(`${resolvePath(link)} leads to a pseudo-terminal that is in use: name another path, or remove it`);
  }
  rmSync(link);
}

/** Removes the link if it still points to this terminal. */
function removeLink(link: string, target: string): void {
  const there = lstatSync(link, { throwIfNoEntry: false });
  if (there?.isSymbolicLink() && readlinkSync(link) === target) rmSync(link);
}
