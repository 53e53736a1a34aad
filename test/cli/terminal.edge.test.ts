import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { PseudoTerminal } from '../../src/sim/terminal.ts';
import { ServoBox } from '../support/servo-box.ts';
import { ENTER, INTERRUPT, Typist } from '../support/typist.ts';
import { MAIN } from './support/program.ts';

/** In the order in which they are set up. */
const JOINTS = ['gripper', 'wrist_roll', 'wrist_flex', 'elbow_flex', 'shoulder_lift', 'shoulder_pan'];
/** A busy machine makes servos fall silent for a moment: then a person tries again. */
const TRIES = 6;

it.skipIf(process.platform !== 'linux')(
  'takes servos to an arm in a configuration, after an interruption too, for a person at a terminal',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-terminal-'));
    /** The set-up in a terminal, with a state folder of its own. */
    const start = () => new Typist([process.execPath, MAIN, 'setup'], { XDG_STATE_HOME: join(folder, 'state') });
    const box = new ServoBox();
    // Three are new; the others have been set up before.
    const ids = [1, 1, 4, 3, 2, 1];
    const servos = new Map(JOINTS.map((joint, i) => [joint, new Sts3215Firmware({ id: ids[i]! })]));
    let bus: EmulatedServoBus;
    const line = await PseudoTerminal.open((chunk) => bus.feed(chunk, performance.now()));
    const connect = (...joints: readonly string[]): void => {
      box.connect(...joints.map((joint) => servos.get(joint)!));
      bus = box.bus((bytes) => line.write(bytes));
    };
    connect();
    const file = join(folder, 'lab.yaml');
    writeFileSync(file, '# our lab\narms:\n  - { name: leader, bus: "sim:so101" } # on no table\n');
    let typist = start();
    const question = (joint: string): string => `◆  Is only the servo for ${joint} connected?`;
    /** Lets the servo that is connected be set up as that of a joint, until one of the next texts comes. */
    const single = async (joint: string, ...next: readonly string[]): Promise<string> => {
      await typist.until(question(joint));
      for (let tries = 0; tries < TRIES; tries++) {
        typist.type(ENTER);
        const come = await typist.until(...next, question(joint));
        if (come !== question(joint)) return come;
      }
      return expect.fail(typist.screen);
    };
    try {
      await typist.choose("Which port is the arm's?", 'Another one, by its URL');
      await typist.answer('URL of its bus', line.path);
      await typist.choose('Which arm is it?', 'SO-101');
      await typist.choose('Is it the leader', 'The follower');
      await typist.answer('What is the arm to be called?');
      await typist.until('◆  Which configuration file');
      typist.type('\x15');
      typist.type(file + ENTER);
      await typist.choose('What next?', 'Give the servos their ids');
      connect('gripper', 'wrist_roll');
      await single('gripper', 'more than one servo answers as id 1');
      connect('gripper');
      await single('gripper', question('wrist_roll'));
      typist.type(INTERRUPT);
      await typist.until('Ended. What is set up stays');
      expect(await typist.ended()).toBe(1);

      connect('wrist_flex', 'elbow_flex', 'shoulder_lift');
      typist = start();
      await typist.choose('Go on with follower (so101)', 'Yes');
      await typist.choose('What next?', 'Give the servos their ids');
      const whole = '◆  Is the whole arm connected?';
      const asked: string[] = [];
      for (let next = await typist.until(...JOINTS.map(question)); next !== whole; ) {
        const joint = JOINTS.find((name) => question(name) === next)!;
        asked.push(joint);
        connect(joint);
        const others = JOINTS.filter((name) => !asked.includes(name));
        next = await single(joint, ...others.map(question), whole);
      }
      expect(asked).toEqual(expect.arrayContaining(['wrist_roll', 'shoulder_pan']));
      expect(asked).not.toContain('gripper');
      connect(...JOINTS);
      const [again, done] = ['◆  What next?', '◆  Which arm leads follower, held by a hand?'];
      for (let tries = 0; tries < TRIES; tries++) {
        typist.type(tries === 0 ? ENTER : `\x1b[B${ENTER}`);
        if ((await typist.until(done, again)) === done) break;
      }
      await typist.choose('Which arm leads follower, held by a hand?', 'leader');
      await typist.choose('Set the leader up now too?', 'No');
      await typist.choose('Calibrate follower now?', 'No');
      await typist.until(`calibrate --config ${file} --arm follower`);
      expect(await typist.ended()).toBe(0);
      for (const servo of servos.values()) servo.powerCycle();
      expect([...servos.values()].map((servo) => servo.value('id'))).toEqual([6, 5, 4, 3, 2, 1]);
      expect(readFileSync(file, 'utf8')).toMatch(/^# our lab\n.*\n.*# on no table\n/);
      const { arms, pairs } = loadConfig(file);
      expect(arms).toMatchObject([
        { name: 'leader', bus: 'sim:so101' },
        { name: 'follower', id: 1, model: 'so101', bus: `serial:${line.path}` },
      ]);
      expect(pairs).toMatchObject([{ leader: 'leader', follower: 'follower' }]);
    } finally {
      await typist.close();
      await line.close();
      rmSync(folder, { recursive: true });
    }
  },
);
