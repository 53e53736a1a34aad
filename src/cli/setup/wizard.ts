import { armModels, loadArmModel } from '../../arm/model.ts';
import { BASE_VARIANT } from '../../arm/variant.ts';
import type { Role } from '../../config/edit.ts';
import { ConfigError, loadConfig } from '../../config/load.ts';
import type { PairConfig } from '../../config/schema.ts';
import { AssignError, type SetupLine } from '../../servo/assign.ts';
import { listed, servoName } from '../../servo/bench.ts';
import { ADAPTERS, likelyArms } from '../../servo/port/adapters.ts';
import { describePort, lastingUrl, type PortInfo } from '../../servo/port/discovery.ts';
import { PortError } from '../../servo/port/port.ts';
import { BusUrlError, parseBusUrl } from '../../servo/port/url.ts';
import { ServoError } from '../../servo/servo-client.ts';
import type { ServoFamily } from '../../servo/servo-family.ts';
import {
  armToSetUp,
  buildsOf,
  counterparts,
  enterArm,
  nameFault,
  nameTaken,
  otherAt,
  type SetupArm,
  type SetupServo,
} from '../../setup/arm.ts';
import { ArmSetup } from '../../setup/arm-setup.ts';
import { connectAll, connectOne } from '../../setup/instructions.ts';
import { typed, typedStart } from '../typed.ts';
import type { Asker } from './asker.ts';
import { benchOf } from './line.ts';
import type { Progress, ProgressFile } from './progress.ts';

/** Answers given on the command line already. */
export interface Given {
  readonly port?: string;
  readonly model?: string;
  readonly variant?: string;
  /** `alone`: it neither leads nor follows. */
  readonly role?: Role | 'alone';
  readonly name?: string;
  readonly config?: string;
}

/** Dependencies of the wizard. */
export interface WizardParts {
  readonly asker: Asker;
  readonly progress: ProgressFile;
  ports(): Promise<readonly PortInfo[]>;
  /** Waits for the user to unplug an adapter and plug it in again; null on timeout. */
  replugged(): Promise<PortInfo | null>;
  line(bus: string, family: ServoFamily): SetupLine;
  /** Shows the udev rule of a bus, and installs it if the user wants that. */
  rule(bus: string): Promise<void>;
  /** Whether an arm of a configuration has its calibration; `needless`: it comes calibrated. */
  calibration(config: string, arm: string): 'there' | 'missing' | 'needless';
  /** Calibrates an arm of a configuration with the user. @returns whether it was done */
  calibrate(config: string, arm: string): Promise<boolean>;
  /**
   * Lets a follower follow its leader for the first time, slowly, and asks about it.
   * @returns whether it works as it should
   */
  tryPair(config: string, follower: string): Promise<boolean>;
}

/** Default configuration file to write the arm to. */
const CONFIG = 'my.yaml';

/**
 * Guides the user from arms in parts to a configuration with them, and on to their first teleoperation. Finished steps
 * are kept: another run resumes there.
 * @throws {GivenUp} if the user does not want to go on
 * @throws {PortError} for a port that cannot be used
 */
export async function wizard(parts: WizardParts, given: Given): Promise<void> {
  const { asker } = parts;
  asker.tell('info', 'Sets arms up. Nothing moves before you say so. Ctrl-C ends it; another run goes on from there.');
  const done = [await setUp(parts, (await resumed(parts, given)) ?? (await asked(parts, given)))];
  const [{ role, config, name }] = done as [Progress];
  const other = role === null ? null : OTHER[role];
  if (other !== null && pairOf(config, [name]) === undefined) {
    if (await asker.confirm(`Set the ${other} up now too? Its adapter has a port of its own.`, true)) {
      done.push(await setUp(parts, await asked(parts, { role: other, config })));
    }
  }
  await tried(parts, config, done);
}

/** Sets up one arm, until it is in the configuration. */
async function setUp(parts: WizardParts, plan: Progress): Promise<Progress> {
  const { asker, progress } = parts;
  progress.write(plan);
  const arm = armToSetUp(plan.model, plan.variant);
  await parts.rule(plan.bus);
  await servos(parts, plan, arm);
  await written(parts, plan);
  progress.remove();
  asker.tell('success', `${plan.name} is set up.`);
  return plan;
}

