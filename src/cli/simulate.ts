import { basename, dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ArmModel, armVariants, loadArmModel } from '../arm/model.ts';
import { simulatedCounterpart } from '../arm/simulated-counterpart.ts';
import { BASE_VARIANT } from '../arm/variant.ts';
import { asBuilt } from '../calibration/as-built.ts';
import { CalibrationStore } from '../calibration/calibration-store.ts';
import { systemClock } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import { addFault, FAULT_HELP, FaultError, type FaultPlan, NO_FAULTS } from '../sim/faults.ts';
import type { KitHand } from '../sim/kit.ts';
import type { ServedArm, ServeOptions } from '../sim/serve.ts';
import { portNumber } from './port-number.ts';
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
  readonly factoryNew?: boolean;
}

/** Loopback only, because whoever reaches the port can drive the arm. */
const TCP_HOST = '127.0.0.1';

/** Writes the calibration of the emulated servos, for an arm named like the file. */
function writeCalibration(path: string, model: ArmModel): void {
  const arm = basename(path, '.json');
  new CalibrationStore(dirname(resolve(path))).write(
    arm,
    asBuilt(model, arm, new Date(1000 * systemClock.wall()).toISOString()),
  );
}

/** Option parser: a number within bounds. */
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

/**
 * One Ctrl-C through npm arrives two or three times within this time, s; without a listener the late ones kill the
 * process.
 */
const ONE_SIGNAL = 0.3;

/** The arms of a pair. The leader uses the variant `leader` if its model has one, else the follower's variant. */
const ROLES = ['leader', 'follower'] as const;

const HAND_HELP = [
  'plug <arm> <joint>          connects its servo alone to the adapter of the arm; "all" one behind the other; "nothing"',
  'middle <arm>                leads every joint to the middle of its travel, and holds it there',
  'ends <arm>                  leads every joint to both of its ends, and back to the middle',
  'lead <arm> <joint> <deg>    leads one joint, and holds it there',
  'let go <arm>                lets go of the arm, which sinks where it has no torque',
  'where <arm>                 says where its joints really are, deg',
];

/** A simulated hand with several kits, driven by lines of text. */
class Hands {
  readonly #kits: Readonly<Record<string, KitHand>>;

  constructor(kits: Readonly<Record<string, KitHand>>) {
    this.#kits = kits;
  }

  /** @returns what was done, for users @throws {Error} with a message for users */
  async obey(line: string): Promise<string> {
    const [verb = '', ...rest] = line
      .trim()
      .replace(/^let go/, 'letgo')
      .split(/\s+/);
    const [arm = '', what = '', angle = ''] = rest;
    const kit = this.#kits[arm];
    if (kit === undefined)
      throw new Error(`name ${Object.keys(this.#kits).join(' or ')}:\n  ${HAND_HELP.join('\n  ')}`);
    const came = (done: boolean): string => (done ? 'done' : 'something holds it, or the hand was sent elsewhere');
    switch (verb) {
      case 'plug': {
        const ids = await kit.plug(what);
        return `${ids.length} ${ids.length === 1 ? 'servo is' : 'servos are'} connected to the ${arm}'s adapter`;
      }
      case 'middle':
        return came(await kit.middle());
      case 'ends':
        return came(await kit.ends());
      case 'lead':
        if (!Number.isFinite(Number(angle)) || angle === '')
          throw new Error(`an angle in degrees is expected: ${HAND_HELP[3]}`);
        return came(await kit.lead(what, (Number(angle) * Math.PI) / 180));
      case 'where':
        return Object.entries(await kit.where())
          .map(([name, angle]) => `${name} ${((angle * 180) / Math.PI).toFixed(1)}`)
          .join(', ');
      case 'letgo':
        await kit.letGo();
        return 'done';
      default:
        throw new Error(`the hand knows\n  ${HAND_HELP.join('\n  ')}`);
    }
  }
}

/** Where the arm of a role is served; each role gets a link or a TCP port of its own. */
function placeOf(role: string, place: number, { pty, tcp }: SimulateOptions): Pick<ServeOptions, 'pty' | 'tcp'> {
  if (tcp === undefined) return { pty: { link: pty === undefined ? null : `${pty}-${role}` } };
  return { tcp: { host: TCP_HOST, port: tcp === 0 ? 0 : tcp + place } };
}

