import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { type ArmModel, loadArmModel } from '../arm/model.ts';
import { CalibrationFileError, CalibrationStore } from '../calibration/calibration-store.ts';
import { fromLerobot, lerobotFile, toLerobot } from '../calibration/lerobot.ts';
import { fromPhosphobot, type PhosphobotConfig, phosphobotFile, toPhosphobot } from '../calibration/phosphobot.ts';
import { systemClock } from '../clock.ts';
import type { CalibrationFile } from '../config/calibration.ts';
import { loadConfig } from '../config/load.ts';
import type { ArmConfig, Config } from '../config/schema.ts';
import { messageOf } from '../message-of.ts';
import { stepsToRadians } from '../servo/calibration.ts';
import { modelByName } from '../servo/servo-models.ts';
import { carryOut, EXIT, endOnMisuse, UsageError } from './servo-access.ts';

interface Options {
  readonly config: string;
  readonly arm?: string;
}
interface ImportOptions extends Options {
  readonly format: 'lerobot' | 'phosphobot';
}
interface ExportOptions extends ImportOptions {
  readonly voltage?: number;
}

/** Ranges narrower by less than this are not reported, rad: a sweep by hand is no more accurate. */
const NARROWER = 0.1;

const FORMATS = ['lerobot', 'phosphobot'];

interface Chosen {
  readonly arm: ArmConfig;
  readonly model: ArmModel;
  readonly store: CalibrationStore;
}

/** The arm that the user chose from a configuration. @throws {UsageError} */
export function chosenArm(config: Config, wanted: string | undefined): ArmConfig {
  const known = config.arms.map(({ name }) => name).join(', ');
  if (wanted === undefined) {
    if (config.arms.length === 1) return config.arms[0]!;
    throw new UsageError(`name one of the arms with --arm: ${known}`);
  }
  const arm = config.arms.find(({ name }) => name === wanted);
  if (arm === undefined) throw new UsageError(`there is no arm "${wanted}" in the configuration, only ${known}`);
  return arm;
}

function chosen(options: Options): Chosen {
  const config = loadConfig(options.config, process.env);
  const arm = chosenArm(config, options.arm);
  const folder = config.calibration_folder ?? join(config.state_folder ?? defaultStateFolder(), 'calibration');
  return { arm, model: loadArmModel(arm.model, arm.variant), store: new CalibrationStore(folder) };
}

/**
 * Whether an arm of a configuration has a calibration file. `needless` for arms that need none: simulated ones, remote
 * ones (`ros`), and those with several servos on a joint, which come calibrated.
 */
export function calibrationPresent(config: string, name: string): 'there' | 'missing' | 'needless' {
  const { arm, model, store } = chosen({ config, arm: name });
  const pairwise = model.joints.some(({ servos }) => servos.length > 1);
  if (pairwise || arm.bus === 'ros' || arm.bus.startsWith('sim:')) return 'needless';
  return existsSync(store.path(name)) ? 'there' : 'missing';
}

