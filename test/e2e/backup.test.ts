import { execFile } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'dist/main.js');
const CONFIG = 'http: { token_file: TOKEN }\narms: [{ name: arm, bus: "sim:so101" }] # mine\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-keep-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A home of a bridge, with a configuration and what the bridge keeps beside it. */
function home(name: string): { at: (path: string) => string; config: string } {
  const at = (path: string): string => join(folder, name, path);
  mkdirSync(at('state/arm-bridge'), { recursive: true });
  return { at, config: at('etc/arms.yaml') };
}

function filled(name: string): ReturnType<typeof home> {
  const made = home(name);
  const files = {
    'etc/arms.yaml': CONFIG.replace('TOKEN', made.at('etc/token')),
    'etc/token': 'a-token-of-this-test-alone\n',
    'state/arm-bridge/calibration/arm.json': '{"calibration": 1}\n',
    'state/arm-bridge/gains-arm-sim_so101.json': '{"own": []}\n',
    'state/arm-bridge/setup.json': '{"half": "done"}\n',
    'state/arm-bridge/tokens.json': '{"tokens": []}\n',
    'data/arm-bridge/recordings/wave.mcap': 'joints',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(made.at(path), '..'), { recursive: true });
    writeFileSync(made.at(path), text);
  }
  return made;
}

function bridge({ at, config }: ReturnType<typeof home>, ...args: string[]): Promise<{ code: number; told: string }> {
  const env = { PATH: process.env.PATH, HOME: at('.'), XDG_STATE_HOME: at('state'), XDG_DATA_HOME: at('data') };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args, '--config', config], { env }, (error, _, told) => {
      resolve({ code: error === null ? 0 : Number(error.code), told });
    });
  });
}

test('a backup brings configuration and calibrations to another computer; tokens and recordings only when they are asked for', async () => {
  const here = filled('here');
  const file = join(folder, 'plain.tar.gz');
  expect(await bridge(here, 'backup', file)).toEqual({
    code: 0,
    told: expect.stringContaining('config 1, calibration 1, state 1'),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const there = home('there');
  expect(await bridge(there, 'restore', file)).toMatchObject({ code: 0 });
  expect(readFileSync(there.config, 'utf8')).toBe(readFileSync(here.config, 'utf8'));
  expect(readdirSync(there.at('state/arm-bridge'))).toEqual(['calibration', 'gains-arm-sim_so101.json']);
  expect(existsSync(there.at('data'))).toBe(false);

  const whole = join(folder, 'whole.tar.gz');
  await bridge(here, 'backup', whole, '--tokens', '--recordings');
  rmSync(here.at('etc/token'));
  rmSync(here.at('state/arm-bridge/tokens.json'));
  rmSync(here.at('data'), { recursive: true });
  expect(await bridge(here, 'restore', whole, '--tokens', '--recordings')).toMatchObject({ code: 0 });
  for (const secret of ['etc/token', 'state/arm-bridge/tokens.json']) {
    expect(statSync(here.at(secret)).mode & 0o777).toBe(0o600);
  }
  expect(readFileSync(here.at('data/arm-bridge/recordings/wave.mcap'), 'utf8')).toBe('joints');
});

test('what changes while it is read makes no backup', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  const recorded = here.at('data/arm-bridge/recordings/now.mcap.part');
  const recording = setInterval(() => appendFileSync(recorded, 'more'), 1);
  const { code, told } = await bridge(here, 'backup', file, '--recordings').finally(() => clearInterval(recording));
  expect([code, told]).toEqual([2, expect.stringMatching(/now\.mcap\.part.*changed|changed as we read/s)]);
  expect(existsSync(file)).toBe(false);
});

test('who could read a file still can after it was put back', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  await bridge(here, 'backup', file, '--tokens');
  const token = here.at('etc/token');
  writeFileSync(token, 'another\n');
  chmodSync(token, 0o640);
  expect(await bridge(here, 'restore', file, '--tokens', '--force')).toMatchObject({ code: 0 });
  expect([readFileSync(token, 'utf8'), statSync(token).mode & 0o777]).toEqual(['a-token-of-this-test-alone\n', 0o640]);
});

test('a restored backup brings no revoked token back, and one without the token of the bridge says where it is', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  const named = here.at('state/arm-bridge/tokens.json');
  await bridge(here, 'backup', file, '--tokens');
  writeFileSync(named, '{"tokens": [ ]}\n');
  expect(await bridge(here, 'restore', file, '--force')).toMatchObject({ code: 0 });
  expect(readFileSync(named, 'utf8')).toBe('{"tokens": [ ]}\n');
  expect(await bridge(here, 'restore', file, '--force', '--tokens')).toMatchObject({ code: 0 });
  expect(readFileSync(named, 'utf8')).toBe('{"tokens": []}\n');

  expect((await bridge(here, 'backup', file, '--tokens')).told).not.toContain('not in the backup');
  rmSync(here.at('etc/token'));
  const { code, told } = await bridge(here, 'backup', file, '--tokens');
  expect([code, told]).toEqual([0, expect.stringMatching(/etc\/token does not exist.*\/etc\/arm-bridge/)]);
});

test('a restored backup releases no stop of this computer, and brings what another one remembers of its arms', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  const record = 'state/arm-bridge/arm-arm-sim_so101.json';
  writeFileSync(here.at(record), '{"running": true, "stopped": null}\n');
  await bridge(here, 'backup', file);
  writeFileSync(here.at(record), '{"running": false, "stopped": "a person"}\n');
  expect(await bridge(here, 'restore', file)).toMatchObject({ code: 0 });
  expect(readFileSync(here.at(record), 'utf8')).toContain('a person');
  const there = home('there');
  await bridge(there, 'restore', file);
  expect(readFileSync(there.at(record), 'utf8')).toContain('null');
});

