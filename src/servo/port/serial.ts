import { close as closeFile, open as openFile } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../clock.ts';
import { DESCRIPTOR_FLAGS, DescriptorLine } from './descriptor-line.ts';
import { discoverPorts, findBySerialNumber } from './discovery.ts';
import { makeExclusive } from './exclusive.ts';
import { findHolders, isPseudoTerminal } from './holders.ts';
import type { Line, LineHandlers } from './line.ts';
import { busSettings, LOW_LATENCY, nativeSerial } from './native.ts';
import { type BytePort, PortError } from './port.ts';
import { busyError, openError } from './serial-errors.ts';
import { StreamLine } from './stream-line.ts';
import type { BusUrl } from './url.ts';

export interface SerialOptions {
  /** Folder that holds `sys` and `dev`, where ports are looked for. */
  readonly root?: string;
  /** How bytes go in and out; default: `descriptor` on Linux, `stream` elsewhere. */
  readonly way?: 'descriptor' | 'stream';
}

/** Result of opening a port. */
export interface SerialReport {
  /** Device file that is open. */
  readonly path: string;
  /** Rate that the driver reports, baud. */
  readonly baudRate: number;
  readonly way: 'descriptor' | 'stream';
  /** Whether the driver passes bytes on at once; false if it has no such mode. */
  readonly lowLatency: boolean;
  /** Latency timer of an FTDI adapter, ms; null for other adapters. */
  readonly latencyTimer: number | null;
  /** Whether programs without CAP_SYS_ADMIN are kept from opening it too. */
  readonly exclusive: boolean;
  /** How to improve the port, for the log. */
  readonly advice: readonly string[];
}

/** Largest difference between the rate asked for and the one set: 8N1 tolerates 4 to 5 %, shared by both ends. */
const BAUD_TOLERANCE = 0.025;

const openAsync = promisify(openFile);

/**
 * Byte port to a servo bus on a serial port of this machine. It can be opened again after `close` and after a loss. A
 * port named by its USB serial number is searched for each time, so it is found under another device file too.
 */
export class SerialPort implements BytePort {
  readonly url: string;
  readonly clock: Clock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly #target: Extract<BusUrl, { kind: 'serial' }>;
  readonly #root: string;
  readonly #way: 'descriptor' | 'stream';
  #line: Line | null = null;
  #closing: Promise<void> = Promise.resolve();
  #opening = false;
  #cancelled = false;
  #report: SerialReport | null = null;

  /** @param url as the configuration names it, for messages */
  constructor(url: string, target: Extract<BusUrl, { kind: 'serial' }>, clock: Clock, options: SerialOptions = {}) {
    this.url = url;
    this.clock = clock;
    this.#target = target;
    this.#root = options.root ?? '/';
    this.#way = options.way ?? (process.platform === 'linux' ? 'descriptor' : 'stream');
  }

  get baudRate(): number {
    return this.#target.baudRate;
  }

  get advice(): readonly string[] {
    return this.#report?.advice ?? [];
  }

  /** Result of the last opening; null before the first. */
  get report(): SerialReport | null {
    return this.#report;
  }

  /** Bytes dropped because the open line did not accept them. */
  get dropped(): number {
    return this.#line?.dropped ?? 0;
  }

