import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { BASE_VARIANT } from '../arm/variant.ts';
import { systemClock } from '../clock.ts';
import type { Role } from '../config/edit.ts';
import { assign, USUAL_IDS } from '../servo/assign.ts';
import { listed, servoName } from '../servo/bench.ts';
import type { ExpectedServo } from '../servo/expected-servo.ts';
import { discoverPorts, lastingUrl, usbPort } from '../servo/port/discovery.ts';
import { armToSetUp, enterArm, faultsOf, nameFault, type SetupArm, wantedRate } from '../setup/arm.ts';
import { calibrationPresent } from './calibration-files.ts';
import { baudRates, carryOut, EXIT, endOnMisuse, finishing, portUrl, servoIds, UsageError } from './servo-access.ts';
import { benchOf, lineOf } from './setup/line.ts';
import { awaitReplug, replugAdvice } from './setup/port.ts';
import { ProgressFile } from './setup/progress.ts';
import { install, installation, offerRule, ruleOf, runHere, typed } from './setup/rule.ts';
import { type TryOptions, tryPair } from './setup/try.ts';
import { type Given, wizard } from './setup/wizard.ts';
import { onEndingSignal } from './signals.ts';

const ROLES: readonly Role[] = ['leader', 'follower'];
/** Time for unplugging an adapter and plugging it in again, s. */
const REPLUG_TIME = 60;

interface ArmOptions {
  readonly port: string;
  readonly model: string;
  readonly variant: string;
}

interface ServoOptions extends ArmOptions {
  readonly for: string;
  readonly ids?: readonly number[];
  readonly baud?: readonly number[];
  readonly reassign?: boolean;
  readonly json?: boolean;
}

