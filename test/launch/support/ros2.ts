/** The real command line and launch of ROS 2, and installed packages for them, as a sourced workspace has them. */

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { HAS_ROS, ROS_PYTHON, rosEnvironment, statOf } from '../../e2e/support/bridge.ts';
import { sitePackages, WITNESS_PYTHON } from '../../support/witness.ts';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Beside the checkout, of which tests may run in a copy. */
const TOOLS = process.env.ARM_BRIDGE_ROS2_TOOLS || join(ROOT, '..', 'shared', 'witness', 'ros2-tools.py');
/** Python packages that ros2 and the packages of moveit/ need, taken one by one from where the tests' oracles are. */
const MODULES = ['argcomplete', 'psutil', 'xacro'];

/** Why the real ros2 cannot be used here; null when it can. */
function missing(): string | null {
  if (!HAS_ROS) return 'there is no ROS 2';
  if (!WITNESS_PYTHON) return 'ARM_BRIDGE_WITNESS_PYTHON is not set (npm test sets it)';
  return existsSync(TOOLS) ? null : `there is no ${TOOLS}`;
}

export const NO_ROS2 = missing();
if (NO_ROS2 !== null) console.warn(`SKIPPED: tests with the real ros2 and ros2 launch: ${NO_ROS2}`);

/** A program of ROS 2 in a package that this machine lacks. */
const STAND_IN = `#!${ROS_PYTHON}\n${readFileSync(fileURLToPath(new URL('stand_in.py', import.meta.url)), 'utf8')}`;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** A folder with the tools, the packages of this repository installed by links, and stand-ins for others. */
export class Ros2 {
  readonly folder = mkdtempSync(join(tmpdir(), 'arm-bridge-ros2-'));
  readonly environment: NodeJS.ProcessEnv;
  readonly #notes = join(this.folder, 'notes');
  /** The graph was asked for something, for which `ros2` starts a daemon. */
  #asked = false;

  /**
   * @param prefixes installed packages to use, in place of those of this repository by links
   * @param standIns programs by package: { rviz2: ['rviz2'] }
   */
  constructor(standIns: Readonly<Record<string, readonly string[]>> = {}, prefixes?: readonly string[]) {
    const modules = join(this.folder, 'modules');
    mkdirSync(modules);
    for (const name of MODULES) symlinkSync(join(sitePackages(), name), join(modules, name));
    const told = execFileSync(WITNESS_PYTHON!, [TOOLS, join(this.folder, 'tools')], { encoding: 'utf8' });
    const [tools, prefix] = [...told.matchAll(/^export \w+=([^$\n]+)/gm)].map(([, path]) => path!);
    // The script lays out what setup.py installs as packages, not its other files: the grammar of substitutions.
    const laid = join(this.folder, 'tools/ros2-tools');
    for (const name of readdirSync(laid)) {
      if (existsSync(join(laid, name, 'share')))
        cpSync(join(laid, name, 'share'), join(prefix!, 'share'), { recursive: true });
    }
    const own = prefixes ?? [this.#link()];
    const paths = prefixes === undefined ? [join(ROOT, 'moveit/arm_bridge_moveit')] : sitesOf(prefixes);
    const others = join(this.folder, 'others');
    for (const [name, programs] of Object.entries(standIns)) {
      for (const program of programs) this.#program(join(others, 'lib', name), program, STAND_IN);
      this.#register(others, name);
    }
    mkdirSync(this.#notes);
    this.environment = {
      ...rosEnvironment(),
      AMENT_PREFIX_PATH: [...own, others, prefix, process.env.AMENT_PREFIX_PATH].join(delimiter),
      PYTHONPATH: [...paths, tools, modules].join(delimiter),
      PYTHONUNBUFFERED: '1',
      PYTHONWARNINGS: 'ignore',
      STAND_IN_NOTES: this.#notes,
    };
  }

  /** The packages of this repository as an installation has them; `bridge` runs what is compiled here. */
  #link(): string {
    const prefix = join(this.folder, 'packages');
    for (const [name, home, folders] of [
      ['arm_bridge', ROOT, ['config', 'launch', 'robots', 'rviz', 'package.xml']],
      ['arm_bridge_moveit', join(ROOT, 'moveit/arm_bridge_moveit'), ['config', 'launch', 'rviz', 'package.xml']],
    ] as const) {
      mkdirSync(join(prefix, 'share', name), { recursive: true });
      // ros2 launch looks for files in real folders alone.
      for (const folder of folders) {
        cpSync(join(home, folder), join(prefix, 'share', name, folder), { recursive: true });
      }
      this.#register(prefix, name);
    }
    // rclnodejs and rclpy find the interfaces of the package in the prefix of the preparation.
    const main = join(ROOT, 'dist/main.js');
    this.#program(join(prefix, 'lib/arm_bridge'), 'bridge', `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    return prefix;
  }

  #register(prefix: string, name: string): void {
    const index = join(prefix, 'share/ament_index/resource_index/packages');
    mkdirSync(index, { recursive: true });
    mkdirSync(join(prefix, 'share', name), { recursive: true });
    writeFileSync(join(index, name), '');
  }

