import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { freeDomain } from '../../support/domain.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
/** A bridge may take so long to start on a machine that is busy with other things, ms. */
const START_LIMIT = 120_000;

/** What a busy machine may have prevented is asked for so often. */
const TRIES = 20;
/** A little longer than a stream that was interrupted is to be silent before it is taken again, s. */
const STREAM_PAUSE = 0.6;

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field by the tests
  readonly body: any;
}

/** Node's fetch follows no limit of its own choosing here: a move may take half a minute. */
async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === '' ? '' : JSON.parse(text) };
}

/** ROS domain of this test process: loopback tests that run at once on a machine must not hear each other. */
export const ROS_DOMAIN = String(freeDomain());

export const ROS_PYTHON = process.env.ARM_BRIDGE_ROS_PYTHON ?? '';
export const HAS_ROS = ROS_PYTHON !== '' && process.env.AMENT_PREFIX_PATH !== undefined;
if (!HAS_ROS) {
  if (process.env.ARM_BRIDGE_REQUIRE_ROS) throw new Error('ROS 2 is required for these tests, but it is not there');
  console.warn('SKIPPED: tests that need ROS 2. Run them by `npm test`, which prepares one.');
}

/** Where ROS programs of this test process log; with it, and after everything else, their traces go. */
const ROS_LOGS = mkdtempSync(join(tmpdir(), 'arm-bridge-e2e-'));
afterAll(() => {
  rmSync(ROS_LOGS, { recursive: true, force: true });
  expect(livingChildren()).toEqual([]);
});

/** What every process that speaks ROS here is given: a graph and a log folder of this test process alone. */
const ISOLATED = { ROS_DOMAIN_ID: ROS_DOMAIN, ROS_LOG_DIR: ROS_LOGS };

/** Each bridge has a state folder of its own: a stop outlives its bridge, and is not to meet the next test. */
function ownState(): { XDG_STATE_HOME: string } {
  return { XDG_STATE_HOME: mkdtempSync(join(ROS_LOGS, 'state-')) };
}

/** Environment of a program that speaks to the bridge over ROS 2. */
export function rosEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...ISOLATED,
    ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST',
    LD_LIBRARY_PATH: process.env.ARM_BRIDGE_ROS_LD_LIBRARY_PATH ?? '',
  };
}

/** Speaks to a bridge over HTTP. */
export class BridgeClient {
  url = '';

  async post(path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const init: RequestInit = { method: 'POST', ...(body === undefined ? {} : json), ...(signal ? { signal } : {}) };
    return answerOf(await fetch(this.url + path, init));
  }

  async get(path: string): Promise<Answer> {
    return answerOf(await fetch(this.url + path));
  }

  /** Brings arms to their pose `init`; asked for again where servos are silent, as on a busy machine. @param query names one */
  async raise(query = ''): Promise<void> {
    for (let tries = 1; ; tries++) {
      const { body } = await this.post(`/move/init${query}`);
      if (body.status === 'ok') return;
      if (tries === TRIES) throw new Error(`the arms do not rise: ${JSON.stringify(body)}`);
      await sleep(0.5);
    }
  }

  /**
   * Asks for a goal of joints once more, as a stream of them does. A stream that a busy machine has interrupted is taken again
   * after a pause only: after a refusal this one makes it.
   */
  async write(query: string, body: { angles: readonly number[]; joints_ids: readonly number[] }): Promise<void> {
    const { status } = await this.post(`/joints/write${query}`, body);
    if (status !== 200) await sleep(STREAM_PAUSE);
  }

  /** An arm's entry of GET /status. */
  // biome-ignore lint/suspicious/noExplicitAny: see Answer
  async arm(id: number): Promise<any> {
    const { body } = await this.get('/status');
    return body.arms.find((arm: { id: number }) => arm.id === id);
  }
}

/** A bridge in a process of its own, as users run it: the compiled main.js on a free port. */
export class BridgeProcess extends BridgeClient {
  readonly child: ChildProcess;
  log = '';

  private constructor(by: readonly string[], args: readonly string[], environment: NodeJS.ProcessEnv) {
    super();
    const [program, ...rest] = [...by, process.execPath, MAIN, '--port', '0', ...args] as [string, ...string[]];
    this.child = spawn(program, rest, {
      env: { ...process.env, ...ISOLATED, ...ownState(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        this.log += text;
      });
    }
  }

  /** One that is still starting. */
  static starting(): BridgeProcess {
    return new BridgeProcess([], [], {});
  }

  static start(...args: string[]): Promise<BridgeProcess> {
    return BridgeProcess.startWith({}, ...args);
  }

  /** @param environment added to that of this process */
  static startWith(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<BridgeProcess> {
    return BridgeProcess.startBy([], environment, ...args);
  }

  /** @param by a program, with arguments, that becomes the one whose command line follows; none where there are none */
  static async startBy(
    by: readonly string[],
    environment: NodeJS.ProcessEnv,
    ...args: string[]
  ): Promise<BridgeProcess> {
    const bridge = new BridgeProcess(by, args, environment);
    const deadline = Date.now() + START_LIMIT;
    while (bridge.url === '') {
      const match = /HTTP on (http:\/\/[^\s"]+)/.exec(bridge.log);
      if (match) bridge.url = match[1]!;
      else if (bridge.child.exitCode !== null || Date.now() > deadline) {
        bridge.child.kill('SIGKILL');
        throw new Error(`the bridge did not start:\n${bridge.log}`);
      } else await sleep(0.02);
    }
    return bridge;
  }

  /** Ends the process without lowering its arms, which takes seconds: from `stopped` an exit moves nothing. */
  async endStopped(): Promise<void> {
    await this.post('/stop');
    await this.end();
  }

  /** Sends a signal and waits for the end; resolves with the exit code and how long it took, s. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; time: number }> {
    const began = Date.now();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill(signal);
      await exited;
    }
    return { code: this.child.exitCode, time: (Date.now() - began) / 1000 };
  }
}

/** How a move, or torque, says that the machine was too busy for it. */
const BUSY =
  /was busy for more than|too busy|(have|do|does) not answer|have not been heard|disconnected|does not stand still/;

/** Runs what people run, again where the machine was too busy for its moves. @throws what it throws for any other reason */
export async function runAgain<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES || !BUSY.test(String(error))) throw error;
      await sleep(0.5);
    }
  }
}

/** Runs the compiled main.js to its end; for runs that end by themselves. */
export async function runToEnd(...args: string[]): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...ISOLATED, ...ownState() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, output, errors };
}

/** State of a process and the numbers that follow it (proc(5), `stat`); empty when it has ended. */
export function statOf(pid: number): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Command lines of the processes that this one has started, directly or not, and that have not ended. */
export function livingChildren(): string[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const [state, parent] = statOf(Number(entry));
    if (state !== undefined && state !== 'Z') parents.set(Number(entry), Number(parent));
  }
  const descends = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 0; at = parents.get(at))
      if (at === process.pid) return true;
    return false;
  };
  return [...parents.keys()].filter(descends).flatMap((pid) => {
    try {
      // One that is just ending has no command line any more.
      return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')].filter((line) => line !== '');
    } catch {
      return [];
    }
  });
}

export function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** Runs a Python program of test/e2e/support against the ROS graph; resolves with what it prints, read as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: its shape is the program's business
export async function rosProgram(name: string, ...args: string[]): Promise<any> {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(ROS_PYTHON, [file, ...args], { env: rosEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    text += chunk;
  });
  // Its exit may be told before its last output has come.
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${name} ended with code ${code}: ${text}`);
  return JSON.parse(text);
}