/**
 * `arm-bridge simulate --factory-new`: serves the factory-new servos of a leader and a follower. Lines on standard
 * input make a simulated hand plug and move them, until a signal ends it.
 * @throws {Error} with a message for users, if they cannot be served
 */
async function simulateKits(options: SimulateOptions): Promise<void> {
  if (options.variant !== BASE_VARIANT)
    throw new Error('--factory-new serves a leader and a follower: leave --variant out');
  if (options.calibration !== undefined)
    throw new Error('servos from the shop have no calibration: leave --calibration out');
  if (options.pty !== undefined && options.tcp !== undefined) throw new Error('--factory-new takes --pty or --tcp');
  const name = options.arm.includes('/') ? resolve(options.arm) : options.arm;
  const [{ ServedArm }, { asKit, KitHand, kitArm, kitJoints }] = await Promise.all([
    import('../sim/serve.ts'),
    import('../sim/kit.ts'),
  ]);
  const tell = (message: string): void => void process.stderr.write(`${message}\n`);
  const ended = new Promise<void>((resolve) => void onEndingSignal(() => resolve()));
  const served: ServedArm[] = [];
  const kits: Record<string, KitHand> = {};
  try {
    for (const [place, role] of ROLES.entries()) {
      const variant = role === 'leader' && armVariants(name).includes(role) ? role : BASE_VARIANT;
      const model = loadArmModel(name, variant);
      const { payload, stiffness, fault: faults } = options;
      const arm = asKit(simulatedCounterpart(model, role, { payload, stiffness }), place + 1);
      const kit = await ServedArm.start({
        ...placeOf(role, place, options),
        ...{ clock: systemClock, arm, faults, light: true, onEvent: tell },
      });
      served.push(kit);
      kits[role] = new KitHand(kitArm(kit.arm), kitJoints(model.joints), systemClock);
      const url = kit.path === null ? `tcp://${TCP_HOST}:${kit.tcpPort}` : `serial:${kit.path}`;
      process.stdout.write(`${url}\n`);
      tell(`the servos of a ${role} (${model.title}) are there, new and not connected; their adapter is ${url}`);
    }
    tell(`Type what your hand is to do; Ctrl-C ends it.\n  ${HAND_HELP.join('\n  ')}`);
    const hands = new Hands(kits);
    const input = createInterface({ input: process.stdin });
    input.on('line', (line) => {
      if (line.trim() === '') return;
      hands.obey(line).then(
        (done) => tell(`${line.trim()}: ${done}`),
        (error: Error) => tell(error.message),
      );
    });
    await ended;
    input.close();
  } finally {
    await Promise.all([...served.map((kit) => kit.close()), systemClock.sleep(ONE_SIGNAL)]);
  }
}

/**
 * `arm-bridge simulate`: serves an emulated arm until a signal ends it. Prints one line per port to standard output: a
 * bus URL for the configuration. Events go to standard error.
 * @throws {Error} with a message for users, if it cannot be served
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
  await Promise.all([served.close(), systemClock.sleep(ONE_SIGNAL)]);
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
    .option('--tcp <port>', `serve it on this TCP port of ${TCP_HOST}; 0 takes a free one`, portNumber)
    .option(
      '--factory-new',
      'the servos of a leader and a follower as they come from the shop, and a hand for them: see below',
    )
    .option('--calibration <file>', 'write the calibration of its servos there: <arm>.json of the calibration folder')
    .addOption(
      new Option('--fault <switch>', 'what goes wrong, see below; may be repeated')
        .argParser(fault)
        .default(NO_FAULTS, 'none'),
    )
    .addHelpText('after', `\nFaults:\n${FAULT_HELP.map((line) => `  ${line}`).join('\n')}`)
    .addHelpText(
      'after',
      `\nWith --factory-new, lines that the hand takes:\n${HAND_HELP.map((line) => `  ${line}`).join('\n')}`,
    )
    .action(async (options: SimulateOptions) => {
      try {
        await (options.factoryNew ? simulateKits(options) : simulate(options));
      } catch (error) {
        process.stderr.write(`arm-bridge simulate: ${messageOf(error)}\n`);
        process.exitCode = 1;
      }
    });
}