  /** @throws {PortError} that names the port and says what to do */
  async open(): Promise<void> {
    if (this.#opening) throw new PortError('failed', `${this.url}: opened again before it was open`);
    this.#opening = true;
    this.#cancelled = false;
    try {
      await this.#closing;
      if (this.#line) return;
      await this.#open();
    } finally {
      this.#opening = false;
    }
    if (this.#cancelled) {
      await this.#release();
      throw new PortError('closed', `${this.url}: closed before it was open`);
    }
  }

  write(bytes: Uint8Array): void {
    this.#line?.write(bytes);
  }

  async close(): Promise<void> {
    this.#cancelled = true;
    if (!this.#opening) await this.#release();
  }

  #release(): Promise<void> {
    const line = this.#line;
    this.#line = null;
    // A line that fails to close is gone already.
    if (line) this.#closing = line.close().catch(() => {});
    return this.#closing;
  }

  async #open(): Promise<void> {
    const path = this.#target.path ?? (await findBySerialNumber(this.#target.serialNumber, this.#root)).path;
    const holders = await findHolders(path);
    if (holders.length > 0) throw busyError(this.url, path, holders);
    let line: Line | null = null;
    const handlers: LineHandlers = {
      onBytes: (chunk) => this.onBytes(chunk),
      onLost: (cause) => {
        if (this.#line !== line) return;
        void this.#release();
        this.onClose(this.#lost(path, cause));
      },
    };
    if (this.#way === 'stream') {
      line = await StreamLine.open(path, this.#target.baudRate, handlers).catch(async (error: Error) => {
        throw await openError(this.url, path, error.message, this.#root);
      });
      this.#line = line;
      this.#report = {
        path,
        baudRate: this.#target.baudRate,
        way: 'stream',
        lowLatency: false,
        latencyTimer: null,
        exclusive: false,
        advice: [],
      };
      return;
    }
    line = await this.#openDescriptors(path, handlers);
    this.#line = line;
  }

  async #openDescriptors(path: string, handlers: LineHandlers): Promise<Line> {
    const native = nativeSerial();
    const { baudRate } = this.#target;
    const explain = async (error: NodeJS.ErrnoException): Promise<never> => {
      throw await openError(this.url, path, error.code ?? error.message, this.#root);
    };
    const fd: number = await native.asyncOpen(path, busSettings(baudRate)).catch(explain);
    let readFd = -1;
    try {
      const set = (await native.asyncGetBaudRate(fd)).baudRate;
      if (Math.abs(set - baudRate) > BAUD_TOLERANCE * baudRate) {
        throw new PortError(
          'unsupported',
          `${this.url}: the adapter at ${path} runs at ${set} baud instead of ${baudRate}; ` +
            'name a rate that it knows (?baud=...) and set the servos to the same one',
        );
      }
      const tuned = await this.#tune(fd, path, set);
      readFd = await openAsync(path, DESCRIPTOR_FLAGS).catch(explain);
      // A pseudo-terminal would stay exclusive after it is closed, for as long as its other end is open.
      const exclusive = !isPseudoTerminal(await realpath(path)) && (await makeExclusive(fd));
      this.#report = { ...tuned, exclusive };
      return new DescriptorLine(fd, readFd, handlers, this.clock);
    } catch (error) {
      if (readFd >= 0) closeFile(readFd, () => {});
      await native.asyncClose(fd).catch(() => {});
      throw error instanceof PortError ? error : await openError(this.url, path, (error as Error).message, this.#root);
    }
  }

  /** Asks the driver for low latency, which many do not support, and collects advice on what the user can do. */
  async #tune(fd: number, path: string, baudRate: number): Promise<Omit<SerialReport, 'exclusive'>> {
    const native = nativeSerial();
    let lowLatency = false;
    try {
      await native.asyncSet(fd, LOW_LATENCY);
      lowLatency = (await native.asyncGet(fd)).lowLatency;
    } catch {
      // Drivers without modem lines or without the mode (ENOTTY, EINVAL): the port works all the same.
    }
    const tty = basename(await realpath(path));
    const ports = await discoverPorts(this.#root);
    const latencyTimer = ports.find((port) => basename(port.path) === tty)?.latencyTimer ?? null;
    const advice: string[] = [];
    if (latencyTimer !== null && latencyTimer > 1) {
      advice.push(
        `${this.url}: the adapter's latency timer is ${latencyTimer} ms, so that replies come late; ` +
          `run: echo 1 | sudo tee /sys/bus/usb-serial/devices/${tty}/latency_timer`,
      );
    }
    return { path, baudRate, way: 'descriptor', lowLatency, latencyTimer, advice };
  }

  #lost(path: string, cause: string): PortError {
    const shown = cause === '' ? '' : ` (${cause})`;
    return new PortError('closed', `${this.url}: ${path} has gone${shown}; check the USB cable and the arm's supply`);
  }
}
