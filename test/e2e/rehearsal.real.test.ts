import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { MAIN } from '../cli/support/program.ts';
import { ENTER, INTERRUPT, Typist } from '../support/typist.ts';
import { BridgeProcess } from './support/bridge.ts';

const JOINTS = ['gripper', 'wrist_roll', 'wrist_flex', 'elbow_flex', 'shoulder_lift', 'shoulder_pan'];
type Role = 'leader' | 'follower';
/** A busy machine makes servos fall silent for a moment, and joints late: then a person tries again. */
const TRIES = 12;
const PATIENCE = { timeout: 60_000, interval: 50 };
/** Two arms agree where they are apart by less, degrees: their calibrations by hand differ by what a hand does. */
const NEAR = 4;

/** The kits of a leader and a follower, and the hand that builds them. */
class Kits {
  readonly #child: ChildProcess;
  #told = '';

  constructor(pty: string) {
    this.#child = spawn(process.execPath, [MAIN, 'simulate', '--factory-new', '--pty', pty], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#told += text;
    });
  }

  async served(): Promise<void> {
    await expect.poll(() => this.#told, PATIENCE).toContain('Type what your hand is to do');
  }

  /** Lets the hand do something. @returns what it says when it has */
  async hand(line: string): Promise<string> {
    const before = this.#told.length;
    const said = (): string | undefined => this.#told.slice(before).split(`${line}: `)[1]?.split('\n')[0];
    this.#child.stdin!.write(`${line}\n`);
    await expect.poll(said, PATIENCE).toBeDefined();
    return said()!;
  }

  /** Where a joint of an arm really is, degrees. */
  async where(role: Role, joint: string): Promise<number> {
    return Number(new RegExp(`${joint} (-?[\\d.]+)`).exec(await this.hand(`where ${role}`))?.[1]);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
  }
}