/** Calibrates the arms that were set up, and tries their pair, as far as the user wants that now. */
async function tried(
  { asker, calibration, calibrate, tryPair }: WizardParts,
  config: string,
  done: readonly Progress[],
): Promise<void> {
  const left: string[] = [];
  const names = done.map(({ name }) => name);
  const pair = pairOf(config, names);
  // An earlier run may have left the other arm uncalibrated.
  const others = pair === undefined ? [] : [pair.leader, pair.follower].filter((name) => !names.includes(name));
  for (const name of [...names, ...others]) {
    const present = calibration(config, name);
    if (present === 'needless' || (present === 'there' && others.includes(name))) continue;
    const wanted = await asker.confirm(`Calibrate ${name} now? You lead it by hand; nothing may be in its way.`, true);
    if (!(wanted && (await calibrate(config, name)))) left.push(typed('calibrate', '--config', config, '--arm', name));
  }
  if (pair !== undefined) {
    const { follower } = pair;
    const wanted =
      left.length === 0 && (await asker.confirm(`Let ${follower} follow for the first time, slowly?`, true));
    if (!(wanted && (await tryPair(config, follower))))
      left.push(typed('setup', 'try', '--config', config, '--follower', follower));
  }
  left.push(typedStart(config));
  asker.tell('success', `Next: ${left.join('\n')}`);
}

const OTHER: Readonly<Record<Role, Role>> = { leader: 'follower', follower: 'leader' };

/**
 * The pair of one of these arms in a configuration; undefined: none. A pair with a simulated arm does not count: a copy of
 * the default configuration has one, whose arms become real one after the other.
 */
function pairOf(config: string, names: readonly string[]): PairConfig | undefined {
  const { arms, pairs } = loadConfig(config);
  const simulated = arms.filter(({ bus }) => bus.startsWith('sim:')).map(({ name }) => name);
  return pairs.find(({ leader, follower }) => {
    const both = [leader, follower];
    return both.some((name) => names.includes(name)) && !both.some((name) => simulated.includes(name));
  });
}

/** The interrupted set-up, if the user wants to resume it; else null. */
async function resumed({ asker, progress }: WizardParts, given: Given): Promise<Progress | null> {
  const last = progress.read();
  if (last === null) return null;
  const agrees = [
    [given.port, last.bus],
    [given.model, last.model],
    [given.variant, last.variant],
    [given.role, last.role ?? 'alone'],
    [given.name, last.name],
    [given.config, last.config],
  ].every(([wanted, before]) => wanted === undefined || wanted === before);
  if (!agrees) return null;
  const build = last.variant === BASE_VARIANT ? last.model : `${last.model}, ${last.variant}`;
  const question = `Go on with ${last.name} (${build}) on ${last.bus}, of which ${last.done.length} servos are set up?`;
  return (await asker.confirm(question, true)) ? last : null;
}

async function asked(parts: WizardParts, given: Given): Promise<Progress> {
  const { asker } = parts;
  const port = given.port === undefined ? await askedPort(parts) : { bus: given.port, likely: [] };
  const model = given.model ?? (await askedModel(asker, port.likely));
  const role = await askedRole(asker, given);
  const variant = given.variant ?? (await askedVariant(asker, model, role));
  const askedName = (): Promise<string> =>
    asker.text('What is the arm to be called? (also its ROS namespace)', role ?? model, nameFault);
  let name = given.name ?? (await askedName());
  const config =
    given.config ?? (await asker.text('Which configuration file is it to be written to?', CONFIG, pathFault));
  let { bus } = port;
  for (let other = await otherAt(config, bus, name); other !== null; other = await otherAt(config, bus, name)) {
    asker.tell('warn', `${bus} is the port of ${other} in ${config}: ${name} has an adapter of its own`);
    ({ bus } = await askedPort(parts));
  }
  for (let fault = await nameTaken(config, bus, name); fault !== null; fault = await nameTaken(config, bus, name)) {
    asker.tell('warn', fault);
    name = await askedName();
  }
  return { bus, model, variant, role, name, config, done: [] };
}

