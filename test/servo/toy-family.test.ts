import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { ServoLink } from '../../src/rt/driver/servo-link.ts';
import type { LinkJoint } from '../../src/rt/driver/servo-slots.ts';
import { assign } from '../../src/servo/assign.ts';
import type { ExpectedServo } from '../../src/servo/expected-servo.ts';
import { configure, readRegister, scan } from '../../src/servo/setup.ts';
import { startUp } from '../../src/servo/start-up.ts';
import { ToyEnd, ToyServo } from './toy/toy-emulator.ts';
import { Fault, TOY } from './toy/toy-family.ts';
import { VirtualLine } from './virtual-line.ts';

const MODEL = TOY.models[0]!;
const IDS = [3, 4, 5];

let time: VirtualTime;
let servos: ToyServo[];
let end: ToyEnd;
let line: VirtualLine;
beforeEach(() => {
  time = new VirtualTime();
  servos = IDS.map((id) => new ToyServo(id, 500 + 10 * id));
  end = new ToyEnd(servos);
  line = new VirtualLine(time.lane('toy'));
  line.connect(end);
});

function expected(id: number): ExpectedServo {
  return { joint: `joint ${id}`, id, model: MODEL, settings: {}, shadow: null, travel: null };
}

describe('a family that the bridge has never seen', () => {
  test('is found by a scan, and by its name', async () => {
    const client = TOY.makeClient(line);
    const { found } = await time.until(scan(client, [1, 2, 3, 4, 5, 6]), 10);
    expect(found).toEqual(IDS.map((id) => ({ id, modelNumber: 42, firmware: 't7' })));
  });

  test('has its registers read and written by name, the higher byte first', async () => {
    const client = TOY.makeClient(line);
    expect(await time.until(readRegister(client, MODEL, 4, 'place'), 10)).toBe(540);
    const changes = await time.until(configure(client, MODEL, 4, { upper: 900, offset: -300, pace: 3 }), 10);
    expect(changes.map(({ to }) => to)).toEqual([900, -300, 3]);
    expect([...servos[1]!.memory.subarray(12, 14)]).toEqual([3, 132]);
    expect(client.eepromWrites[4]).toBe(2);
  });

  test('is checked on connecting: its own limits are told, its RAM is set, its EEPROM is left', async () => {
    servos[2]!.set('upper', 700);
    servos[2]!.set('pace', 9);
    const { servos: found, audit } = await time.until(startUp(TOY.makeClient(line), IDS.map(expected)), 10);
    expect(audit.map(({ servo, register, action }) => [servo, register, action])).toEqual([
      [5, 'pace', 'set'],
      [5, 'upper', 'told'],
    ]);
    expect(found.map(({ limits }) => limits?.highest)).toEqual([999, 999, 700]);
    expect(servos[2]!.value('pace')).toBe(0);
    expect(servos.map(({ lastingWrites }) => lastingWrites)).toEqual([0, 0, 0]);
    servos[0]!.set('mode', 1);
    await expect(time.until(startUp(TOY.makeClient(line), IDS.map(expected)), 10)).rejects.toThrow(
      'servo 3 (joint 3): mode is 1 instead of 2: it only turns round and round',
    );
  });

  test('gives a new servo its id and rate', async () => {
    const fresh = new ToyServo(1, 500);
    fresh.set('baud_code', 1);
    const alone = new ToyEnd([fresh]);
    const lineOf = {
      name: 'toy',
      open: async () => {
        line.connect(alone);
        return { client: TOY.makeClient(line), close: async () => {} };
      },
    };
    const done = await time.until(assign(lineOf, expected(4), { baudRate: 1_000_000, ids: [1, 4] }), 60);
    expect(done.changes.map(({ register, to }) => [register, to])).toEqual([
      ['id', 4],
      ['baud_code', 0],
    ]);
  });

  test('is driven by the control loop: read, held where it is, moved, jammed and brought back', async () => {
    const joints = IDS.map((id): LinkJoint => {
      const calibration = { sign: 1 as const, zero: 500, stepsPerTurn: MODEL.stepsPerTurn };
      return {
        name: `joint ${id}`,
        servos: [{ id, model: MODEL, calibration, shadow: false }],
        settings: {},
        lower: -3,
        upper: 3,
      };
    });
    const link = new ServoLink(line, joints);
    onTestFinished(() => new Promise<void>((resolve) => link.close('the test is over', resolve)));
    const goals = new Float64Array(IDS.length);
    let driving = false;
    link.onSettled = () => {
      if (driving && link.up) link.write(goals);
    };
    const until = async (over: () => boolean): Promise<void> => {
      for (let cycle = 0; !over(); cycle++) {
        expect(cycle, link.reason).toBeLessThan(2000);
        link.begin(time.now);
        await time.run(time.now + 0.005);
        for (const servo of servos) servo.step();
      }
    };
    await until(() => link.up && link.readings.detailTime > 0);
    expect([...link.readings.positions].map((angle) => Number(angle.toFixed(4)))).toEqual(
      [30, 40, 50].map((steps) => Number(((steps * 2 * Math.PI) / 1000).toFixed(4))),
    );
    expect(link.readings.voltages[0]).toBeCloseTo(7.4, 9);
    goals.set(link.readings.positions);
    driving = true;
    link.setTorque(true);
    await until(() => link.torque);
    expect(servos.map((servo) => servo.value('goal'))).toEqual([530, 540, 550]);
    goals[1] = -0.5;
    await until(() => servos[1]!.value('place') === Math.round(500 - (0.5 * 1000) / (2 * Math.PI)));
    servos[1]!.set('faults', Fault.jammed);
    let told = '';
    link.onAiling = (_, text) => {
      told = text;
    };
    await until(() => told !== '');
    expect(told).toBe('servo 4 (joint 4) is overloaded');
    servos[1]!.set('faults', 0);
    await until(() => link.readings.alarms[1] === 0);
    driving = false;
    link.setTorque(false);
    await until(() => !link.anyTorque);
  });
});