/** @throws {UsageError} for a file that cannot be read or has another format */
function content<T extends z.ZodType>(path: string, schema: T): z.output<T> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read (${messageOf(error)})`);
  }
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  const { path: place, message } = error.issues[0]!;
  throw new UsageError(`${path}: ${place.map(String).join('.') || 'the file'}: ${message}`);
}

/** Runs a task. Errors of calibration files are meant for users, so they become usage errors. */
async function told(task: () => void): Promise<number> {
  try {
    task();
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CalibrationFileError) throw new UsageError(error.message);
    throw error;
  }
}

/**
 * Joints that another program swept over less than their travel. That program also set the servos' position limits to
 * the narrower range, and a servo accepts no goal beyond them.
 */
function narrowed({ joints }: CalibrationFile, model: ArmModel): string[] {
  return model.joints.flatMap(({ name, lower, upper, servos }) => {
    const found = joints[name];
    if (found === undefined) return [];
    const { sign, zero, range_min, range_max } = found;
    const { stepsPerTurn } = servos[0]!;
    const ends = [range_min, range_max].map((steps) => stepsToRadians({ sign, zero, stepsPerTurn }, steps));
    const [least, most] = [Math.min(...ends), Math.max(...ends)];
    if (least - lower < NARROWER && upper - most < NARROWER) return [];
    const shown = [least, most, lower, upper].map((angle) => angle.toFixed(2));
    return [`${name} ${shown[0]} to ${shown[1]} rad of ${shown[2]} to ${shown[3]}`];
  });
}

function importFile(path: string, options: ImportOptions): void {
  const { arm, model, store } = chosen(options);
  const written = new Date(1000 * systemClock.wall()).toISOString();
  const file =
    options.format === 'lerobot'
      ? fromLerobot(content(path, lerobotFile), model, arm.name, written)
      : fromPhosphobot(content(path, phosphobotFile), model, arm.name, written, store.read(arm.name, model));
  store.write(arm.name, file);
  process.stdout.write(`${store.path(arm.name)} is written. Its offsets are compared with the servos on connecting.\n`);
  const narrow = narrowed(file, model);
  if (narrow.length === 0) return;
  process.stderr.write(
    `These joints have been led over less than they can travel, and ${options.format} limits their servos so: ` +
      `${narrow.join('; ')}. They take no goal beyond. Calibrate the arm here (arm-bridge calibrate), or open the limits: ` +
      'arm-bridge setup registers\n',
  );
}

function volts(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 60)) throw new InvalidArgumentError('volts, such as 7.4, are expected.');
  return value;
}

function exportFile(path: string | undefined, { format, voltage, ...options }: ExportOptions): void {
  const { arm, model, store } = chosen(options);
  const file = store.read(arm.name, model);
  if (file === null) throw new UsageError(`arm ${arm.name} has no calibration: ${store.path(arm.name)} is not there`);
  const text = `${JSON.stringify(format === 'lerobot' ? toLerobot(file, model) : phosphobot(file, model, voltage), null, 4)}\n`;
  if (path === undefined) process.stdout.write(text);
  else writeFileSync(path, text);
}

function phosphobot(file: CalibrationFile, model: ArmModel, voltage: number | undefined): PhosphobotConfig {
  if (voltage === undefined) throw new UsageError("phosphobot's file has the voltage of the supply: --voltage 7.4");
  const gripper = model.gripper === null ? undefined : model.joints[model.gripper.index]!.servos[0]!;
  const gripperTorque = gripper === undefined ? null : (modelByName(gripper.model)?.stallTorque ?? null);
  return toPhosphobot(file, model, { voltage, gripperTorque });
}

function options(command: Command, defaultConfig: string): Command {
  return endOnMisuse(command)
    .option('--config <file>', 'configuration file (YAML)', defaultConfig)
    .option('--arm <name>', 'which of its arms; left out where it has one');
}

/** Adds `import` and `export` to the command `calibrate`. */
export function addCalibrationFiles(calibrate: Command, defaultConfig: string): void {
  options(calibrate.command('import'), defaultConfig)
    .description('Takes over the calibration of another program. Writes nothing to the servos.')
    .argument('<file>', "its JSON: LeRobot's calibration of the arm, or phosphobot's configuration")
    .addOption(new Option('--format <program>', 'whose').choices(FORMATS).makeOptionMandatory())
    .action((path: string, given: ImportOptions) =>
      carryOut('calibrate import', () => told(() => importFile(path, given))),
    );
  options(calibrate.command('export'), defaultConfig)
    .description('Writes the calibration of an arm as another program reads it.')
    .argument('[file]', 'where to; standard output when it is left out')
    .addOption(new Option('--format <program>', 'which').choices(FORMATS).default('lerobot'))
    .option('--voltage <V>', 'for phosphobot: that of the supply', volts)
    .action((path: string | undefined, given: ExportOptions) =>
      carryOut('calibrate export', () => told(() => exportFile(path, given))),
    );
}