  #program(folder: string, name: string, text: string): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }

  /** Runs `ros2 ...` to its end. */
  run(...args: readonly string[]): Promise<Ended> {
    const [program, ...rest] = this.command(args);
    return new Promise((resolve) => {
      const child = execFile(program!, rest, { env: this.environment, cwd: this.folder }, (_, output, errors) =>
        resolve({ code: child.exitCode, output: output + errors }),
      );
    });
  }

  /** As `run`, again while the tool has not found the node or its services: it looks for seconds, which a busy machine may take longer for. */
  async runFound(...args: readonly string[]): Promise<Ended> {
    for (;;) {
      const ended = await this.run(...args);
      if (!/^Node not found|Wait for service timed out/m.test(ended.output)) return ended;
    }
  }

  /** The command line of `ros2 ...`. */
  command(args: readonly string[]): string[] {
    this.#asked ||= args[0] !== 'launch';
    const main = 'import sys; sys.argv[0] = "ros2"; from ros2cli.cli import main; sys.exit(main())';
    return [ROS_PYTHON, '-W', 'ignore', '-c', main, ...args];
  }

  /** Starts `ros2 launch ...` and leaves it running. */
  launch(...args: readonly string[]): Launch {
    return new Launch(this.command(['launch', ...args]), this.environment, this.folder);
  }

  /** What the stand-ins have written down so far, in the order of their programs' names. */
  notes(): readonly Note[] {
    return readdirSync(this.#notes)
      .sort()
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(this.#notes, name), 'utf8')));
  }

  /** Forgets the notes. */
  clear(): void {
    for (const name of readdirSync(this.#notes)) rmSync(join(this.#notes, name));
  }

  /** Ends what `ros2` has left running to answer the next one sooner. */
  async close(): Promise<void> {
    if (this.#asked) await this.run('daemon', 'stop');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** How a stand-in was started. */
export interface Note {
  readonly program: string;
  readonly package: string;
  /** Full name of the node that rcl makes of the arguments. */
  readonly node: string;
  /** Arguments that are not for ROS. */
  readonly arguments: readonly string[];
  /** By dotted name, as the parser of rcl reads them. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Full names that relative ones become. */
  readonly topics: Readonly<Record<string, string>>;
}

function sitesOf(prefixes: readonly string[]): string[] {
  return prefixes.flatMap((prefix) =>
    readdirSync(join(prefix, 'lib'))
      .filter((name) => name.startsWith('python'))
      .map((name) => join(prefix, 'lib', name, 'site-packages')),
  );
}

/** Longest that a busy machine takes to start or to end what is launched, ms. */
const PATIENCE = 100_000;

const running = new Set<Launch>();
afterAll(async () => {
  for (const launch of running) await launch.end();
});

/** `ros2 launch` at work. */
export class Launch {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  output = '';

  constructor([program, ...args]: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
    this.#child = spawn(program!, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(this.#child, 'close');
    running.add(this);
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  /** Waits for a text in what is printed. @throws {Error} when the launch ends without it, or does not print it */
  async says(text: RegExp): Promise<RegExpExecArray> {
    for (const since = performance.now(); performance.now() - since < PATIENCE; ) {
      const found = text.exec(this.output);
      if (found !== null) return found;
      if (this.#child.exitCode !== null || this.output.includes('process has died')) {
        throw new Error(`it has ended without ${text}:\n${this.output}`);
      }
      await setTimeout(50);
    }
    throw new Error(`it has not said ${text}:\n${this.output}`);
  }

  /** Ctrl-C, and the exit code. @throws {Error} when the launch goes on */
  async end(): Promise<number | null> {
    running.delete(this);
    await this.#idle();
    if (this.#runs) this.#child.kill('SIGINT');
    const ended = await Promise.race([this.#exited.then(() => true), setTimeout(PATIENCE, false, { ref: false })]);
    if (!ended) {
      this.#child.kill('SIGTERM');
      throw new Error(`it has not ended after Ctrl-C:\n${this.output}`);
    }
    return this.#child.exitCode;
  }

  get #runs(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Waits until it waits for events. Python raises a Ctrl-C in the middle of whatever it runs, and an event that
   * ros2 launch handles then is lost: it ends with 1, or never.
   */
  async #idle(): Promise<void> {
    let before = '';
    for (let still = 0; still < 4 && this.#runs; ) {
      await setTimeout(50);
      const [state, ...numbers] = statOf(this.#child.pid!);
      const used = numbers.slice(10, 12).join();
      still = state === 'S' && used === before ? still + 1 : 0;
      before = used;
    }
  }

  /** Waits until it ends by itself. */
  async ended(): Promise<Ended> {
    await this.#exited;
    running.delete(this);
    return { code: this.#child.exitCode, output: this.output };
  }
}
