import { confirm, isCancel } from '@clack/prompts';
import { BridgeError, type Caller, Cancelled } from '../arm/types.ts';
import { CalibrationFileError } from '../calibration/calibration-store.ts';
import type { FrictionOutcome, FrictionWay, MeasuredFriction } from '../calibration/friction-service.ts';
import { systemClock } from '../clock.ts';
import { loadConfig } from '../config/load.ts';
import { startLog } from '../log.ts';
import { chosenArm } from './calibration-files.ts';
import { OWN, ownConfig } from './own-bridge.ts';
import { EXIT, UsageError } from './servo-access.ts';
import { onEndingSignal } from './signals.ts';
import { table } from './table.ts';

const CALLER: Caller = {
  owner: { key: 'arm-bridge calibrate --friction', name: 'arm-bridge calibrate --friction' },
  takeOver: false,
};

export interface FrictionOptions {
  readonly config: string;
  readonly arm?: string;
  readonly yes?: boolean;
}

/**
 * Measures the friction of an arm's joints, after the user agrees or with `--yes`.
 * @returns the exit code @throws {UsageError}
 */
export async function calibrateFriction(options: FrictionOptions): Promise<number> {
  const config = loadConfig(options.config, process.env);
  const chosen = chosenArm(config, options.arm);
  if (options.yes !== true && !(process.stdin.isTTY && process.stdout.isTTY)) {
    throw new UsageError('without a terminal, say with --yes that the arm may move');
  }
  const ending = new AbortController();
  const { logger } = startLog('error');
  const [{ Bridge }, { thisMachine }] = await Promise.all([import('../bridge.ts'), import('../host.ts')]);
  const bridge = await Bridge.start(ownConfig(config, [chosen]), logger, thisMachine(systemClock), OWN);
  onEndingSignal(() => ending.abort(new Cancelled('the program was told to end')));
  const { signal } = ending;
  try {
    const arm = bridge.arms.all[0]!;
    process.stdout.write(`${announcement(arm.name, await bridge.friction.plan(arm))}\n`);
    if (options.yes !== true && !(await agreed(signal))) return EXIT.failed;
    const outcome = await bridge.friction.measure(arm, { ...CALLER, signal }, ({ name }) =>
      process.stderr.write(`${name} is measured\n`),
    );
    process.stdout.write(`${report(arm.name, outcome)}\n`);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof BridgeError || error instanceof CalibrationFileError)) throw error;
    process.stderr.write(`arm-bridge calibrate: ${error.message}\n`);
    return EXIT.failed;
  } finally {
    process.stderr.write(`${chosen.name} is lowered to its rest pose now, unless it is stopped: keep clear\n`);
    process.stdin.pause();
    await bridge.close();
  }
}

async function agreed(signal: AbortSignal): Promise<boolean> {
  const answer = await confirm({ message: 'Is its way clear, and its gripper empty?', initialValue: false, signal });
  return !isCancel(answer) && answer;
}

/** What will move, for the user. */
function announcement(arm: string, ways: readonly FrictionWay[]): string {
  const degrees = (angle: number): string => ((angle * 180) / Math.PI).toFixed(0);
  const rows = ways.map(({ name, from, to, speed }) => [name, degrees(from), degrees(to), degrees(speed)]);
  return (
    `${arm} goes to its pose init, at the speed of moves. Then one joint after the other goes to and fro, which takes some\n` +
    'minutes. Nothing may touch the arm meanwhile, and its gripper must be empty. Ctrl-C ends it.\n' +
    table(['joint', 'from, deg', 'to, deg', 'up to, deg/s'], rows, '   ')
  );
}

function report(arm: string, { joints, kept }: FrictionOutcome): string {
  const number = (value: number): string => value.toFixed(3);
  const rows = joints.map(({ name, friction, damping, residual, before }: MeasuredFriction) => [
    name,
    number(friction),
    `(${number(before.friction)})`,
    number(damping),
    `(${number(before.damping)})`,
    number(residual),
  ]);
  const head = ['joint', 'friction, Nm', '(before)', 'damping, Nm s/rad', '(before)', 'left over, Nm'];
  const end =
    kept === null
      ? `${arm} is simulated: its numbers are not kept.`
      : `Kept in ${kept}; the bridge takes them from its next start on.`;
  return `${table(head, rows, '   ')}\n${end}`;
}