it.skipIf(process.platform !== 'linux')(
  'two kits from the shop are set up at a terminal, the follower first, up to a leader that leads and a bridge that mirrors',
  { timeout: 600_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-rehearsal-'));
    const state = { XDG_STATE_HOME: join(folder, 'state') };
    const kits = new Kits(join(folder, 'kit'));
    const config = join(folder, 'my.yaml');
    writeFileSync(config, 'control: { rate: 50 } # two arms and all of us on one computer\n');
    let typist: Typist;
    const run = (...args: string[]): void => {
      typist = new Typist([process.execPath, MAIN, ...args], state);
    };
    const calibrated = (role: Role): boolean =>
      existsSync(join(folder, 'state', 'arm-bridge', 'calibration', `${role}.json`));

    /** One arm, from its servos to the configuration. @returns the first question after that */
    const setUp = async (role: Role, ...after: readonly string[]): Promise<string> => {
      const single = (joint: string): string => `◆  Is only the servo for ${joint} connected?`;
      const [again, whole] = ['◆  What next?', '◆  Is the whole arm connected?'];
      let next = await typist.until(again);
      for (let tries = 0; tries < TRIES && !after.includes(next); tries++) {
        // Once the ids are given, a servo that was not heard is looked for again.
        typist.type(tries === 0 ? ENTER : `\x1b[B${ENTER}`);
        next = await typist.until(whole, ...JOINTS.map(single), again, ...after);
        while (next !== again && !after.includes(next)) {
          const joint = JOINTS.find((name) => single(name) === next);
          await kits.hand(`plug ${role} ${joint ?? 'all'}`);
          typist.type(ENTER);
          next = await typist.until(...after, again, whole, ...JOINTS.map(single));
        }
      }
      return next;
    };

    /** A person leads an arm through its calibration, which has just begun. @returns whether it was kept */
    const calibrate = async (role: Role): Promise<boolean> => {
      const lost = ['arm-bridge calibrate: ', 'Ended: take hold'];
      const step = async (...texts: readonly string[]): Promise<boolean> =>
        texts.includes(await typist.until(...texts, ...lost));
      if (!(await step('Step 1 of 5'))) return false;
      await kits.hand(`middle ${role}`);
      typist.type(ENTER);
      if (!(await step('Step 2 of 5'))) return false;
      for (let tries = 0; tries < TRIES; tries++) {
        expect(await kits.hand(`ends ${role}`)).toBe('done');
        if (typist.news.split('joint ').at(-1)!.match(/ok/g)?.length === JOINTS.length) break;
      }
      typist.type(ENTER);
      if (!(await step('Step 3 of 5'))) return false;
      typist.type(ENTER);
      if (!(await step('Step 4 of 5'))) return false;
      await kits.hand(`let go ${role}`);
      const seen = '◆  Did every joint go the way that was said?';
      for (let come = '', tries = 0; come !== seen; tries++) {
        typist.type(tries < TRIES ? ENTER : INTERRUPT);
        come = await typist.until(seen, 'Not yet: ', ...lost);
        if (lost.includes(come)) return false;
        if (come !== seen) await typist.until('The arm holds: take your hands off it.');
      }
      await kits.hand(`middle ${role}`);
      await typist.choose(seen.replace('◆  ', ''), 'Yes: keep the calibration');
      const kept = await step(`${role} is calibrated and limp`);
      await kits.hand(`let go ${role}`);
      return kept;
    };

    /** The first teleoperation, which is asked about. @returns whether it went well */
    const follow = async (): Promise<boolean> => {
      const clear = '◆  Is the way clear?';
      const lost = 'arm-bridge setup try: ';
      if ((await typist.until(clear, lost)) === lost) return false;
      await kits.hand('middle leader');
      typist.type(ENTER);
      const question = '◆  Lead leader slowly';
      const ended = ['It has ended: ', 'Keep clear of follower'];
      if ((await typist.until(question, ...ended)) !== question) return false;
      await together('shoulder_pan', 20, 'wrist_flex', -15);
      typist.type(ENTER);
      return (await typist.until('leader leads follower.', ...ended)) === 'leader leads follower.';
    };
    /** Leads joints of the leader, and waits for those of the follower. */
    const together = async (...led: readonly (string | number)[]): Promise<void> => {
      for (let i = 0; i < led.length; i += 2) {
        const [joint, angle] = [String(led[i]), Number(led[i + 1])];
        await kits.hand(`lead leader ${joint} ${angle}`);
        await expect
          .poll(async () => Math.abs((await kits.where('follower', joint)) - angle), PATIENCE)
          .toBeLessThan(NEAR);
      }
    };

    let bridge: BridgeProcess | null = null;
    try {
      await kits.served();
      run('setup');
      for (const role of ['follower', 'leader'] as const) {
        await typist!.choose("Which port is the arm's?", 'Another one, by its URL');
        await typist!.answer('URL of its bus', join(folder, `kit-${role}`));
        await typist!.choose('Which arm is it?', 'SO-101');
        // The other arm of a pair is the other one.
        if (role === 'follower') await typist!.choose('Is it the leader', 'The follower');
        await typist!.answer('What is the arm to be called?');
        if (role === 'follower') {
          await typist!.until('◆  Which configuration file');
          typist!.type('\x15');
          typist!.type(config + ENTER);
          await setUp(role, '◆  Set the leader up now too?');
          typist!.type(ENTER);
        } else {
          await setUp(role, '◆  Which arm follows leader?');
          await typist!.choose('Which arm follows leader?', 'follower');
        }
      }
      // The gears of a leader are no matter of its registers: a person is told which motor goes where.
      expect(typist!.screen).toMatch(/servo for\s+gripper \(id 6, STS3215\): the one with C046, gear\s+1\/147/);
      for (const role of ['follower', 'leader'] as const) {
        await typist!.until(`◆  Calibrate ${role} now?`);
        typist!.type(ENTER);
        await calibrate(role);
      }
      const [first, next] = ['◆  Let follower follow for the first time, slowly?', 'Next: '];
      let tried = false;
      if ((await typist!.until(first, next)) === first) {
        typist!.type(ENTER);
        tried = await follow();
      }
      await typist!.until(next);
      expect(await typist!.ended()).toBe(0);

      // What a busy machine has prevented is done by the commands that were named.
      for (const role of ['follower', 'leader'] as const) {
        for (let tries = 0; tries < TRIES && !calibrated(role); tries++) {
          await typist!.close();
          for (const what of ['nothing', 'all']) await kits.hand(`plug ${role} ${what}`);
          run('calibrate', '--config', config, '--arm', role);
          await calibrate(role);
          await typist!.ended();
        }
      }
      for (let tries = 0; tries < TRIES && !tried; tries++) {
        await typist!.close();
        run('setup', 'try', '--config', config);
        tried = await follow();
        await typist!.ended();
      }
      expect(tried, typist!.screen).toBe(true);

      const { arms, pairs } = loadConfig(config);
      expect(readFileSync(config, 'utf8')).toMatch(/^control: \{ rate: 50 \} # two arms/);
      expect(arms).toMatchObject([
        { name: 'follower', id: 1, model: 'so101', variant: 'follower', bus: `serial:${folder}/kit-follower` },
        { name: 'leader', id: 0, model: 'so101', variant: 'leader', bus: `serial:${folder}/kit-leader` },
      ]);
      expect(pairs).toMatchObject([{ leader: 'leader', follower: 'follower' }]);

      bridge = await BridgeProcess.startWith(state, '--config', config, '--no-ros');
      await kits.hand('middle leader');
      const mirroring = async (): Promise<unknown> => {
        await bridge!.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
        return (await bridge!.get('/status')).body.leader_follower_status;
      };
      await expect.poll(mirroring, PATIENCE).toBe(true);
      await together('shoulder_pan', -25, 'gripper', 40);
    } catch (error) {
      // What the person saw says more than the failed wait.
      console.error(typist!.screen.slice(-3000));
      throw error;
    } finally {
      await typist!.close();
      await bridge?.end();
      await kits.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
