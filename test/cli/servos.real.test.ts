import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { makePort } from '../../src/servo/port/make.ts';
import { arm, MAIN, type Run, type Served, serve } from './support/program.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Asked again for so long: on a busy machine the program that plays the servos answers late. */
const BUSY = { timeout: 60_000, interval: 0 };

/** A served SO-101. */
let served: Served;
let url: string;
beforeAll(async () => {
  served = await serve();
  url = served.url;
});
afterAll(() => served.end());

async function registers(id: number, ...names: string[]): Promise<Record<string, number>> {
  const { output } = await arm('registers', 'read', '--port', url, '--id', String(id), '--json', ...names);
  const { registers: rows }: { registers: { register: string; counts: number }[] } = JSON.parse(output);
  return Object.fromEntries(rows.map(({ register, counts }) => [register, counts]));
}

function write(id: number, ...texts: string[]): Promise<Run> {
  return arm('registers', 'write', '--port', url, '--id', String(id), ...texts);
}

describe.skipIf(process.platform !== 'linux')('arm-bridge scan', () => {
  it('lists each servo of a port once, with what it says of itself; progress does not disturb the output', async () => {
    let run: Run;
    const scanned = async (...args: string[]): Promise<string> => {
      run = await arm('scan', '--port', url, ...args);
      return run.output;
    };
    const found = async () => JSON.parse(await scanned('--ids', '0-7', '--json')).ports[0]?.servos;
    const ids = async () => (await found())?.map((servo: { id: number }) => servo.id);
    await expect.poll(ids, BUSY).toEqual([1, 2, 3, 4, 5, 6]);
    const { code, output, errors } = run!;
    expect(code).toBe(0);
    const { ports } = JSON.parse(output);
    expect(ports).toHaveLength(1);
    expect(ports[0]).toMatchObject({ bus: url, error: null, unclear: [] });
    for (const servo of ports[0].servos) {
      expect(servo).toMatchObject({
        family: 'feetech',
        baudRate: 1_000_000,
        model: 'STS3215',
        modelNumber: 777,
        firmware: '3.10',
        voltage: 7.4,
        torque: false,
      });
      expect(servo.temperature).toBeGreaterThanOrEqual(25);
      expect(servo.position).toBeCloseTo((servo.positionSteps * 2 * Math.PI) / 4096, 6);
    }
    expect(errors).toContain('asking feetech servos 0-7 at 1000000 baud');

    await expect
      .poll(() => scanned('--ids', '1,2', '--baud', '1000000'), BUSY)
      .toMatch(/feetech +1000000 +2 +STS3215 +3\.10 +7\.4 V +\d+ degC +off +\d+ \(\d\.\d+ rad\)/);
    expect(run!.output).toMatch(/family +baud +id +model +firmware +voltage +temperature +torque +position/);
  });

  it('names who has a port open, skips it, and ends with 1 when nothing was found', async () => {
    const port = makePort(url, systemClock);
    await port.open();
    ends.push(() => port.close());
    const { code, output } = await arm('scan', '--port', url);
    expect(code).toBe(1);
    expect(output).toContain(`skipped: ${url}`);
    expect(output).toMatch(new RegExp(`is in use by process ${process.pid} \\(.+\\); end it, then it works`));
    await port.close();

    const nobody = await arm('scan', '--port', url, '--ids', '40-42', '--baud', '1000000');
    expect(nobody.code).toBe(1);
    expect(nobody.output).toContain('no servo with an id of 40-42 answers: check');
    const gone = await arm('scan', '--port', `serial:${served.folder}/nothing`);
    expect([gone.code, gone.output]).toEqual([1, expect.stringContaining('there is no')]);
  });

  it.each([
    [['--ids', '300'], 'ids within 0..252'],
    [['--ids', '6-1'], 'ids within 0..252'],
    [['--baud', 'fast'], 'rates such as 1000000,57600'],
    [['--port', 'sim:so101'], 'has no port of its own'],
    [['--port', '/dev/ttyACM0'], 'serial:/dev/ttyACM0'],
    [['--nonsense'], 'unknown option'],
  ])('%j is refused with 2 and what is allowed', async (args, message) => {
    const { code, output, errors } = await arm('scan', ...args);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toContain(message);
  });
});

