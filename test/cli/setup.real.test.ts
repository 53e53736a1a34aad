import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asker, GivenUp } from '../../src/cli/setup/asker.ts';
import { ProgressFile } from '../../src/cli/setup/progress.ts';
import { type Given, type WizardParts, wizard } from '../../src/cli/setup/wizard.ts';
import { giveFullSpeed } from '../../src/config/edit.ts';
import { DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';
import { XL330_M288 } from '../../src/servo/dynamixel/x-series.ts';
import { DynamixelFirmware } from '../../src/sim/dynamixel-firmware.ts';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { PseudoTerminal } from '../../src/sim/terminal.ts';
import { favour } from '../support/favour.ts';
import { type Firmware, ServoBox } from '../support/servo-box.ts';
import { registersByMaker, WITNESS_PYTHON } from '../support/witness.ts';
import { arm } from './support/program.ts';

/** Emulated servos of a busy machine may be too late for an answer: the command is given again, as people do. */
const PATIENT = { timeout: 60_000, interval: 100 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-setup-'));
  favour();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform !== 'linux')('arm-bridge setup without a terminal', () => {
  const box = new ServoBox();
  let bus: EmulatedServoBus;
  let line: PseudoTerminal;
  let url: string;
  const connect = (...servos: readonly Firmware[]): void => {
    box.connect(...servos);
    bus = box.bus((bytes) => line.write(bytes));
  };
  beforeAll(async () => {
    line = await PseudoTerminal.open((chunk) => bus.feed(chunk, performance.now()));
    url = `serial:${line.path}`;
  });
  afterAll(() => line.close());

  const servo = (model: string, joint: string, ...more: string[]) =>
    arm('setup', 'servo', '--port', url, '--model', model, '--for', joint, '--ids', '0-6', ...more);
  const entry = (...more: string[]) => arm('setup', 'arm', '--port', url, '--model', 'so101', ...more);

  it.skipIf(!WITNESS_PYTHON)(
    'gives a servo its id and rate, as its maker reads them, and then finds it set up',
    async () => {
      const cases = [
        { model: 'so101', family: 'feetech', fresh: new Sts3215Firmware({ id: 1 }), at: ['6:5:1', '6:6:1', '6:55:1'] },
        {
          model: 'koch',
          family: 'dynamixel',
          fresh: new DynamixelFirmware({ model: XL330_M288, id: 1 }),
          at: ['6:7:1', '6:8:1'],
        },
      ] as const;
      for (const { model, family, fresh, at } of cases) {
        connect(fresh);
        await expect.poll(async () => (await servo(model, 'gripper')).code, PATIENT).toBe(0);
        expect(await registersByMaker(family, line.path, ...at)).toEqual(family === 'feetech' ? [6, 0, 1] : [6, 3]);
        await expect
          .poll(async () => (await servo(model, '6', '--json')).output, PATIENT)
          .toMatch(/"joint": "gripper"[\s\S]*"foundAs": 6[\s\S]*"changes": \[\]/);
      }
    },
  );

  it('refuses two servos, servos that it does not know of and joints that the arm has not, and says what to do', async () => {
    connect(new Sts3215Firmware({ id: 1 }), new Sts3215Firmware({ id: 2 }));
    await expect
      .poll(() => servo('so101', 'gripper'), PATIENT)
      .toMatchObject({ code: 1, errors: expect.stringContaining('connect only the one that is to get id 6') });
    const other = await servo('so101', 'tail');
    expect([other.code, other.errors]).toEqual([
      2,
      expect.stringContaining('it has gripper (id 6, STS3215), wrist_roll'),
    ]);
    const twins = await servo('wx250s', 'shoulder');
    expect([twins.code, twins.errors]).toEqual([2, expect.stringContaining('name one by its id, 3 or 2')]);
    const none = await servo('so99', 'gripper');
    expect([none.code, none.errors]).toEqual([2, expect.stringContaining('there is no arm model "so99"')]);
  });

  it('writes an arm whose servos all answer into a configuration, and one with missing servos not', async () => {
    const file = join(folder, 'bridge.yaml');
    const text = '# ours\narms:\n  - { name: leader, bus: "sim:so101" }\n';
    writeFileSync(file, text);
    const servos = [1, 2, 3, 4, 5, 6].map((id) => new Sts3215Firmware({ id }));
    connect(...servos.slice(0, 5));
    await expect
      .poll(() => entry('--name', 'follower', '--config', file), PATIENT)
      .toMatchObject({ code: 1, errors: expect.stringContaining('no answer from gripper (id 6, STS3215): check') });
    expect(readFileSync(file, 'utf8')).toBe(text);
    connect(...servos);
    await expect.poll(async () => (await entry('--name', 'follower', '--config', file)).code, PATIENT).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('# ours');
    expect(loadConfig(file).arms).toMatchObject([{ name: 'leader' }, { name: 'follower', model: 'so101', bus: url }]);
    // A new pair is slow until it has been tried; one that has been keeps its speed.
    const paired = async (): Promise<number | null | undefined> => {
      const more = ['--name', 'follower', '--config', file, '--role', 'follower', '--pair', 'leader'];
      await expect.poll(async () => (await entry(...more)).code, PATIENT).toBe(0);
      return loadConfig(file).pairs[0]?.velocity;
    };
    expect(await paired()).toBe(0.4);
    giveFullSpeed(file, { leader: 'leader', follower: 'follower' });
    expect(await paired()).toBeNull();
  });

  it('says what each step needs', async () => {
    const asking = await arm('setup');
    expect([asking.code, asking.errors]).toEqual([2, expect.stringContaining('without a terminal')]);
    const name = await entry('--name', 'My arm', '--config', join(folder, 'x.yaml'));
    expect([name.code, name.errors]).toEqual([2, expect.stringContaining('a ROS name')]);
    const rule = await arm('setup', 'rule', '--port', url);
    expect([rule.code, rule.errors]).toEqual([2, expect.stringContaining('is no USB adapter')]);
    const port = await arm('setup', 'port', '--time', '0.1');
    expect([port.code, port.errors]).toEqual([1, expect.stringContaining('no port came and went within 0.1 s')]);
  });
});

/** A person who answers as a list says; a function may connect servos first. Gives up at its end. */
class Script implements Asker {
  readonly questions: string[] = [];
  readonly told: string[] = [];
  readonly #answers: (string | boolean | ((question: string) => string | boolean))[];

  constructor(...answers: (string | boolean | ((question: string) => string | boolean))[]) {
    this.#answers = answers;
  }

  #next(question: string): string | boolean {
    this.questions.push(question);
    const answer = this.#answers.shift();
    if (answer === undefined) throw new GivenUp();
    return typeof answer === 'function' ? answer(question) : answer;
  }

  async choose(question: string, choices: readonly { readonly value: string }[]): Promise<string> {
    const answer = this.#next(question);
    expect(choices.map(({ value }) => value)).toContain(answer);
    return String(answer);
  }
  async text(question: string, initial: string, fault: (answer: string) => string | undefined): Promise<string> {
    const answer = String(this.#next(question));
    expect(fault(answer)).toBeUndefined();
    return answer === '' ? initial : answer;
  }
  async confirm(question: string): Promise<boolean> {
    return this.#next(question) === true;
  }
  tell(_level: string, message: string): void {
    this.told.push(message);
  }
}

describe('arm-bridge setup in a terminal', () => {
  const JOINTS = ['gripper', 'wrist_roll', 'wrist_flex', 'elbow_flex', 'shoulder_lift', 'shoulder_pan'];

  it('takes an SO-101 from servos in a box to a configuration, and goes on where it was interrupted', async () => {
    const box = new ServoBox();
    const servos = new Map(JOINTS.map((joint) => [joint, new Sts3215Firmware({ id: 1 })]));
    const config = join(folder, 'wizard.yaml');
    const progress = new ProgressFile(join(folder, 'state', 'setup.json'));
    const rules: string[] = [];
    const calibrated: string[] = [];
    const tried: string[] = [];
    const run = (asker: Script, given: Given = {}): Promise<void> => {
      const parts: WizardParts = {
        asker,
        progress,
        ports: async () => [],
        replugged: async () => null,
        line: (_, family) => box.line(family),
        rule: async (bus) => void rules.push(bus),
        calibration: (_, name) => (name === 'follower' && !calibrated.includes(name) ? 'missing' : 'there'),
        calibrate: async (_, name) => {
          calibrated.push(name);
          return name !== 'held';
        },
        tryPair: async (_, name) => {
          tried.push(name);
          return true;
        },
      };
      return wizard(parts, given);
    };
    /** Connects the servo that is asked for. */
    const one = (question: string): string => {
      const joint = JOINTS.find((name) => question.includes(name))!;
      box.connect(servos.get(joint)!);
      return 'yes';
    };
    const all = (): string => {
      box.connect(...servos.values());
      return 'yes';
    };

    // Nobody unplugs anything; the port is named instead. A servo that has an id already is asked about.
    const first = new Script(
      'replug',
      'other',
      'serial:/dev/arm-bridge-none',
      'so101',
      'follower',
      'follower',
      config,
      'single',
      one,
      () => {
        box.connect(servos.get('gripper')!);
        return 'yes';
      },
      false,
      one,
    );
    await expect(run(first)).rejects.toThrow(GivenUp);
    expect(first.told).toContainEqual(expect.stringContaining('no port came and went'));
    expect(first.told).toContainEqual(expect.stringContaining('the servo has id 6, which somebody has given it'));
    expect(first.questions.at(-1)).toContain('wrist_flex');
    expect(progress.read()).toMatchObject({ name: 'follower', config, done: [6, 5] });

    // The bus is given on the command line, as in the first run; no servo is connected.
    box.connect();
    const second = new Script(true, 'single', one, one, one, one, all, false, false);
    await run(second, { port: 'serial:/dev/arm-bridge-none' });
    expect(second.questions[0]).toContain(
      'Go on with follower (so101) on serial:/dev/arm-bridge-none, of which 2 servos',
    );
    expect(second.questions.slice(2, 6).map((text) => JOINTS.find((joint) => text.includes(joint)))).toEqual(
      JOINTS.slice(2),
    );
    expect(second.questions.slice(-2)).toEqual([
      expect.stringContaining('Set the leader up now too?'),
      expect.stringContaining('Calibrate follower now?'),
    ]);
    expect(second.told.at(-1)).toContain(`calibrate --config ${config} --arm follower`);
    for (const servo of servos.values()) servo.powerCycle();
    expect([...servos.values()].map((servo) => servo.value('id'))).toEqual([6, 5, 4, 3, 2, 1]);
    expect(loadConfig(config).arms).toMatchObject([
      { name: 'follower', id: 1, model: 'so101', variant: 'follower', bus: 'serial:/dev/arm-bridge-none' },
    ]);
    expect([progress.read(), rules.length]).toEqual([null, 2]);

    // An arm whose servos have their ids needs no more than its answers. The port of another one is not taken for its own.
    const third = new Script('so101', 'leader', 'held', config, 'other', 'tcp://localhost:1', 'follower', true, true);
    await run(third, { port: 'serial:/dev/arm-bridge-none' });
    expect(third.questions.at(6)).toContain('Which arm follows held?');
    expect(third.told).toContainEqual(expect.stringContaining('is the port of follower'));
    const { arms, pairs } = loadConfig(config);
    expect([arms[1], pairs]).toMatchObject([
      { name: 'held', id: 0, variant: 'leader', bus: 'tcp://localhost:1' },
      // Slow until somebody has seen it go the right way: nobody has yet.
      [{ leader: 'held', follower: 'follower', velocity: 0.4 }],
    ]);
    // A calibration that was not done is named, and nobody follows.
    expect([calibrated, tried]).toEqual([['held', 'follower'], []]);
    expect(third.told.at(-1)).toMatch(
      /calibrate --config .* --arm held\n.*setup try --config .* --follower follower\n/,
    );

    // Both arms in one run, the follower first, up to their first teleoperation. The leader cannot have its name.
    const file = join(folder, 'both.yaml');
    const both = new Script(
      ...['other', 'tcp://localhost:2', 'so101', 'follower', 'follower', file, true],
      ...['other', 'tcp://localhost:3', 'so101', 'follower', 'first', 'follower', true, true, true],
    );
    await run(both);
    expect(both.told).toContainEqual(
      expect.stringContaining('has an arm follower at tcp://localhost:2: give this one'),
    );
    expect(loadConfig(file).arms).toMatchObject([
      { name: 'follower', id: 1, variant: 'follower' },
      { name: 'first', id: 0, variant: 'leader' },
    ]);
    expect([calibrated, tried]).toEqual([['held', 'follower', 'follower', 'first'], ['follower']]);

    // The pair of a copy of the default configuration counts once both its arms are real.
    const copy = join(folder, 'copy.yaml');
    copyFileSync(DEFAULT_CONFIG_FILE, copy);
    const alone = new Script('other', 'tcp://localhost:4', 'so101', 'follower', 'follower', copy, false, true);
    await run(alone);
    expect(alone.questions.slice(-2)).toEqual([
      expect.stringContaining('Set the leader up now too?'),
      expect.stringContaining('Calibrate follower now?'),
    ]);
    expect([tried, alone.told.at(-1)]).toEqual([['follower'], expect.not.stringContaining('setup try')]);
    expect(loadConfig(copy).pairs).toMatchObject([{ follower: 'follower', velocity: 0.4 }]);
    await run(new Script('other', 'tcp://localhost:5', 'so101', 'leader', 'leader', copy, true, true));
    expect(tried).toEqual(['follower', 'follower']);
  });

  it('says to which supply the servos of a Koch are connected, alone and together', async () => {
    const box = new ServoBox();
    const asker = new Script('single', 'skip', 'skip', 'skip', 'skip', 'skip', 'skip', 'yes');
    const parts: WizardParts = {
      asker,
      progress: new ProgressFile(join(folder, 'koch', 'setup.json')),
      ports: async () => [],
      replugged: async () => null,
      line: (_, family) => box.line(family),
      rule: async () => {},
      calibration: () => 'missing',
      calibrate: async () => false,
      tryPair: async () => false,
    };
    const port = 'serial:/dev/arm-bridge-none';
    const given: Given = { port, model: 'koch', role: 'follower', name: 'koch', config: join(folder, 'koch.yaml') };
    await expect(wizard(parts, given)).rejects.toThrow(GivenUp);
    const steps = asker.told.filter((text) => text.startsWith('Connect'));
    expect(steps.map((text) => /switch .*/.exec(text)?.[0])).toEqual([
      ...Array(4).fill('switch its 5 V supply on, not 12 V.'),
      ...Array(2).fill('switch its 12 V supply on, not 5 V.'),
      'switch the 12 V supply on.',
    ]);
    expect(steps.at(-1)).toContain('with the step-down converter from 12 V to 5 V before the servos XL330-M288');
  });
});