interface RegisterOptions extends ArmOptions {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

interface EntryOptions extends ArmOptions {
  readonly name: string;
  readonly config: string;
  readonly role?: Role;
  readonly pair?: string;
}

interface RuleOptions {
  readonly port: string;
  readonly install?: boolean;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError('seconds, above 0 and at most 3600, are expected.');
  return value;
}

function armName(text: string): string {
  const fault = nameFault(text);
  if (fault === undefined) return text;
  throw new InvalidArgumentError(`${fault} is expected.`);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints the URL of the port that the user unplugs and plugs in again. @returns the exit code */
async function port(time: number): Promise<number> {
  const found = await awaitReplug(systemClock, time, (state) => tell(replugAdvice(state)));
  if (found === null) {
    tell(`arm-bridge setup port: no port came and went within ${time} s; arm-bridge ports lists those that there are`);
    return EXIT.failed;
  }
  process.stdout.write(`${lastingUrl(found, await discoverPorts())}\n`);
  return EXIT.ok;
}

/** Finds a servo by the name of its joint, or by its id. @throws {UsageError} */
function servoOf({ servos }: SetupArm, meant: string): ExpectedServo {
  const found = servos.filter(({ joint, id }) => joint === meant || String(id) === meant);
  const known = servos.map(servoName).join(', ');
  if (found.length === 0) throw new UsageError(`this arm has no servo "${meant}"; it has ${known}`);
  if (found.length > 1) {
    throw new UsageError(`${meant} has several servos: name one by its id, ${found.map(({ id }) => id).join(' or ')}`);
  }
  return found[0]!;
}

/** Sets up the one servo that is connected. @returns the exit code */
async function servo(options: ServoOptions): Promise<number> {
  const { port: bus, model, variant, ids = USUAL_IDS, baud, reassign = false } = options;
  const arm = armToSetUp(model, variant);
  const wanted = servoOf(arm, options.for);
  tell(`${bus}: looking for the servo`);
  const { identity, foundAt, changes } = await assign(lineOf(bus, arm.family), wanted, {
    baudRate: wantedRate(bus),
    ...(baud === undefined ? {} : { rates: baud }),
    ids,
    reassign,
    whole: finishing,
  });
  if (options.json) {
    const { joint, id } = wanted;
    const { firmware } = identity;
    const report = { bus, joint, id, model: wanted.model.model, firmware, foundAs: identity.id, foundAt, changes };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return EXIT.ok;
  }
  const lines = changes.map(({ register, from, to }) => `  ${register}: ${from} -> ${to}`);
  if (lines.length === 0) lines.push('  it was set up already');
  process.stdout.write(`${servoName(wanted)}, firmware ${identity.firmware}\n${lines.join('\n')}\n`);
  return EXIT.ok;
}

/** Checks that all servos of an arm answer, and writes the arm into a configuration. @returns the exit code */
async function entry(options: EntryOptions): Promise<number> {
  const { port: bus, model, variant, name, config, role = null, pair = null } = options;
  if (pair !== null && role === null) throw new UsageError(`--pair ${pair} needs --role leader or --role follower`);
  const arm = armToSetUp(model, variant);
  const bench = benchOf(bus, lineOf(bus, arm.family));
  const faults = faultsOf(arm, await bench.presence(arm.servos));
  if (faults.length > 0) {
    tell(`arm-bridge setup arm: ${bus}: ${faults.join('; ')}. Nothing is written`);
    return EXIT.failed;
  }
  const found = await bench.differences(arm.servos);
  const done = await enterArm(config, { name, model, variant, bus, role }, pair);
  process.stdout.write(`all ${arm.servos.length} servos answer; ${done}\n`);
  if (found.length > 0) {
    tell(`registers that its data want otherwise; arm-bridge setup registers sets them:\n${listed(arm.servos, found)}`);
  }
  return EXIT.ok;
}

/** Sets the registers of an arm's servos to what the arm's data want. @returns the exit code */
async function registers({
  port: bus,
  model,
  variant,
  dryRun = false,
  json = false,
}: RegisterOptions): Promise<number> {
  const arm = armToSetUp(model, variant);
  const bench = benchOf(bus, lineOf(bus, arm.family));
  const jointOf = (id: number): string => arm.servos.find((servo) => servo.id === id)!.joint;
  if (dryRun) {
    const found = await bench.differences(arm.servos);
    const rows = found.map(({ id, ...rest }) => ({ id, joint: jointOf(id), ...rest }));
    if (json) process.stdout.write(`${JSON.stringify({ bus, differences: rows }, null, 2)}\n`);
    else process.stdout.write(found.length === 0 ? 'all registers are as wanted\n' : `${listed(arm.servos, found)}\n`);
    return EXIT.ok;
  }
  const { servos, eepromWrites } = await bench.restore(arm.servos);
  if (json) {
    const rows = servos.map(({ id, changes }) => ({ id, joint: jointOf(id), changes }));
    process.stdout.write(`${JSON.stringify({ bus, servos: rows, eepromWrites }, null, 2)}\n`);
    return EXIT.ok;
  }
  const changed = servos.filter(({ changes }) => changes.length > 0);
  const lines = changed.map(({ id, changes }) => {
    const list = changes.map(({ register, from, to }) => `${register} ${from} -> ${to}`);
    return `${servoName(arm.servos.find((servo) => servo.id === id)!)}: ${list.join(', ')}\n`;
  });
  if (lines.length === 0) lines.push('all registers are as wanted\n');
  else lines.push(`${eepromWrites} EEPROM registers written\n`);
  process.stdout.write(lines.join(''));
  return EXIT.ok;
}

/** Prints the udev rule of a port, and installs it if asked. @returns the exit code */
async function rule(options: RuleOptions): Promise<number> {
  const found = await usbPort(options.port);
  if (found === null) {
    throw new UsageError(
      `${options.port} is no USB adapter of this machine, and needs no rule; arm-bridge ports lists them`,
    );
  }
  const wanted = await ruleOf(found);
  process.stdout.write(`${wanted.text}\n`);
  if (wanted.installed) {
    tell(`${wanted.file} has it`);
    return EXIT.ok;
  }
  if (!options.install) {
    tell(`To put it in force:\n${installation(wanted, false).map(typed).join('\n')}`);
    return EXIT.ok;
  }
  const failed = await install(wanted, runHere);
  if (failed === null) return EXIT.ok;
  tell(`arm-bridge setup rule: this failed: ${typed(failed)}`);
  return EXIT.failed;
}

/**
 * Runs another command of this program in this terminal; Ctrl-C ends only that command.
 * @returns whether it succeeded
 */
async function own(...args: readonly string[]): Promise<boolean> {
  const letSignals = onEndingSignal(() => {});
  try {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], { stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    return code === EXIT.ok;
  } finally {
    letSignals();
  }
}

/** Runs a pair for the first time. @returns the exit code */
async function firstFollowing(options: TryOptions): Promise<number> {
  if (!(process.stdin.isTTY && process.stdout.isTTY))
    throw new UsageError('it asks what was seen: run it in a terminal');
  const { GivenUp, terminal } = await import('./setup/asker.ts');
  try {
    return await tryPair(options, terminal);
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    return EXIT.failed;
  }
}

/** Runs the set-up wizard in the terminal. @returns the exit code */
async function ask(given: Given): Promise<number> {
  if (!(process.stdin.isTTY && process.stdout.isTTY)) {
    throw new UsageError(
      'without a terminal, take its steps one by one: setup port, setup rule, setup servo, setup arm',
    );
  }
  // Imported on demand, because every command of the program loads this module.
  const { GivenUp, terminal } = await import('./setup/asker.ts');
  try {
    await wizard(
      {
        asker: terminal,
        progress: new ProgressFile(join(defaultStateFolder(), 'setup.json')),
        ports: () => discoverPorts(),
        replugged: () => awaitReplug(systemClock, REPLUG_TIME, (state) => terminal.tell('step', replugAdvice(state))),
        line: lineOf,
        rule: (bus) => offerRule(terminal, bus, runHere),
        calibration: calibrationPresent,
        calibrate: (config, arm) => own('calibrate', '--config', config, '--arm', arm),
        tryPair: (config, follower) => own('setup', 'try', '--config', config, '--follower', follower),
      },
      given,
    );
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    terminal.tell('warn', 'Ended. What is set up stays; arm-bridge setup goes on from here.');
    return EXIT.failed;
  }
}

function armOptions(command: Command): Command {
  return endOnMisuse(command)
    .requiredOption('--port <url>', 'its bus, as in the configuration; servos get the rate that it names', portUrl)
    .requiredOption('--model <model>', 'which arm it is, or the path of a folder of your own')
    .option('--variant <name>', 'which build of it', BASE_VARIANT);
}

/** Adds `arm-bridge setup` and its steps to the program: from servos in a box to an arm in the configuration. */
export function addSetup(program: Command): void {
  const setup = endOnMisuse(program.command('setup'))
    .description(
      'Takes a leader and a follower, in any order, or a single arm from their parts to a configuration: port, ids and baud rate ' +
        'of servos, udev rule, pair; then calibrates them and lets the follower follow slowly. Asks in a terminal; an interrupted ' +
        'set-up goes on where it was.',
    )
    .option('--port <url>', 'its bus, as in the configuration', portUrl)
    .option('--model <model>', 'which arm it is')
    .option('--variant <name>', 'which build of it')
    .addOption(
      new Option('--role <role>', 'who holds it: a hand the leader, nobody the follower').choices([...ROLES, 'alone']),
    )
    .option('--name <name>', 'what it is called', armName)
    .option('--config <file>', 'configuration file that it is written to', process.env.ARM_BRIDGE_CONFIG_FILE)
    .action((given: Given) => carryOut('setup', () => ask(given)));
  endOnMisuse(setup.command('port'))
    .description('Names the port whose adapter is unplugged and plugged in again.')
    .option('--time <s>', 'time for that', seconds, REPLUG_TIME)
    .action(({ time }: { readonly time: number }) => carryOut('setup port', () => port(time)));
  armOptions(setup.command('servo'))
    .description('Gives the only servo that is connected its id and baud rate. It must be limp.')
    .requiredOption('--for <joint>', 'joint that it is for; its id where the joint has several')
    .option('--ids <ids>', 'ids to look for it, such as 0-252 (default: 0-20)', servoIds)
    .option('--baud <rates>', 'rates to look for it (default: those that are usual, then all)', baudRates)
    .option('--reassign', 'also when it has been given another id before')
    .option('--json', 'as JSON, for programs')
    .action((options: ServoOptions) => carryOut('setup servo', () => servo(options)));
  armOptions(setup.command('arm'))
    .description('Looks whether all servos of an arm answer, and writes it into a configuration, whose comments stay.')
    .requiredOption('--name <name>', 'what it is called', armName)
    .requiredOption('--config <file>', 'configuration file; made where there is none')
    .addOption(new Option('--role <role>', 'a new leader gets an even id, a new follower an odd one').choices(ROLES))
    .option('--pair <arm>', 'arm of the file that it leads, or that leads it, by its role', armName)
    .action((options: EntryOptions) => carryOut('setup arm', () => entry(options)));
  endOnMisuse(setup.command('try'))
    .description('Lets a follower follow its leader slowly, in a terminal, and asks whether it goes the right way.')
    .requiredOption('--config <file>', 'configuration file with the pair')
    .option('--follower <name>', 'which pair; left out where there is one', armName)
    .action((options: TryOptions) => carryOut('setup try', () => firstFollowing(options)));
  armOptions(setup.command('registers'))
    .description(
      "Brings the registers of an arm's servos to what its data want, so that it lasts: what other programs have left is " +
        'cleared, position limits are opened to the whole turn. The arm must be limp. calibrate narrows its limits again.',
    )
    .option('--dry-run', 'only say what differs')
    .option('--json', 'as JSON, for programs')
    .action((options: RegisterOptions) => carryOut('setup registers', () => registers(options)));
  endOnMisuse(setup.command('rule'))
    .description('Prints the udev rule that lets people open the adapter of a port.')
    .requiredOption('--port <url>', 'the port, as in the configuration', portUrl)
    .option('--install', 'put it in force, by sudo for anyone but root')
    .action((options: RuleOptions) => carryOut('setup rule', () => rule(options)));
}