async function askedRole(asker: Asker, { role, variant }: Given): Promise<Role | null> {
  const known = role ?? (variant === 'leader' ? variant : undefined);
  const answer =
    known ??
    (await asker.choose('Is it the leader, which you hold in your hand, or the follower?', [
      { value: 'leader', label: 'The leader: I hold it and lead it' },
      { value: 'follower', label: 'The follower: it moves by itself, as I lead the other one' },
      { value: 'alone', label: 'Neither: it works alone' },
    ]));
  return answer === 'leader' || answer === 'follower' ? answer : null;
}

interface ChosenPort {
  readonly bus: string;
  /** Models that usually come with its adapter. */
  readonly likely: readonly string[];
}

async function askedPort({ asker, ports, replugged }: WizardParts): Promise<ChosenPort> {
  while (true) {
    const known = await ports();
    const chosen = await asker.choose("Which port is the arm's?", [
      { value: 'replug', label: 'Find it: I unplug its USB cable and plug it in again' },
      ...known.map((port) => ({ value: port.path, label: describePort(port) })),
      { value: 'other', label: 'Another one, by its URL' },
    ]);
    if (chosen === 'other') {
      const bus = await asker.text('URL of its bus (serial:... or tcp://...)', 'serial:', urlFault);
      return { bus, likely: [] };
    }
    const port = chosen === 'replug' ? await replugged() : known.find(({ path }) => path === chosen);
    if (port === null || port === undefined) {
      asker.tell('warn', 'no port came and went');
      continue;
    }
    const bus = lastingUrl(port, await ports());
    asker.tell('info', `${describePort(port)}: ${bus}`);
    return { bus, likely: port.adapter ? likelyArms(port.adapter) : [] };
  }
}

function pathFault(answer: string): string | undefined {
  return answer.trim() === '' ? 'a path is expected' : undefined;
}

function urlFault(answer: string): string | undefined {
  try {
    const { kind } = parseBusUrl(answer);
    return kind === 'serial' || kind === 'tcp' ? undefined : 'serial:... or tcp://... is expected';
  } catch (error) {
    if (error instanceof BusUrlError) return error.message;
    throw error;
  }
}

async function askedModel(asker: Asker, likely: readonly string[]): Promise<string> {
  const order = [...likely, ...ADAPTERS.flatMap(({ arms }) => arms)];
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  const models = [...armModels()].sort((a, b) => rank(a) - rank(b));
  const choices = models.map((value) => {
    const guess = likely.includes(value) ? ' (likely, by its adapter)' : '';
    return { value, label: `${loadArmModel(value).title}${guess}` };
  });
  return asker.choose('Which arm is it?', choices);
}

/** The variant named after the role if there is one; else the user chooses. */
async function askedVariant(asker: Asker, model: string, role: Role | null): Promise<string> {
  const builds = buildsOf(model);
  if (role === 'leader' && builds.some(({ value }) => value === role)) return role;
  const others = role === null ? builds : builds.filter(({ value }) => value !== OTHER[role]);
  if (others.length <= 1) return others[0]?.value ?? BASE_VARIANT;
  return asker.choose('Which build of it?', others);
}

