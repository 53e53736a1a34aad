import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BridgeProcess, sleep } from './bridge.ts';

/** Threads of a bridge, as a program of JavaScript tells them that is loaded into each. */
const THREADS = { main: 'isMainThread', control: '!isMainThread && workerData?.shared' } as const;

/** A bridge, without ROS 2 unless it is asked for, one of whose threads does something that nobody has thought of, each time it is provoked. */
export class FaultyBridge {
  readonly process: BridgeProcess;
  /** Its own, where it records too. */
  readonly folder: string;
  readonly #file: string;

  private constructor(process: BridgeProcess, folder: string, file: string) {
    this.process = process;
    this.folder = folder;
    this.#file = file;
  }

  /** @param deed statements of JavaScript */
  static async start(thread: keyof typeof THREADS, deed: string, withRos = false): Promise<FaultyBridge> {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-faulty-'));
    const file = join(folder, 'fault');
    const program = [
      "import { existsSync, rmSync } from 'node:fs';",
      "import { isMainThread, workerData } from 'node:worker_threads';",
      'const file = process.env.ARM_BRIDGE_TEST_FAULT;',
      // A computer that is busy keeps a thread waiting before it runs.
      `if (${THREADS[thread]} && existsSync(file + '-late')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);`,
      `const look = () => { if (existsSync(file)) { rmSync(file); ${deed} } };`,
      `if (${THREADS[thread]}) setInterval(look, 10).unref();`,
    ].join('');
    const options = `--import data:text/javascript,${encodeURIComponent(program)}`;
    const bridge = await BridgeProcess.startWith(
      {
        NODE_OPTIONS: options,
        ARM_BRIDGE_TEST_FAULT: file,
        XDG_STATE_HOME: folder,
        ARM_BRIDGE_RECORDING_FOLDER: folder,
      },
      ...(withRos ? [] : ['--no-ros']),
    );
    return new FaultyBridge(bridge, folder, file);
  }

  provoke(): void {
    writeFileSync(this.#file, '');
  }

  /** From now on a thread that is started anew begins 2.5 s late. */
  delay(): void {
    writeFileSync(`${this.#file}-late`, '');
  }

  /** Resolves when the thread is at its deed. */
  async provoked(): Promise<void> {
    this.provoke();
    while (existsSync(this.#file)) await sleep(0.005);
  }

  async end(): Promise<void> {
    if (this.process.child.exitCode === null) await this.process.endStopped();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
