import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigError, DEFAULT_CONFIG_FILE, loadConfig } from '../../src/config/load.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-config-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function file(text: string): string {
  const path = join(folder, 'bridge.yaml');
  writeFileSync(path, text);
  return path;
}

const ONE_ARM = 'arms: [{ name: arm, bus: "sim:so101" }]\n';

function fault(text: string, environment: NodeJS.ProcessEnv = {}): string {
  try {
    loadConfig(file(text), environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('expected the configuration to be refused');
}

test('the default file is the simulated pair with the documented defaults', () => {
  const config = loadConfig(DEFAULT_CONFIG_FILE);
  expect(config.arms.map((arm) => [arm.name, arm.id, arm.bus])).toEqual([
    ['leader', 0, 'sim:so101'],
    ['follower', 1, 'sim:so101'],
  ]);
  const smallest = loadConfig(file(ONE_ARM));
  expect(config.sim).toEqual({ scene: 'pick' });
  const varied = { arms: [], pairs: [], sim: null };
  expect({ ...config, ...varied }).toEqual({ ...smallest, ...varied });
});

test('command line wins over environment, environment over file', () => {
  const path = file(`http: { port: 1111, host: localhost }\n${ONE_ARM}`);
  expect(loadConfig(path).http.port).toBe(1111);
  expect(loadConfig(path, { ARM_BRIDGE_HTTP_PORT: '2222' }).http.port).toBe(2222);
  expect(loadConfig(path, { ARM_BRIDGE_HTTP_PORT: '2222' }, { port: 3333 }).http.port).toBe(3333);
  expect(loadConfig(path, { ARM_BRIDGE_ROS_ENABLED: 'false' }).ros.enabled).toBe(false);
  expect(loadConfig(path, {}, { ros: false }).ros.enabled).toBe(false);
});

test('files that http and fleet name are relative to the configuration file, and to the working directory if the environment names them', () => {
  const path = file(
    'http: { token_file: token, read_token_file: ./read, tls: { certificate: certificates/cert.pem, key: /etc/key.pem } }\n' +
      `fleet: { token_file: ../fleet_token, authority: /etc/lab.pem }\n${ONE_ARM}`,
  );
  const { http, fleet } = loadConfig(path);
  expect(http).toMatchObject({
    token_file: join(folder, 'token'),
    read_token_file: join(folder, 'read'),
    tls: { certificate: join(folder, 'certificates/cert.pem'), key: '/etc/key.pem' },
  });
  expect(fleet).toMatchObject({ token_file: join(dirname(folder), 'fleet_token'), authority: '/etc/lab.pem' });
  const environment = {
    ARM_BRIDGE_HTTP_TOKEN_FILE: 'token',
    ARM_BRIDGE_HTTP_TLS: '{ certificate: c.pem, key: k.pem }',
  };
  const named = loadConfig(path, environment).http;
  expect(named).toMatchObject({ token_file: 'token', tls: { certificate: 'c.pem', key: 'k.pem' } });
  expect(loadConfig(path, {}, {}, '/srv/lab.yaml').fleet.token_file).toBe('/fleet_token');
});

test('ROS parameters win over environment and file, as the command line does, whose own options win over them', () => {
  const path = file(`http: { port: 1111 }\nros: { diagnostics: { warn_temperature: 40 } }\n${ONE_ARM}`);
  const given = (name: string, value: unknown, exact = true) => ({ parameters: [{ name, value, exact }] });
  const environment = { ARM_BRIDGE_HTTP_PORT: '2222' };
  expect(loadConfig(path, environment, given('http.port', 3333)).http.port).toBe(3333);
  expect(loadConfig(path, environment, { ...given('http.port', 3333), port: 4444 }).http.port).toBe(4444);
  const { diagnostics } = loadConfig(path, {}, given('ros.diagnostics.error_temperature', 60)).ros;
  expect(diagnostics).toMatchObject({ warn_temperature: 40, error_temperature: 60 });
  expect(loadConfig(path, {}, given('http.token_file', '')).http.token_file).toBeNull();
  expect(() => loadConfig(path, {}, given('http.port', 'x'))).toThrow(/http\.port: "x" .*from the ROS arguments/);
  expect(() => loadConfig(path, {}, given('http.prot', 1))).toThrow(/http\.prot is unknown. Known here: http\.host/);
  expect(loadConfig(path, {}, given('speed', 1, false)).http.port).toBe(1111);
});

test('variables of the preparation are no configuration', () => {
  expect(loadConfig(file(ONE_ARM), { ARM_BRIDGE_ROS_UNAVAILABLE: 'no python' }).ros.enabled).toBe('auto');
});

test('an unknown key is refused with its path and the keys allowed there', () => {
  const message = fault(`http: { prot: 80 }\n${ONE_ARM}`);
  expect(message).toContain('http.prot: unknown key');
  expect(message).toContain('host, port, stop_port, dialect');
  expect(fault(`${ONE_ARM}pears: []\n`)).toContain('pears: unknown key');
  expect(fault('arms: [{ name: a, bus: ros, baud: 1 }]')).toMatch(
    /arms\[0\]\.baud: unknown key .*name, id, model, variant, bus/,
  );
});

test('a bad value is refused with path, value, origin and what is allowed, all faults at once', () => {
  const message = fault('http: { port: 99999, dialect: klingon }\ncontrol: { rate: fast }\narms: []\n');
  expect(message).toMatch(/http\.port: 99999 is not allowed \(from .*bridge\.yaml\)\. Expected: at most 65535/);
  expect(message).toContain('http.dialect: "klingon" is not allowed');
  expect(message).toContain('Expected: "standard"');
  expect(message).toContain('control.rate: "fast" is not allowed');
  expect(message).toContain('arms: [] is not allowed');
  expect(fault('http: {}\n')).toContain('arms: is missing');
  expect(fault(ONE_ARM, { ARM_BRIDGE_HTTP_PORT: 'eighty' })).toContain('environment variable ARM_BRIDGE_HTTP_PORT');
});

test('arms are told apart by name and id, and pairs name existing arms', () => {
  expect(fault('arms: [{name: a, bus: ros}, {name: a, bus: ros}]')).toContain('arms[1].name');
  expect(fault('arms: [{name: a, bus: ros}, {name: b, bus: ros, id: 0}]')).toContain('arms[1].id');
  expect(fault(`${ONE_ARM}pairs: [{leader: arm, follower: nobody}]`)).toContain('pairs[0].follower: "nobody"');
  expect(fault(`${ONE_ARM}pairs: [{leader: arm, follower: arm}]`)).toContain('cannot follow itself');
  const remote =
    'arms: [{name: a, bus: sim:so101}, {name: far, bus: ros}]\npairs: [{leader: far, follower: a, force_feedback: {arm: 1}}]';
  expect(fault(remote)).toMatch(/pairs\[0\].force_feedback.*arm "far" belongs to another machine/);
  const felt = (more: string) =>
    `arms: [{name: a, bus: sim:so101}, {name: b, bus: sim:so101}]\npairs: [{leader: a, follower: b, force_feedback: {arm: 1}, ${more}}]`;
  expect(fault(felt('autostart: true'))).toMatch(
    /pairs\[0\].force_feedback.*"a" limp.*`gravity_compensation: \{\}` for this pair/,
  );
  const [floats] = loadConfig(file(felt('autostart: true, gravity_compensation: {elbow: 80}'))).pairs;
  expect(floats!.gravity_compensation).toEqual({ shoulder: 100, elbow: 80, wrist: 10 });
  expect(loadConfig(file(felt('autostart: false'))).pairs[0]!.gravity_compensation).toBeNull();
  expect(fault('arms: [{ name: Arm One, bus: ros }]')).toContain('a ROS name');
  expect(fault('arms: [{ name: arm, bus: "/dev/ttyUSB0" }]')).toContain('"sim:<model>"');
});

test('one beginning of joint names is not given to several arms, whose frames would be the same', () => {
  const ros = (prefix: string) => `ros: { joint_prefix: ${prefix} }\n`;
  const two = 'arms: [{ name: a, bus: ros }, { name: b, bus: ros }]\n';
  expect(fault(ros('x_') + two)).toMatch(
    /ros\.joint_prefix: "x_" is not allowed.*Expected: auto where there are several/,
  );
  expect(loadConfig(file(ros('x_') + ONE_ARM)).ros.joint_prefix).toBe('x_');
  expect(loadConfig(file(ros('auto') + two)).ros.joint_prefix).toBe('auto');
});

test('names, texts, lists and maps have a largest size, and so has the whole configuration', () => {
  const name = (length: number): string => `a${'z'.repeat(length - 1)}`;
  const arm = (more: string): string => `arms: [{ name: ${name(64)}, bus: "sim:so101", ${more} }]\n`;
  const gains = (count: number): string =>
    `position_gains: { ${Array.from({ length: count }, (_, i) => `joint_${i}: 0.5`).join(', ')} }`;
  expect(loadConfig(file(arm(gains(32)))).arms[0]!.name).toBe(name(64));
  expect(fault(arm(gains(33)))).toContain('Expected: at most 32 joints');
  expect(fault(arm(`variant: ${name(65)}`))).toContain('Expected: at most 64 characters');
  expect(fault(arm(`model: ./${name(1023)}`))).toContain('Expected: at most 1024 characters');
  const pair = `{ leader: ${name(64)}, follower: ${name(64)} }`;
  expect(fault(`${arm('')}pairs: [${Array(17).fill(pair).join(', ')}]`)).toContain('Expected: at most 16 entries');
  const hosts = (count: number, length: number): string =>
    `http: { allowed_hosts: [${Array(count).fill(name(length)).join(', ')}] }\n`;
  expect(loadConfig(file(hosts(64, 300) + ONE_ARM)).http.allowed_hosts).toHaveLength(64);
  expect(fault(hosts(1, 301) + ONE_ARM)).toContain('Expected: at most 300 characters');
  expect(fault(hosts(65, 9) + ONE_ARM)).toContain('Expected: at most 64 entries');
  const arms = Array.from({ length: 16 }, (_, i) => `{ name: arm_${i}, bus: "serial:/${name(1000)}" }`);
  const folders = `state_folder: ${name(1000)}\ncalibration_folder: ${name(1000)}\n`;
  expect(loadConfig(file(`arms: [${arms.join(', ')}]\n${folders}`)).arms).toHaveLength(16);
  expect(fault(`${hosts(64, 300)}arms: [${arms.join(', ')}]\n${folders}`)).toMatch(
    /takes 4\d{4} bytes as JSON, and 40960 are allowed/,
  );
});

test('a file that is absent or no YAML says what to do', () => {
  expect(() => loadConfig(join(folder, 'none.yaml'))).toThrow(/cannot be read \(ENOENT\).*--config/);
  expect(fault('arms: [')).toContain('not valid YAML');
});
