import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ArmModel, loadArmModel } from '../arm/model.ts';
import { simulatedCounterpart } from '../arm/simulated-counterpart.ts';
import { BASE_VARIANT } from '../arm/variant.ts';
import { asBuilt } from '../calibration/as-built.ts';
import { CalibrationStore } from '../calibration/calibration-store.ts';
import { systemClock } from '../clock.ts';
import { addFault, FAULT_HELP, FaultError, type FaultPlan, NO_FAULTS } from '../sim/faults.ts';
import type { ServeOptions } from '../sim/serve.ts';
import { onEndingSignal } from './signals.ts';

interface SimulateOptions {
  readonly arm: string;
  readonly variant: string;
  readonly pty?: string;
  readonly tcp?: number;
  readonly calibration?: string;
  readonly payload: number;
  readonly stiffness: number;
  readonly fault: FaultPlan;
}

/** Loopback alone: whoever reaches the port drives the arm. */
const TCP_HOST = '127.0.0.1';

function tcpPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= 0 && port <= 65535)) throw new InvalidArgumentError('a whole number from 0 to 65535 is expected.');
  return port;
}

/** Writes the calibration that the emulated servos have, as that of an arm with the name of the file. */
function writeCalibration(path: string, model: ArmModel): void {
  const arm = basename(path, '.json');
  new CalibrationStore(dirname(resolve(path))).write(arm, asBuilt(model, arm, new Date().toISOString()));
}

/** A number within bounds, for an option. */
function within(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`a number from ${least} to ${most} is expected.`);
    return value;
  };
}

function fault(text: string, plan: FaultPlan): FaultPlan {
  try {
    return addFault(text, plan);
  } catch (error) {
    if (error instanceof FaultError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

/** One Ctrl-C through npm arrives two or three times within this time, ms: a process that has ended its listeners dies of one. */
const ONE_SIGNAL = 300;

/**
 * `arm-bridge simulate`: serves an emulated arm until a signal ends it. Standard output gets one line for each port, a
 * bus URL as the configuration takes it; what happens goes to standard error.
 * @throws {Error} for people, when it cannot be served
 */
async function simulate(options: SimulateOptions): Promise<void> {
  const model = loadArmModel(options.arm.includes('/') ? resolve(options.arm) : options.arm, options.variant);
  const arm = simulatedCounterpart(model, model.name, { payload: options.payload, stiffness: options.stiffness });
  const { ServedArm } = await import('../sim/serve.ts');
  const tell = (message: string): void => void process.stderr.write(`${message}\n`);
  const pty = options.pty !== undefined ? { link: options.pty } : options.tcp === undefined ? { link: null } : null;
  const serve: ServeOptions = {
    clock: systemClock,
    arm,
    faults: options.fault,
    ...(pty ? { pty } : {}),
    ...(options.tcp === undefined ? {} : { tcp: { host: TCP_HOST, port: options.tcp } }),
    onEvent: tell,
  };
  const ended = new Promise<void>((resolve) => void onEndingSignal(() => resolve()));
  if (options.calibration !== undefined) writeCalibration(options.calibration, model);
  const served = await ServedArm.start(serve);
  if (served.path !== null) process.stdout.write(`serial:${served.path}\n`);
  if (served.tcpPort !== null) process.stdout.write(`tcp://${TCP_HOST}:${served.tcpPort}\n`);
  tell(`${options.arm} is served; Ctrl-C ends it`);
  await ended;
  await Promise.all([served.close(), sleep(ONE_SIGNAL)]);
}

/** Adds the command to the program. */
export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description("Serves an emulated arm on a serial port or over TCP, for this bridge and for anyone's software.")
    .option('--arm <model>', 'arm to emulate, or the path of a folder of your own', 'so101')
    .option('--variant <name>', 'which build of it', BASE_VARIANT)
    .option('--pty <path>', 'put a link to its serial port there; without --pty and --tcp the port has its own name')
    .option('--payload <kg>', 'mass in the gripper that the model does not know of', within(0, 1), 0)
    .option('--stiffness <share>', 'true stiffness of the servos over that of the model', within(0.2, 5), 1)
    .option('--tcp <port>', `serve it on this TCP port of ${TCP_HOST}; 0 takes a free one`, tcpPort)
    .option('--calibration <file>', 'write the calibration of its servos there: <arm>.json of the calibration folder')
    .addOption(
      new Option('--fault <switch>', 'what goes wrong, see below; may be repeated')
        .argParser(fault)
        .default(NO_FAULTS, 'none'),
    )
    .addHelpText('after', `\nFaults:\n${FAULT_HELP.map((line) => `  ${line}`).join('\n')}`)
    .action(async (options: SimulateOptions) => {
      try {
        await simulate(options);
      } catch (error) {
        process.stderr.write(`arm-bridge simulate: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exitCode = 1;
      }
    });
}
