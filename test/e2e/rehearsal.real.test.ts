import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { MAIN } from '../cli/support/program.ts';
import { favour } from '../support/favour.ts';
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
    favour(this.#child.pid);
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
      const giveUp = async (): Promise<false> => {
        typist.type(INTERRUPT);
        await typist.until(...lost);
        return false;
      };
      const step = async (wanted: string): Promise<boolean> => {
        const come = await typist.until(wanted, 'Not yet: ', ...lost);
        return come === 'Not yet: ' ? giveUp() : come === wanted;
      };
      if (!(await step('Step 1 of 5'))) return false;
      await kits.hand(`middle ${role}`);
      typist.type(ENTER);
      if (!(await step('Step 2 of 5'))) return false;
      for (let tries = 0; tries < TRIES; tries++) {
        await kits.hand(`ends ${role}`);
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
        const holds = 'The arm holds: take your hands off it.';
        if (come !== seen && (await typist.until(holds, 'Step 0 of 5', 'Step 1 of 5')) !== holds) return giveUp();
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
      const going = async (): Promise<boolean> => !ended.some((text) => typist.news.includes(text));
      if (!(await together(going, { shoulder_pan: 20, wrist_flex: -15 }))) return false;
      typist.type(ENTER);
      return (await typist.until('leader leads follower.', ...ended)) === 'leader leads follower.';
    };
    /**
     * Leads joints of the leader, and waits for those of the follower.
     * @param going whether it still follows: a bridge that its computer keeps from working for too long lets its arms hold
     * @returns whether all of them came
     */
    const together = async (going: () => Promise<boolean>, led: Readonly<Record<string, number>>): Promise<boolean> => {
      for (const [joint, angle] of Object.entries(led)) {
        await kits.hand(`lead leader ${joint} ${angle}`);
        let [near, over] = [false, false];
        const settled = async (): Promise<boolean> => {
          over = !(await going());
          near = Math.abs((await kits.where('follower', joint)) - angle) < NEAR;
          return near || over;
        };
        await expect.poll(settled, PATIENCE).toBe(true);
        if (!near) return false;
      }
      return true;
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
      expect(typist!.screen).toMatch(
        /the[\s│]+gripper[\s│]+\(STS3215,[\s│]+the[\s│]+one[\s│]+with[\s│]+C046,[\s│]+gear[\s│]+1\/147\)/,
      );
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
      const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
      // It is asked again when its computer was too busy; otherwise it says that it mirrors already.
      const mirroring = async (): Promise<boolean> => (await bridge!.post('/move/leader/start', pair)).status < 500;
      expect(await together(mirroring, { shoulder_pan: -25, gripper: 40 })).toBe(true);
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
