import { type ChildProcess, spawn } from 'node:child_process';
import { renameSync, rmSync, unlink, writeFileSync } from 'node:fs';
import type { Clock, Timer } from './clock.ts';

/** Time between two beats, s. docker/health.sh waits for several of them. */
const INTERVAL = 1;
/** Beats in a row without progress of the control loop after which it will not recover by itself. */
const BEYOND_REPAIR = 10;
/** Node cannot send the datagrams of sd_notify: systemd's own tool does. One shell serves all: forking it is cheap. */
const NOTIFIER = 'while read -r state; do systemd-notify "$state"; done';

/**
 * Tells the supervisor of this process that it works: the main thread beats, but only while the control loop makes
 * progress. A supervisor that gets no beat restarts the process; the servos hold meanwhile.
 *
 * - `ARM_BRIDGE_BEAT_FILE`: the file in which docker/health.sh looks for beats, as "COUNT PID"; COUNT is 0 during the start.
 * - `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`: what systemd sets for a service, see sd_notify(3) and
 *   sd_watchdog_enabled(3).
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #file: string | undefined;
  readonly #notifier: ChildProcess | null;
  /** Beats between two notifications to systemd; 0: it wants none. */
  readonly #spacing: number;
  #ticking: Pick<Timer, 'cancel'> | null = null;
  #count = 0;
  #missed = 0;
  #cycles = -1;

  constructor(clock: Clock, environment: NodeJS.ProcessEnv) {
    this.#clock = clock;
    this.#file = environment.ARM_BRIDGE_BEAT_FILE || undefined;
    // A beat left by an earlier process is not one of this process.
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
    // Names the process to end if its start hangs.
    this.#write();
    this.#notifier = environment.NOTIFY_SOCKET ? startNotifier() : null;
    const meant = environment.WATCHDOG_PID === undefined || environment.WATCHDOG_PID === String(process.pid);
    const patience = meant ? Number(environment.WATCHDOG_USEC ?? 0) / 1e6 : 0;
    // Three beats per deadline, so that a late one does no harm.
    this.#spacing = patience > 0 ? Math.max(1, Math.floor(patience / 3 / INTERVAL)) : 0;
  }

  /**
   * Reports that the start is over, and beats from now on.
   * @param cycles number of cycles the control loop has run
   * @param onStill called once when the loop has stood still for too long to recover
   */
  begin(cycles: () => number, onStill: (reason: string) => void): void {
    this.#notify('READY=1');
    this.#tick(cycles, onStill);
    this.#ticking = this.#clock.every(INTERVAL, () => this.#tick(cycles, onStill), true);
  }

  /** Reports that the process is about to end. It keeps beating, because lowering the arms needs the loop. */
  ending(): void {
    this.#notify('STOPPING=1');
  }

  /** Ends the beats. */
  close(): void {
    this.#ticking?.cancel();
    this.#notifier?.stdin?.end();
  }

  #tick(cycles: () => number, onStill: (reason: string) => void): void {
    const now = cycles();
    if (now === this.#cycles) {
      // Counted rather than timed, so that a pause of the whole process does not look like a stalled loop.
      this.#missed += 1;
      if (this.#missed === BEYOND_REPAIR) onStill(`the control loop has stood still for ${BEYOND_REPAIR * INTERVAL} s`);
      return;
    }
    this.#cycles = now;
    this.#missed = 0;
    this.#beat();
  }

  #beat(): void {
    if (this.#spacing > 0 && this.#count % this.#spacing === 0) this.#notify('WATCHDOG=1');
    this.#count += 1;
    this.#write();
  }

  #write(): void {
    if (this.#file === undefined) return;
    try {
      writeFileSync(`${this.#file}.new`, `${this.#count} ${process.pid}\n`);
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      // A full or missing folder. For an old beat docker/health.sh would kill this process; without one it says where it
      // looked.
      unlink(this.#file, () => {});
    }
  }

  #notify(state: string): void {
    if (this.#notifier?.stdin?.writable) this.#notifier.stdin.write(`${state}\n`);
  }
}

function startNotifier(): ChildProcess {
  const notifier = spawn('/bin/sh', ['-c', NOTIFIER], { stdio: ['pipe', 'ignore', 'inherit'] });
  // Without it systemd hears nothing and ends the service; its journal says why.
  notifier.on('error', () => {});
  notifier.stdin?.on('error', () => {});
  notifier.unref();
  (notifier.stdin as unknown as { unref?: () => void })?.unref?.();
  return notifier;
}
