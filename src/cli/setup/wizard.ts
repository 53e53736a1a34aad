import { armModels, loadArmModel } from '../../arm/model.ts';
import { BASE_VARIANT } from '../../arm/variant.ts';
import { ConfigError } from '../../config/load.ts';
import { AssignError, assign, type SetupLine } from '../../servo/assign.ts';
import type { ExpectedServo } from '../../servo/expected-servo.ts';
import { describePort, type PortInfo } from '../../servo/port/discovery.ts';
import { PortError } from '../../servo/port/port.ts';
import { BusUrlError, parseBusUrl } from '../../servo/port/url.ts';
import { ServoError } from '../../servo/servo-client.ts';
import type { ServoFamily } from '../../servo/servo-family.ts';
import { lastingUrl } from '../ports.ts';
import { DEFAULT_IDS, finishing, UsageError } from '../servo-access.ts';
import {
  armToSetUp,
  buildsOf,
  enterArm,
  faultsOf,
  nameFault,
  presenceOf,
  type SetupArm,
  servoName,
  wantedRate,
} from './arm.ts';
import type { Asker } from './asker.ts';
import type { Progress, ProgressFile } from './progress.ts';
import { differences, listed, setRegisters } from './registers.ts';

/** What was answered on the command line already. */
export interface Given {
  readonly port?: string;
  readonly model?: string;
  readonly variant?: string;
  readonly name?: string;
  readonly config?: string;
}

/** What the set-up works with. */
export interface WizardParts {
  readonly asker: Asker;
  readonly progress: ProgressFile;
  ports(): Promise<readonly PortInfo[]>;
  /** Waits for a hand to unplug an adapter and plug it in again; null when none does. */
  replugged(): Promise<PortInfo | null>;
  line(bus: string, family: ServoFamily): SetupLine;
  /** Shows the udev rule of a bus, and installs it if that is wanted. */
  rule(bus: string): Promise<void>;
}

/** Where the arm is written to when nobody says otherwise. */
const CONFIG = 'my.yaml';

/**
 * Takes a person from an arm in parts to a configuration with it. What is done stays done: another run goes on from there.
 * @throws {GivenUp} when the person does not want to go on
 * @throws {PortError} for a port that cannot be used
 */
export async function wizard(parts: WizardParts, given: Given): Promise<void> {
  const { asker, progress } = parts;
  asker.tell('info', 'Sets an arm up. Nothing moves by it. Ctrl-C ends it; another run goes on from there.');
  const plan = (await resumed(parts, given)) ?? (await asked(parts, given));
  progress.write(plan);
  const arm = armToSetUp(plan.model, plan.variant);
  await parts.rule(plan.bus);
  await servos(parts, plan, arm);
  await written(parts, plan);
  progress.remove();
  asker.tell(
    'success',
    `${plan.name} is set up. Next, with nothing in its way: npm start -- calibrate --config ${plan.config} --arm ${plan.name}`,
  );
}

