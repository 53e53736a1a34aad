import { createInterface } from 'node:readline';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Arm, Caller } from '../arm/types.ts';
import { BridgeError } from '../arm/types.ts';
import { type CalibrationAnswer, type CalibrationView, STEPS } from '../calibration/calibrating.ts';
import { systemClock } from '../clock.ts';
import { loadConfig } from '../config/load.ts';
import { startLog } from '../log.ts';
import { addCalibrationFiles, chosenArm } from './calibration-files.ts';
import { OWN, ownConfig } from './own-bridge.ts';
import { carryOut, EXIT, endOnMisuse, UsageError } from './servo-access.ts';
import { onEndingSignal } from './signals.ts';
import { table } from './table.ts';

const CALLER: Caller = { owner: { key: 'arm-bridge calibrate', name: 'arm-bridge calibrate' }, takeOver: false };
/** Interval at which the joint ranges are shown during the sweep, s. */
const SHOWN = 0.2;
/** Number of the step in which the user sweeps the joints by hand. */
const SWEEP = STEPS.indexOf('sweep') + 1;
/** Attempts at each step when there is no terminal. */
const TRIES = 3;

export interface Options {
  readonly config: string;
  readonly arm?: string;
  readonly handTime?: number;
  readonly reversed: readonly string[];
  readonly accept?: boolean;
  readonly friction?: boolean;
  readonly yes?: boolean;
}

/** Imported on demand, because every command of the program loads this module. */
const prompts = () => import('@clack/prompts');

/** Answers for the person who does the calibration: a terminal, or command-line options. */
interface Operator {
  /** Waits until the user has done what the message says; resolves to false if the user gives up. */
  done(view: () => CalibrationView | null): Promise<boolean>;
  /** Joints that moved the other way; null: discard the calibration. */
  judge(joints: readonly string[]): Promise<readonly string[] | null>;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError('seconds, above 0 and at most 3600, are expected.');
  return value;
}

