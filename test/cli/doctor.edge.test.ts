import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockFindings, nodeFinding, priorityFinding } from '../../src/cli/doctor/machine.ts';
import { arm, type Served, serve } from './support/program.ts';

interface Finding {
  readonly subject: string;
  readonly level: string;
  readonly text: string;
  readonly advice: string | null;
}

/** Emulated servos of a busy machine may be too late for an answer: it is asked again. */
const PATIENT = { timeout: 120_000, interval: 100 };

describe.skipIf(process.platform !== 'linux')('arm-bridge doctor', () => {
  let folder: string;
  let file: string;
  const served: Served[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'arm-bridge-doctor-'));
    file = join(folder, 'bridge.json');
    const faults = [[], ['--fault', 'dead=4', '--fault', 'dead=5'], ['--fault', 'voltage=3.5']];
    served.push(...(await Promise.all(faults.map((fault) => serve(...fault)))));
  });
  afterAll(async () => {
    await Promise.all(served.map((arm) => arm.end()));
    rmSync(folder, { recursive: true });
  });

  it('finds the servos of each arm, and tells what is wrong and what to do; writes nothing to them', async () => {
    const [whole, broken, weak] = served.map(({ url }) => url);
    const absent = 'serial:/dev/arm-bridge-none';
    const arms = Object.entries({ whole, broken, weak, absent }).map(([name, bus]) => ({ name, bus }));
    writeFileSync(file, JSON.stringify({ ros: { enabled: false }, calibration_folder: folder, arms }));
    const pan = { id: 1, sign: 1, zero: 2048, homing_offset: 1500, range_min: 800, range_max: 3200 };
    const calibration = { version: 1, model: 'so101', variant: 'follower', written: '2026-02-03T04:05:06Z' };
    writeFileSync(
      join(folder, 'weak.json'),
      JSON.stringify({ ...calibration, arm: 'weak', joints: { shoulder_pan: pan } }),
    );
    const shifted = ['--port', weak!, '--id', '1', 'homing_offset=2000'];
    await expect.poll(async () => (await arm('registers', 'write', ...shifted)).code, PATIENT).toBe(0);
    const delay = ['registers', 'read', '--port', whole!, '--id', '1', '--json', 'return_delay'];
    const before = await arm(...delay);

    let findings: Finding[] = [];
    const of = (name: string): Finding[] => findings.filter(({ subject }) => subject === `arm ${name}`);
    const silent = async (): Promise<boolean> => {
      const { code, output } = await arm('doctor', '--config', file, '--json');
      expect(code).toBe(1);
      findings = JSON.parse(output).findings;
      const living = [...of('whole'), ...of('weak')];
      return (
        living.some(({ text }) => /did not answer|no answer|none of the/.test(text)) ||
        of('broken').some(({ text }) => /servo [1236] /.test(text))
      );
    };
    await expect.poll(silent, PATIENT).toBe(false);
    for (const { level, advice } of findings) expect(advice === null).toBe(level === 'ok');
    for (const subject of ['node', 'ros', 'clock', 'priority']) {
      expect(findings.find((finding) => finding.subject === subject)?.level, subject).toMatch(/ok|note/);
    }
    expect(of('whole')).toMatchObject([
      {
        level: 'ok',
        text: expect.stringMatching(
          /: 6 servos answer \(STS3215 3\.10\), 7\.4 V, [\d to]+ degC, homing offsets 0, 0, 0, 0, 0, 0, not calibrated here$/,
        ),
      },
    ]);
    expect(of('broken')).toMatchObject([
      {
        level: 'fault',
        text:
          'no answer from servo 4 (wrist_flex), servo 5 (wrist_roll): check the cable into servo 4 (wrist_flex), ' +
          'the first missing one',
        advice: expect.stringContaining('arm-bridge scan'),
      },
    ]);
    expect(of('weak').find(({ text }) => text.includes(' V and '))).toMatchObject({
      level: 'fault',
      text: 'servo 1 (shoulder_pan) has 3.5 V and allows 4.0 to 8.0 V',
      advice: expect.stringContaining('power supply'),
    });
    expect(of('weak').filter(({ text }) => text.startsWith('calibration'))).toMatchObject([
      {
        level: 'fault',
        text: 'calibration: servo 1 (shoulder_pan) has homing offset 2000, and its calibration of 2026-02-03T04:05:06Z has 1500',
      },
      {
        level: 'fault',
        text: expect.stringMatching(
          /shoulder_pan would stand at -3\.\d+ rad, outside its limits of -1\.92 to 1\.92 rad/,
        ),
      },
    ]);
    expect(of('absent')).toMatchObject([
      { level: 'fault', text: expect.stringContaining('there is no /dev/arm-bridge-none') },
    ]);
    expect((await arm(...delay)).output).toBe(before.output);
  });

  it('shows what other programs have left in registers, which setup clears', async () => {
    const { url } = served[0]!;
    writeFileSync(
      file,
      JSON.stringify({ ros: { enabled: false }, calibration_folder: folder, arms: [{ name: 'whole', bus: url }] }),
    );
    const left = ['--port', url, '--id', '2', '--unsafe', 'min_position=1000', 'max_position=3000', 'goal_speed=300'];
    await expect.poll(async () => (await arm('registers', 'write', ...left)).code, PATIENT).toBe(0);
    const seen = async (): Promise<Finding[]> => {
      const findings: Finding[] = JSON.parse((await arm('doctor', '--config', file, '--json')).output).findings;
      return findings.filter(
        ({ subject, text }) => subject === 'arm whole' && /position|goal_speed|registers/.test(text),
      );
    };
    const advice = `arm-bridge setup registers --port '${url}' --model so101`;
    await expect.poll(seen, PATIENT).toMatchObject([
      {
        level: 'note',
        text: expect.stringMatching(/^servo 2 \(shoulder_lift\): min_position is 1000 instead of 0: /),
        advice,
      },
      {
        level: 'note',
        text: expect.stringMatching(/^servo 2 \(shoulder_lift\): max_position is 3000 instead of 4095: /),
        advice,
      },
      { level: 'ok', text: 'registers: goal_speed 300 (0 is wanted, and set on connecting) of servo 2', advice: null },
    ]);
    const registers = (...more: string[]) => arm('setup', 'registers', '--port', url, '--model', 'so101', ...more);
    await expect
      .poll(async () => (await registers('--dry-run')).output, PATIENT)
      .toMatch(
        /^ {2}shoulder_lift \(id 2, STS3215\): goal_speed 300, wanted 0; min_position 1000, wanted 0; max_position 3000/m,
      );
    const holding = ['--port', url, '--id', '3', '--unsafe'];
    await expect
      .poll(async () => (await arm('registers', 'write', ...holding, 'torque_enable=1')).code, PATIENT)
      .toBe(0);
    await expect
      .poll(async () => (await registers()).errors, PATIENT)
      .toContain('elbow_flex (id 3, STS3215) holds torque, and nothing is written');
    await expect
      .poll(async () => (await arm('registers', 'write', ...holding, 'torque_enable=0')).code, PATIENT)
      .toBe(0);
    await expect
      .poll(async () => (await registers()).output, PATIENT)
      .toMatch(
        /shoulder_lift \(id 2, STS3215\): min_position 1000 -> 0, max_position 3000 -> 4095, goal_speed 300 -> 0[\s\S]*2 EEPROM registers written/,
      );
    await expect.poll(async () => (await registers()).output, PATIENT).toBe('all registers are as wanted\n');
    await expect.poll(seen, PATIENT).toEqual([]);
  });

  it('goes on with the machine when the configuration cannot be read, what to do below each finding', async () => {
    writeFileSync(file, JSON.stringify({ arms: [{ name: 'one', bus: 'usb:1' }] }));
    const { code, output } = await arm('doctor', '--config', file);
    expect(code).toBe(1);
    expect(output).toMatch(/^fault +configuration +.*\n[\s\S]*^ +-> correct .*bridge\.json/m);
    expect(output).toMatch(/^(ok|note) +clock /m);
  });
});

it('a Node that is too old, a clock from before this program and a priority that cannot be had are told with what to do', () => {
  expect(nodeFinding('18.19.0')).toMatchObject({ level: 'fault', advice: expect.stringContaining('20.20.2') });
  expect(nodeFinding('24.1.0').level).toBe('ok');
  expect(clockFindings(new Date('2001-01-01'))[0]).toMatchObject({
    level: 'fault',
    advice: expect.stringContaining('set-ntp'),
  });
  // No system has this one.
  expect(priorityFinding(1000)).toMatchObject({ level: 'fault', text: 'control.priority 1000 cannot be had' });
});
