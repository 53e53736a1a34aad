import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type {
  ClientOptions,
  ClientReport,
  EmulatorOptions,
  EmulatorReport,
  Family,
  LoadOptions,
  LoadReport,
  WatchOptions,
  WatchReport,
} from './messages.ts';

/** A client that has not ended so long after it should have is ended, s. */
const GRACE = 60;

/** Clients of other people that the Python environment of the tests has. */
export type Peer = 'scservo_sdk' | 'dynamixel_sdk' | 'rustypot';

function program(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Lines that a program prints, one after another; null at its end. */
function lineReader(child: ChildProcess): () => Promise<string | null> {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await lines.next();
    return done ? null : value;
  };
}

/** Emulated servos in a process of their own. */
export class Emulator {
  readonly #child: ChildProcess;
  readonly #line: () => Promise<string | null>;
  /** Device file of its serial port. */
  path = '';

  private constructor(options: EmulatorOptions) {
    this.#child = spawn(process.execPath, [program('emulator.js'), JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#line = lineReader(this.#child);
  }

  /** @throws {Error} when there is no pseudo-terminal to be had */
  static async start(options: EmulatorOptions): Promise<Emulator> {
    const emulator = new Emulator(options);
    const path = await emulator.#line();
    if (path === null) throw new Error('the emulated servos did not start');
    emulator.path = path;
    return emulator;
  }

  async end(): Promise<EmulatorReport> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const text = await this.#line();
    await exited;
    if (text === null) throw new Error('the emulated servos ended by themselves');
    return JSON.parse(text);
  }
}

/** Emulators of one kind while something is done with them; resolves to their reports and the result. */
export async function withEmulators<T>(
  count: number,
  options: EmulatorOptions,
  work: (ports: string[]) => Promise<T>,
): Promise<{ result: T; reports: EmulatorReport[] }> {
  const emulators: Emulator[] = [];
  let result: T;
  try {
    for (let i = 0; i < count; i++) emulators.push(await Emulator.start(options));
    result = await work(emulators.map((emulator) => emulator.path));
  } catch (error) {
    await Promise.allSettled(emulators.map((emulator) => emulator.end()));
    throw error;
  }
  const reports: EmulatorReport[] = [];
  for (const emulator of emulators) reports.push(await emulator.end());
  return { result, reports };
}

async function report<Report>(command: string, args: readonly string[], seconds: number): Promise<Report> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), (seconds + GRACE) * 1000);
  const exited = once(child, 'exit');
  const text = await lineReader(child)();
  const [code] = await exited;
  clearTimeout(timer);
  if (text === null || code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}`);
  return JSON.parse(text);
}

/** Lets the bridge's own code drive emulated servos, in a process of its own. */
export function runClient(options: ClientOptions): Promise<ClientReport> {
  const flags = options.kind === 'heap' ? ['--expose-gc'] : [];
  const limit = options.kind === 'heap' ? options.cycles / 100 : options.seconds;
  return report(process.execPath, [...flags, program('client.js'), JSON.stringify(options)], limit);
}

/** Lets another client drive them. */
export function runPeer(
  python: string,
  peer: Peer,
  family: Family,
  seconds: number,
  ports: readonly string[],
): Promise<ClientReport> {
  const script = fileURLToPath(new URL('../../../bench/peer.py', import.meta.url));
  return report(python, ['-B', script, peer, family, String(seconds), ...ports], seconds);
}

/** Clients on this machine give way to the server, as if they were on another one. */
function runPolitely<Report>(name: string, options: { readonly seconds: number }): Promise<Report> {
  return report('nice', ['-n', '10', process.execPath, program(name), JSON.stringify(options)], options.seconds);
}

/** Asks an HTTP server as often as it answers. */
export function runLoad(options: LoadOptions): Promise<LoadReport> {
  return runPolitely('load.js', options);
}

/** Watches the live stream of a bridge. */
export function runWatchers(options: WatchOptions): Promise<WatchReport> {
  return runPolitely('watch.js', options);
}