test('the certificates that a configuration names are in a backup, and with the tokens the token of the fleet and the key', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  const open = ['etc/lab-ca.pem', 'etc/cert.pem'];
  const secret = ['etc/fleet_token', 'etc/key.pem'];
  for (const path of [...open, ...secret]) writeFileSync(here.at(path), `${path}\n`);
  const [authority, certificate, token, key] = [...open, ...secret].map((path) => here.at(path));
  const http = { token_file: here.at('etc/token'), tls: { certificate, key } };
  const arms = [{ name: 'arm', bus: 'sim:so101' }];
  writeFileSync(here.config, JSON.stringify({ http, fleet: { token_file: token, authority }, arms }));
  const restored = async (...options: string[]): Promise<string[]> => {
    await bridge(here, 'backup', file, ...options);
    rmSync(here.at('etc'), { recursive: true });
    expect(await bridge(here, 'restore', file, ...options)).toMatchObject({ code: 0 });
    for (const path of readdirSync(here.at('etc')).filter((name) => name !== 'arms.yaml' && name !== 'token'))
      expect(readFileSync(here.at(`etc/${path}`), 'utf8')).toBe(`etc/${path}\n`);
    return readdirSync(here.at('etc')).sort();
  };
  expect(await restored('--tokens')).toEqual([
    'arms.yaml',
    'cert.pem',
    'fleet_token',
    'key.pem',
    'lab-ca.pem',
    'token',
  ]);
  for (const path of secret) expect(statSync(here.at(path)).mode & 0o777).toBe(0o600);
  expect(await restored()).toEqual(['arms.yaml', 'cert.pem', 'lab-ca.pem']);
  rmSync(authority!);
  expect((await bridge(here, 'backup', file)).told).toMatch(/lab-ca\.pem does not exist, and is not in the backup/);
});

test('arms and a scene of the user are in a backup, and what is not says so', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  const model = join(ROOT, 'robots/so101');
  cpSync(model, here.at('etc/mine'), { recursive: true });
  cpSync(join(ROOT, 'scenes/pick.yaml'), here.at('etc/table.yaml'));
  const config = readFileSync(here.config, 'utf8');
  writeFileSync(
    here.config,
    `${config.replace('"sim:so101"', '"sim:so101", model: ./mine')}sim: { scene: ./table.yaml }\n`,
  );
  const { code, told } = await bridge(here, 'backup', file);
  expect([code, told]).toEqual([0, expect.stringContaining('config ')]);
  expect(told).not.toContain('not in the backup');
  const there = home('there');
  expect(await bridge(there, 'restore', file)).toMatchObject({ code: 0 });
  expect(readdirSync(there.at('etc')).sort()).toEqual(['arms.yaml', 'mine', 'table.yaml']);

  writeFileSync(here.config, config.replace('"sim:so101"', '"sim:so101", model: ../elsewhere'));
  cpSync(model, here.at('elsewhere'), { recursive: true });
  expect((await bridge(here, 'backup', file)).told).toMatch(/elsewhere \(arms\[0\]\.model\): not in the backup/);
});

test('what is there and differs is replaced only by force, and until then nothing is changed', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  await bridge(here, 'backup', file);
  writeFileSync(here.at('state/arm-bridge/calibration/arm.json'), '{"calibration": 2}\n');
  rmSync(here.at('state/arm-bridge/gains-arm-sim_so101.json'));
  const refused = await bridge(here, 'restore', file);
  expect(refused).toEqual({
    code: 2,
    told: expect.stringMatching(/calibration\/arm\.json.*Nothing was changed.*--force/s),
  });
  expect(existsSync(here.at('state/arm-bridge/gains-arm-sim_so101.json'))).toBe(false);
  expect(await bridge(here, 'restore', file, '--force')).toMatchObject({ code: 0 });
  expect(readFileSync(here.at('state/arm-bridge/calibration/arm.json'), 'utf8')).toBe('{"calibration": 1}\n');
});

test('a damaged backup, one of a newer bridge, and what is none are refused as a whole', async () => {
  const here = filled('here');
  const file = join(folder, 'backup.tar.gz');
  await bridge(here, 'backup', file);
  const unpacked = join(folder, 'unpacked');
  const tar = (...args: string[]): Promise<void> =>
    new Promise((resolve, reject) => execFile('tar', args, (error) => (error === null ? resolve() : reject(error))));
  mkdirSync(unpacked);
  await tar('-xzf', file, '-C', unpacked);
  const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'));
  const there = home('there');
  const restored = async (): Promise<string> => {
    await tar('-czf', file, '-C', unpacked, '.');
    const { code, told } = await bridge(there, 'restore', file);
    expect(code).toBe(2);
    expect(existsSync(there.config)).toBe(false);
    return told;
  };
  writeFileSync(join(unpacked, 'calibration/arm.json'), '{"calibration": 3}\n');
  expect(await restored()).toContain('damaged: calibration/arm.json is not what was put into it');
  writeFileSync(join(unpacked, 'manifest.json'), JSON.stringify({ ...manifest, format: 2, version: '9.0.0' }));
  expect(await restored()).toContain('made by arm-bridge 9.0.0, in a format that this one');
  writeFileSync(join(unpacked, 'manifest.json'), JSON.stringify({ ...manifest, files: { '../../etc/passwd': 'x' } }));
  expect(await restored()).toContain('is no backup of arm-bridge');
});