describe('with one line in the list of families', () => {
  /** Whatever reads the list, loaded anew with that line in it. */
  async function listed() {
    vi.resetModules();
    vi.doMock('../../src/servo/families.ts', async (original) => {
      const { FAMILIES } = await original<typeof import('../../src/servo/families.ts')>();
      const all = [...FAMILIES, (await import('./toy/toy-family.ts')).TOY];
      return { FAMILIES: all, familyByName: (name: string) => all.find((family) => family.name === name) };
    });
    onTestFinished(() => {
      vi.doUnmock('../../src/servo/families.ts');
      vi.resetModules();
    });
    const { modelByName } = await import('../../src/servo/servo-models.ts');
    const { addScan } = await import('../../src/cli/scan.ts');
    const { addRegisters } = await import('../../src/cli/registers.ts');
    const { loadArmModel, ROBOTS_DIRECTORY } = await import('../../src/arm/model.ts');
    const { alarmTexts } = await import('../../src/arm/alarms.ts');
    return { modelByName, addScan, addRegisters, loadArmModel, ROBOTS_DIRECTORY, alarmTexts };
  }

  let server: Server;
  let url: string;
  beforeEach(async () => {
    server = createServer((socket) => {
      const far = new ToyEnd(servos);
      far.onStatus = (bytes) => socket.write(bytes);
      socket.on('data', (chunk) => far.feed(chunk));
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `tcp://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  async function run(add: (program: Command) => void, ...args: string[]): Promise<string> {
    let output = '';
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      output += String(text);
      return true;
    });
    const errors = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    const code = process.exitCode;
    try {
      const program = new Command();
      add(program);
      await program.parseAsync(args, { from: 'user' });
    } finally {
      write.mockRestore();
      errors.mockRestore();
      process.exitCode = code;
    }
    return output;
  }

  test('the command line finds the family, and reads and writes its registers', async () => {
    const { addScan, addRegisters } = await listed();
    const found = JSON.parse(await run(addScan, 'scan', '--port', url, '--ids', '4', '--json'));
    expect(found.ports[0].servos).toMatchObject([
      { family: 'toy', id: 4, model: 'TOY-1', firmware: 't7', positionSteps: 540 },
    ]);
    const written = await run(addRegisters, 'registers', 'write', '--port', url, '--id', '4', 'upper=800');
    expect(written).toContain('servo 4: TOY-1, firmware t7\n  upper: 999 -> 800');
    expect(servos[1]!.value('upper')).toBe(800);
  });

  test('an arm of it is data like any other', async () => {
    const { modelByName, loadArmModel, ROBOTS_DIRECTORY, alarmTexts } = await listed();
    expect(modelByName('toy 1')?.modelNumber).toBe(42);
    const root = mkdtempSync(join(tmpdir(), 'arm-bridge-toy-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const folder = join(root, 'toys');
    mkdirSync(folder);
    for (const file of ['so101.urdf', 'arm.yaml']) {
      const text = readFileSync(join(ROBOTS_DIRECTORY, 'so101', file), 'utf8')
        .replaceAll('model: STS3215, sign: 1, zero: 2048', 'model: TOY-1, sign: 1, zero: 500')
        .replace('servo_family: feetech', 'servo_family: toy')
        .replace('model: so101', 'model: toys');
      writeFileSync(join(folder, file), text);
    }
    const model = loadArmModel(folder);
    expect([model.family, model.joints[0]!.servos[0]!.stepsPerTurn]).toEqual(['toy', 1000]);
    expect(alarmTexts(model.family)).toEqual(TOY.alarms.texts);
  });
});