describe.skipIf(process.platform !== 'linux')('arm-bridge registers', () => {
  it('shows registers in counts and in SI, all of them when none is named', async () => {
    const { code, output } = await arm('registers', 'read', '--port', url, '--id', '2', 'max_voltage', 'max_torque');
    expect(code).toBe(0);
    expect(output).toContain('servo 2: STS3215, firmware 3.10');
    expect(output).toMatch(/14 +max_voltage +eeprom +80 +8 V +0\.1 V/);
    expect(output).toMatch(/16 +max_torque +eeprom +1000 +100 % +0\.1 %/);
    expect(Object.keys(await registers(2)).length).toBeGreaterThan(50);
  });

  it('writes what differs, in counts or with a unit, says from what to what, and leaves the EEPROM locked', async () => {
    const { code, output } = await write(
      3,
      'p_coefficient=16',
      'max_temperature=65degC',
      'max_torque=50%',
      'cw_dead_zone=1',
    );
    expect(code).toBe(0);
    expect(output).toContain('p_coefficient: 32 -> 16');
    expect(output).toContain('max_temperature: 70 -> 65 (65 degC)');
    expect(output).toContain('max_torque: 1000 -> 500 (50 %)');
    expect(output).toMatch(/cw_dead_zone: 1 .*as it was/);
    expect(await registers(3, 'p_coefficient', 'max_temperature', 'max_torque', 'lock')).toEqual({
      p_coefficient: 16,
      max_temperature: 65,
      max_torque: 500,
      lock: 1,
    });
  });

  it('gives a servo another id, unless that is taken', async () => {
    const taken = await write(5, 'id=6');
    expect([taken.code, taken.errors]).toEqual([2, expect.stringContaining('id 6 belongs to another servo')]);
    expect((await write(5, 'id=9')).output).toContain('id: 5 -> 9');
    expect(await registers(9, 'id', 'lock')).toEqual({ id: 9, lock: 1 });
    expect((await arm('registers', 'write', '--port', url, '--id', '9', 'id=5')).code).toBe(0);
    expect((await arm('registers', 'read', '--port', url, '--id', '9', 'id')).errors).toContain('no servo 9 answers');
  });

  describe('refuses', () => {
    const watched = ['id', 'baud_code', 'p_coefficient', 'torque_enable', 'goal_position', 'lock', 'max_temperature'];
    let before: Record<string, number>;
    beforeAll(async () => {
      before = await registers(1, ...watched);
    });
    afterAll(async () => expect(await registers(1, ...watched), 'nothing is written').toEqual(before));

    it.each([
      [['present_voltage=1'], 'is read only'],
      [['torque_enable=1'], 'goes through the bridge'],
      [['p_coefficient=16', 'goal_position=2000'], 'goes through the bridge'],
      [['lock=0'], 'opened and closed by every write'],
      [['p_coefficient=300'], 'within 0..255'],
      [['p_coefficient=1.5'], 'whole counts'],
      [['max_temperature=65V'], 'takes counts (degC) without a unit, or degC'],
      [['no_such=1'], 'has no register "no_such"; its registers are firmware_major'],
      [['p_coefficient'], 'is no NAME=VALUE'],
      [['id=7', 'p_coefficient=16'], 'write it by itself'],
      [['id=254'], 'is not within 0..252'],
      [['baud_code=9'], 'has no baud code 9; there are 0 (1000000)'],
    ])('%j with 2, and nothing is written', async (texts, message) => {
      const { code, errors } = await write(1, ...texts);
      expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
    });
  });

  it('writes torque with --unsafe, and then keeps what would make a holding joint jump', async () => {
    expect((await write(4, '--unsafe', 'torque_enable=1')).output).toContain('torque_enable: 0 -> 1');
    const refused = await write(4, 'homing_offset=100');
    expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining('would make it jump')]);
    expect((await write(4, '--unsafe', 'torque_enable=0')).code).toBe(0);
    expect((await write(4, 'homing_offset=0')).code).toBe(0);
  });

  it('refuses a servo that is none of the named model, and a port that somebody has open', async () => {
    const other = await arm('registers', 'read', '--port', url, '--id', '1', '--model', 'sts3250');
    expect([other.code, other.errors]).toEqual([2, expect.stringContaining('servo 1 is a STS3215, no STS3250')]);
    const port = makePort(url, systemClock);
    await port.open();
    ends.push(() => port.close());
    const busy = await write(1, 'p_coefficient=16');
    expect([busy.code, busy.errors]).toEqual([1, expect.stringContaining(`in use by process ${process.pid}`)]);
  });
});