function names(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The swept range of each joint, one per line. */
function ranges({ joints }: CalibrationView): string {
  const degrees = (angle: number): string => (Number.isFinite(angle) ? ((angle * 180) / Math.PI).toFixed(0) : '?');
  const rows = joints.map(({ name, least, most, range, done }) => [
    name,
    `${degrees(least)} to ${degrees(most)}`,
    degrees(range),
    done ? 'ok' : '',
  ]);
  return table(['joint', 'led over, deg', 'range', ''], rows, '   ');
}

/** A person at a terminal: Enter goes on. */
class Terminal implements Operator {
  readonly #signal: AbortSignal;

  /** @param signal ends every question */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  done(view: () => CalibrationView | null): Promise<boolean> {
    const input = createInterface({ input: process.stdin });
    let up = '';
    const show = (): void => {
      const present = view();
      if (present?.step !== SWEEP) return;
      const lines = ranges(present).split('\n');
      process.stderr.write(`${up}${lines.map((line) => `${line}\u001b[K\n`).join('')}`);
      up = `\u001b[${lines.length}A\r`;
    };
    const timer = systemClock.every(SHOWN, show);
    return new Promise((resolve) => {
      const end = (value: boolean): void => {
        // First, because closing the input below calls `end` again.
        resolve(value);
        timer.cancel();
        this.#signal.removeEventListener('abort', leave);
        input.close();
      };
      const leave = (): void => end(false);
      this.#signal.addEventListener('abort', leave);
      input.once('line', () => end(true));
      input.once('close', leave);
      if (this.#signal.aborted) leave();
    });
  }

  async judge(joints: readonly string[]): Promise<readonly string[] | null> {
    const { isCancel, multiselect, select } = await prompts();
    const signal = this.#signal;
    const choice = await select({
      signal,
      message: 'Did every joint go the way that was said?',
      options: [
        { value: 'yes', label: 'Yes: keep the calibration (take hold of the arm first)' },
        { value: 'no', label: 'No: some went the other way (take hold of the arm first)' },
        { value: 'end', label: 'End without keeping it (take hold of the arm first)' },
      ],
    });
    if (isCancel(choice) || choice === 'end') return null;
    if (choice === 'yes') return [];
    const reversed = await multiselect({
      signal,
      message: 'Which went the other way?',
      options: joints.map((name) => ({ value: name, label: name })),
      required: true,
    });
    return isCancel(reversed) ? null : reversed;
  }
}

/** Without a terminal: each step by hand gets a fixed time, and options state in advance what was seen. */
export class Flags implements Operator {
  readonly #options: Options;
  readonly #signal: AbortSignal;
  #reversed: readonly string[];
  #steps = new Map<number, number>();

  constructor(options: Options, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#reversed = options.reversed;
  }

  async done(view: () => CalibrationView | null): Promise<boolean> {
    await this.#handTime();
    const present = view();
    if (present === null) return true;
    if (present.step === SWEEP) process.stderr.write(`${ranges(present)}\n`);
    const tries = (this.#steps.get(present.step) ?? 0) + 1;
    this.#steps.set(present.step, tries);
    return tries <= TRIES;
  }

  /** Waits until the hands are done, or until the calibration is cancelled. */
  #handTime(): Promise<void> {
    const signal = this.#signal;
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = systemClock.after(this.#options.handTime!, end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  /** The reversed joints once: when they have been tried again, they go the right way. */
  async judge(): Promise<readonly string[] | null> {
    const { reversed, accept = false } = this.#options;
    const left = this.#reversed;
    this.#reversed = [];
    return reversed.length > 0 || accept ? left : null;
  }
}

function operatorOf(options: Options, signal: AbortSignal): Operator {
  if (options.handTime !== undefined) return new Flags(options, signal);
  if (process.stdin.isTTY && process.stdout.isTTY) return new Terminal(signal);
  throw new UsageError('without a terminal, give each step by hand its time: --hand-time 20');
}

/** @returns the exit code */
async function calibrate(options: Options): Promise<number> {
  if (options.friction === true) return (await import('./calibrate-friction.ts')).calibrateFriction(options);
  if (options.yes === true) throw new UsageError('--yes is for --friction');
  const config = loadConfig(options.config, process.env);
  const chosen = chosenArm(config, options.arm);
  const ending = new AbortController();
  const operator = operatorOf(options, ending.signal);
  const { logger } = startLog('error');
  const [{ Bridge }, { thisMachine }] = await Promise.all([import('../bridge.ts'), import('../host.ts')]);
  const bridge = await Bridge.start(ownConfig(config, [chosen]), logger, thisMachine(systemClock), OWN);
  onEndingSignal(() => ending.abort());
  let reached = 0;
  const onStep = (step: number): void => {
    reached = Math.max(reached, step);
  };
  try {
    const arm = bridge.arms.all[0]!;
    const kept = await steps(arm, bridge.calibration, operator, ending.signal, onStep);
    if (kept) return EXIT.ok;
    (await prompts()).log.warn('Ended: take hold of the arm. It goes limp, and its servos get back what they had.');
    await bridge.calibration.cancel(arm, CALLER);
    return EXIT.failed;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    const left = reached > SWEEP ? ' Calibrate it again before it is driven: its servos may keep new offsets.' : '';
    process.stderr.write(`arm-bridge calibrate: ${error.message}${left}\n`);
    return EXIT.failed;
  } finally {
    process.stdin.pause();
    await bridge.close();
  }
}

/** @returns whether the calibration was kept @throws {BridgeError} */
async function steps(
  arm: Arm,
  calibration: {
    next(arm: Arm, caller: Caller, reversed: readonly string[]): Promise<CalibrationAnswer>;
    view(arm: Arm): CalibrationView | null;
  },
  operator: Operator,
  signal: AbortSignal,
  onStep: (step: number) => void,
): Promise<boolean> {
  const { log } = await prompts();
  let answer = await calibration.next(arm, CALLER, []);
  while (answer.status === 'in_progress') {
    onStep(answer.step);
    log.step(
      `Step ${answer.step} of ${answer.steps}: ${answer.message
        .replaceAll('at the next call', 'on Enter')
        .replaceAll('At the next call', 'On Enter')
        .replaceAll('then go on', 'then press Enter')}`,
    );
    let reversed: readonly string[] | null = [];
    if (answer.step === answer.steps) reversed = await operator.judge(arm.model.joints.map(({ name }) => name));
    else if (!(await operator.done(() => calibration.view(arm)))) reversed = null;
    if (reversed === null || signal.aborted) return false;
    answer = await calibration.next(arm, { ...CALLER, signal }, reversed);
    // The interrupted move has ended in a hold.
    if (signal.aborted && answer.status === 'in_progress') return false;
  }
  (answer.status === 'success' ? log.success : log.error)(answer.message);
  return answer.status === 'success';
}

/** Adds `arm-bridge calibrate` to the program, with the import and export of calibrations. */
export function addCalibrate(program: Command, defaultConfig: string): void {
  const command = endOnMisuse(program.command('calibrate'))
    .description('Finds out with a hand what the servos of an arm count from; the bridge must not be running.')
    .option('--config <file>', 'configuration file (YAML)', defaultConfig)
    .option('--arm <name>', 'which of its arms; left out where it has one')
    .option('--hand-time <s>', 'without a terminal: time for each step by hand', seconds)
    .option('--reversed <joints>', 'without a terminal: joints whose servos sit the other way round, a,b', names, [])
    .option('--accept', 'without a terminal: keep it though nobody has looked at the moves')
    .addOption(
      new Option(
        '--friction',
        'measure the friction of its joints instead: a calibrated arm moves by itself',
      ).conflicts(['handTime', 'reversed', 'accept']),
    )
    .option('--yes', 'with --friction: do not ask whether its way is clear')
    .action((options: Options) => carryOut('calibrate', () => calibrate(options)));
  addCalibrationFiles(command, defaultConfig);
}