/** Runs until all servos of the arm answer on its bus: one per id, of the right model. */
async function servos(parts: WizardParts, plan: Progress, arm: SetupArm): Promise<void> {
  const { asker } = parts;
  const setup = new ArmSetup(arm, benchOf(plan.bus, parts.line(plan.bus, arm.family)), plan.done);
  await setup.look();
  while (setup.step !== 'enter') {
    switch (setup.step) {
      case 'missing': {
        asker.tell('info', `on ${plan.bus}: ${setup.faults.join('; ')}`);
        const next = await asker.choose('What next?', [
          { value: 'single', label: 'Give the servos their ids, one servo at a time' },
          { value: 'again', label: 'Look again: all servos are connected now' },
        ]);
        if (next === 'again') await setup.look();
        else setup.singly();
        break;
      }
      case 'single':
        await single(parts, setup, setup.servo!);
        plan.done = [...setup.done];
        parts.progress.write(plan);
        break;
      case 'whole':
        asker.tell('step', connectAll(arm));
        await asker.choose('Is the whole arm connected?', [{ value: 'yes', label: 'Yes: look at it' }]);
        await setup.look();
        break;
      case 'registers':
        await registers(parts, setup);
    }
  }
  asker.tell('success', `all ${arm.servos.length} servos of ${plan.name} answer, each with its own id`);
}

/** Shows the registers that differ from the arm's data, and sets them if the user wants that. */
async function registers({ asker }: WizardParts, setup: ArmSetup): Promise<void> {
  asker.tell(
    'info',
    `registers that the data of the arm want otherwise:\n${listed(setup.arm.servos, setup.differences)}`,
  );
  if (!(await asker.confirm('Set them? They last without supply.', true))) {
    setup.leaveRegisters();
    return;
  }
  try {
    const { eepromWrites } = await setup.setRegisters();
    asker.tell('success', `set, with ${eepromWrites} EEPROM registers written`);
  } catch (error) {
    if (!(error instanceof AssignError || error instanceof ServoError || error instanceof PortError)) throw error;
    asker.tell('warn', `${error.message}. arm-bridge setup registers does it later`);
    setup.leaveRegisters();
  }
}

/** Runs until one servo has its id and rate, or is left out. */
async function single({ asker }: WizardParts, setup: ArmSetup, servo: SetupServo): Promise<void> {
  asker.tell('step', connectOne(setup.arm, servo));
  let reassign = false;
  while (true) {
    if (!reassign) {
      const answer = await asker.choose(`Is only the servo for ${servo.joint} connected?`, [
        { value: 'yes', label: `Yes: give it id ${servo.id}` },
        { value: 'skip', label: 'Leave it out: it has been set up' },
      ]);
      if (answer === 'skip') {
        setup.leaveOut();
        return;
      }
    }
    try {
      asker.tell('info', 'looking for it, which takes some seconds if it does not answer');
      const { identity, changes, supply } = await setup.give(reassign);
      const done = changes.map(({ register, from, to }) => `${register} ${from} -> ${to}`).join(', ');
      const what = done === '' ? 'was set up already' : done;
      asker.tell(
        'success',
        `${servoName(servo)}, firmware ${identity.firmware}, at ${supply.toFixed(1)} V as it should be: ${what}`,
      );
      return;
    } catch (error) {
      reassign = false;
      if (!(error instanceof AssignError || error instanceof ServoError || error instanceof PortError)) throw error;
      asker.tell('error', error.message);
      const given = error instanceof AssignError && error.code === 'given';
      if (given) reassign = await asker.confirm(`Give it id ${servo.id} all the same?`, false);
    }
  }
}

/** Runs until the arm is in a configuration file. */
async function written({ asker, progress }: WizardParts, plan: Progress): Promise<void> {
  while (true) {
    try {
      const { name, model, variant, bus, role } = plan;
      const other = await askedCounterpart(asker, plan);
      asker.tell('success', await enterArm(plan.config, { name, model, variant, bus, role }, other));
      return;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      asker.tell('error', error.message);
      plan.config = await asker.text('Which file instead?', plan.config, pathFault);
      progress.write(plan);
    }
  }
}

/** The arm that it leads or follows; null if there is none yet, or if its pair is known already. */
async function askedCounterpart(asker: Asker, { config, name, role }: Progress): Promise<string | null> {
  if (role === null) return null;
  const known = counterparts(config, name, role);
  if (known.length === 0) return null;
  const question = role === 'leader' ? `Which arm follows ${name}?` : `Which arm leads ${name}, held by a hand?`;
  const choices = [...known.map((value) => ({ value, label: value })), { value: '', label: 'None of these' }];
  return (await asker.choose(question, choices)) || null;
}