/** The set-up that was interrupted, if it is to go on. */
async function resumed({ asker, progress }: WizardParts, given: Given): Promise<Progress | null> {
  const last = progress.read();
  if (last === null) return null;
  const agrees = [
    [given.port, last.bus],
    [given.model, last.model],
    [given.variant, last.variant],
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
  const { bus, likely } = given.port === undefined ? await askedPort(parts) : { bus: given.port, likely: [] };
  const model = given.model ?? (await askedModel(asker, likely));
  const variant = given.variant ?? (await askedVariant(asker, model));
  const name =
    given.name ?? (await asker.text('What is the arm to be called? (also its ROS namespace)', variant, nameFault));
  const config =
    given.config ?? (await asker.text('Which configuration file is it to be written to?', CONFIG, pathFault));
  return { bus, model, variant, name, config, done: [] };
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
    return { bus, likely: port.adapter?.arms ?? [] };
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
  const rank = (name: string): number => (likely.includes(name) ? likely.indexOf(name) : likely.length);
  const models = [...armModels()].sort((a, b) => rank(a) - rank(b));
  const choices = models.map((value) => {
    const guess = likely.includes(value) ? ' (likely, by its adapter)' : '';
    return { value, label: `${loadArmModel(value).title}${guess}` };
  });
  return asker.choose('Which arm is it?', choices);
}

async function askedVariant(asker: Asker, model: string): Promise<string> {
  const builds = buildsOf(model);
  return builds.length === 1 ? BASE_VARIANT : asker.choose('Which build of it?', builds);
}

/** Until all servos of the arm answer on its bus, one each and of the right model. */
async function servos(parts: WizardParts, plan: Progress, arm: SetupArm): Promise<void> {
  const { asker } = parts;
  const line = parts.line(plan.bus, arm.family);
  while (true) {
    const found = await presenceOf(line, arm, wantedRate(plan.bus));
    const faults = faultsOf(arm, found);
    if (faults.length === 0) {
      asker.tell('success', `all ${arm.servos.length} servos of ${plan.name} answer, each with its own id`);
      await registers(parts, plan, line, arm);
      return;
    }
    asker.tell('info', `on ${plan.bus}: ${faults.join('; ')}`);
    const next = await asker.choose('What next?', [
      { value: 'single', label: 'Give the servos their ids, one servo at a time' },
      { value: 'again', label: 'Look again: all servos are connected now' },
    ]);
    if (next === 'again') continue;
    // One that answers has its id, but for the factory's, which every new servo has.
    const there = arm.servos.filter(
      ({ id, model }, place) => found[place] === 'there' && id !== model.common.id.initial,
    );
    for (const servo of arm.servos) {
      if (there.includes(servo) || plan.done.includes(servo.id)) continue;
      await single(parts, plan, line, servo);
    }
    // Whoever is missing in the end is asked for once more.
    plan.done = [];
    asker.tell('step', 'Connect all servos of the arm one behind the other, and switch the supply on.');
    await asker.choose('Is the whole arm connected?', [{ value: 'yes', label: 'Yes: look at it' }]);
  }
}

/** Shows the registers that other programs have left, and sets them if that is wanted. */
async function registers({ asker }: WizardParts, plan: Progress, line: SetupLine, arm: SetupArm): Promise<void> {
  const rate = wantedRate(plan.bus);
  const found = await differences(line, arm.servos, rate);
  if (found.length === 0) return;
  asker.tell('info', `registers that the data of the arm want otherwise:\n${listed(found)}`);
  if (!(await asker.confirm('Set them? They last without supply.', true))) return;
  try {
    const { eepromWrites } = await finishing(() => setRegisters(line, arm.servos, rate));
    asker.tell('success', `set, with ${eepromWrites} EEPROM registers written`);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ServoError || error instanceof PortError)) throw error;
    asker.tell('warn', `${error.message}. arm-bridge setup registers does it later`);
  }
}

/** Until one servo has its id and rate, or is left out. */
async function single(
  { asker, progress }: WizardParts,
  plan: Progress,
  line: SetupLine,
  servo: ExpectedServo,
): Promise<void> {
  asker.tell('step', `Connect only the servo for ${servoName(servo)} to the adapter, and switch its supply on.`);
  let reassign = false;
  while (true) {
    if (!reassign) {
      const answer = await asker.choose(`Is only the servo for ${servo.joint} connected?`, [
        { value: 'yes', label: `Yes: give it id ${servo.id}` },
        { value: 'skip', label: 'Leave it out: it has been set up' },
      ]);
      if (answer === 'skip') break;
    }
    try {
      asker.tell('info', 'looking for it, which takes some seconds if it does not answer');
      const options = { baudRate: wantedRate(plan.bus), ids: DEFAULT_IDS, reassign, whole: finishing };
      const { identity, changes } = await assign(line, servo, options);
      const done = changes.map(({ register, from, to }) => `${register} ${from} -> ${to}`).join(', ');
      const what = done === '' ? 'was set up already' : done;
      asker.tell('success', `${servoName(servo)}, firmware ${identity.firmware}: ${what}`);
      break;
    } catch (error) {
      reassign = false;
      if (!(error instanceof AssignError || error instanceof ServoError || error instanceof PortError)) throw error;
      asker.tell('error', error.message);
      const given = error instanceof AssignError && error.code === 'given';
      if (given) reassign = await asker.confirm(`Give it id ${servo.id} all the same?`, false);
    }
  }
  plan.done.push(servo.id);
  progress.write(plan);
}

/** Until the arm is in a configuration file. */
async function written({ asker, progress }: WizardParts, plan: Progress): Promise<void> {
  while (true) {
    try {
      const { name, model, variant, bus } = plan;
      asker.tell('success', await enterArm(plan.config, { name, model, variant, bus }));
      return;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      asker.tell('error', error.message);
      plan.config = await asker.text('Which file instead?', plan.config, pathFault);
      progress.write(plan);
    }
  }
}
