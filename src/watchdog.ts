import { type ChildProcess, spawn } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Clock, Timer } from './clock.ts';

/** Time between two beats, s. docker/health.sh waits for several of them. */
const INTERVAL = 1;
/** Beats in a row that a control loop may miss; after that it will not come back by itself. */
const BEYOND_REPAIR = 10;
/** The datagrams of sd_notify are beyond Node: systemd's own tool sends them. One shell for all, since forking it is cheap. */
const NOTIFIER = 'while read -r state; do systemd-notify "$state"; done';

/**
 * Tells whoever supervises this process that it does its work, for as long as it does: the main thread beats, and only
 * while the control loop makes progress. A supervisor that hears no beat starts the process anew; the servos hold
 * meanwhile.
 *
 * - `ARM_BRIDGE_BEAT_FILE`: the file in which docker/health.sh looks for beats, as "COUNT PID".
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
    // What an earlier process has left is no beat of this one.
    if (this.#file !== undefined) rmSync(this.#file, { force: true });
    this.#notifier = environment.NOTIFY_SOCKET ? startNotifier() : null;
    const meant = environment.WATCHDOG_PID === undefined || environment.WATCHDOG_PID === String(process.pid);
    const patience = meant ? Number(environment.WATCHDOG_USEC ?? 0) / 1e6 : 0;
    // Three in the time within which one must come: a late one does no harm.
    this.#spacing = patience > 0 ? Math.max(1, Math.floor(patience / 3 / INTERVAL)) : 0;
  }

  /**
   * Says that the start is over, and beats from now on.
   * @param cycles how many cycles the control loop has run
   * @param onStill called once when the loop has stood still for too long to come back
   */
  begin(cycles: () => number, onStill: (reason: string) => void): void {
    this.#notify('READY=1');
    this.#tick(cycles, onStill);
    this.#ticking = this.#clock.every(INTERVAL, () => this.#tick(cycles, onStill), true);
  }

  /** Says that the process is about to end. It goes on beating: to lower the arms takes the loop. */
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
      // Counted rather than timed: while the whole process is paused, nobody stands still.
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
    if (this.#file === undefined) return;
    try {
      writeFileSync(`${this.#file}.new`, `${this.#count} ${process.pid}\n`);
      renameSync(`${this.#file}.new`, this.#file);
    } catch {
      // A full or missing folder: whoever looks for a beat finds none, and says where.
    }
  }

  #notify(state: string): void {
    if (this.#notifier?.stdin?.writable) this.#notifier.stdin.write(`${state}\n`);
  }
}

function startNotifier(): ChildProcess {
  const notifier = spawn('/bin/sh', ['-c', NOTIFIER], { stdio: ['pipe', 'ignore', 'inherit'] });
  // Without it systemd hears nothing and ends the service, and its journal says why.
  notifier.on('error', () => {});
  notifier.stdin?.on('error', () => {});
  notifier.unref();
  (notifier.stdin as unknown as { unref?: () => void })?.unref?.();
  return notifier;
}