describe.skipIf(process.platform !== 'linux')('arm-bridge calibrate', () => {
  const config = (): string => {
    const path = join(served.folder, 'calibrate.yaml');
    const arms = [{ name: 'arm', model: 'so101', bus: url }];
    writeFileSync(path, JSON.stringify({ state_folder: join(served.folder, 'state'), arms }));
    return path;
  };

  it('names what no hand has led, ends without keeping anything, and leaves the servos as they were', async () => {
    const { code, output, errors } = await arm('calibrate', '--config', config(), '--hand-time', '0.1');
    expect(code, errors).toBe(1);
    expect(output, errors).toContain('Step 2 of 5: Not yet: shoulder_pan has been led over 0 degrees of 220 degrees');
    expect(await registers(1, 'homing_offset', 'torque_enable', 'lock')).toEqual({
      homing_offset: 0,
      torque_enable: 0,
      lock: 1,
    });
  });

  it('needs the time that a hand has where there is no terminal', async () => {
    const { code, errors } = await arm('calibrate', '--config', config());
    expect([code, errors]).toEqual([2, expect.stringContaining('--hand-time')]);
  });

  it('takes over a calibration of LeRobot, gives it back, and to phosphobot and back', async () => {
    const path = join(served.folder, 'lerobot.json');
    const joints = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
    const rows = joints.map((name, i) => [
      name,
      { id: i + 1, drive_mode: 0, homing_offset: 100 * i - 250, range_min: 1000 - 4 * i, range_max: 3000 },
    ]);
    writeFileSync(path, JSON.stringify(Object.fromEntries(rows)));
    const taken = await arm('calibrate', 'import', '--config', config(), '--format', 'lerobot', path);
    expect(taken.code, taken.errors).toBe(0);
    // 2000 steps of the pan's 2504; the wrist's roll, which turns further than it is led to its ends, is told too.
    expect(taken.errors).toContain('shoulder_pan -1.53 to 1.53 rad of -1.92 to 1.92');
    expect(taken.errors).toContain('arm-bridge setup registers');
    const { code, output } = await arm('calibrate', 'export', '--config', config());
    expect(code).toBe(0);
    const back = JSON.parse(output);
    expect(Object.keys(back)).toEqual(joints);
    expect(back.gripper).toMatchObject({ id: 6, drive_mode: 0, homing_offset: 250 });
    const wrong = await arm('calibrate', 'import', '--config', config(), '--format', 'phosphobot', path);
    expect([wrong.code, wrong.errors]).toEqual([2, expect.stringContaining('servos_offsets')]);
    const other = join(served.folder, 'phosphobot.json');
    const given = await arm(
      ...['calibrate', 'export', '--config', config(), '--format', 'phosphobot', '--voltage', '7.4', other],
    );
    expect(given.code, given.errors).toBe(0);
    const again = await arm('calibrate', 'import', '--config', config(), '--format', 'phosphobot', other);
    expect(again.code, again.errors).toBe(0);
  });
});

describe('arm-bridge calibrate --friction', () => {
  const friction = (): string[] => {
    const path = join(served.folder, 'friction.yaml');
    const arms = [{ name: 'twin', model: 'so101', bus: 'sim:so101' }];
    writeFileSync(path, JSON.stringify({ state_folder: join(served.folder, 'twin'), arms }));
    return ['calibrate', '--friction', '--config', path];
  };

  it('moves nothing unless somebody says that it may, and takes no options of a calibration by hand', async () => {
    const silent = await arm(...friction());
    expect([silent.code, silent.output, silent.errors]).toEqual([2, '', expect.stringContaining('--yes')]);
    const both = await arm(...friction(), '--hand-time', '3');
    expect([both.code, both.errors]).toEqual([2, expect.stringContaining('--friction')]);
    const alone = await arm('calibrate', '--yes', '--config', friction()[3]!);
    expect([alone.code, alone.errors]).toEqual([2, expect.stringContaining('--friction')]);
  });

  it('says what will move, and ends without keeping anything when it is told to end', async () => {
    const child = spawn(process.execPath, [MAIN, ...friction(), '--yes'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('gripper  ')) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    expect(output).toMatch(/twin goes to its pose init[\s\S]*shoulder_pan +-17 +17 +40\n[\s\S]*gripper +-?\d/);
    // A machine that is too busy may have ended it before.
    expect([code, errors]).toEqual([1, expect.stringMatching(/arm-bridge calibrate: .*twin.*\ntwin is lowered/)]);
    expect(existsSync(join(served.folder, 'twin', 'calibration'))).toBe(false);
  });
});
