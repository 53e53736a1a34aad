import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const library = (name: string) => import(pathToFileURL(join(import.meta.dirname, '../../scripts/lib', name)).href);
const { addressOf, shareDisk, whyNoConfiguration, whyNoNetwork, whyNoSpace, whyNotListen, whyNotWritable } =
  await library('preflight.mjs');
const { ROS_STEPS, timeLeft } = await library('ros-build.mjs');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'arm-bridge-checks-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('where the bridge will listen is known before its packages are there', () => {
  const at = (args: string[], env = {}, file = '') => {
    writeFileSync(join(root, 'my.yaml'), file);
    return addressOf(root, ['--config', join(root, 'my.yaml'), ...args], env);
  };

  test('command line before environment before file before default', () => {
    const file = 'http:\n  host: 0.0.0.0\n  port: 9001 # for the class\n';
    expect(at([])).toEqual({ host: '127.0.0.1', port: 8020, stopPort: 0 });
    expect(at([], {}, file)).toMatchObject({ host: '0.0.0.0', port: 9001 });
    expect(at([], { ARM_BRIDGE_HTTP_PORT: '9002' }, file)).toMatchObject({ host: '0.0.0.0', port: 9002 });
    expect(at(['--port', '9003'], { ARM_BRIDGE_HTTP_PORT: '9002' }, file).port).toBe(9003);
    expect(at(['--port=9004', '--host=::1'], {}, file)).toMatchObject({ host: '::1', port: 9004 });
  });

  test('ROS arguments between the command line and the environment', () => {
    const env = { ARM_BRIDGE_HTTP_PORT: '9002' };
    const ros = ['--ros-args', '-p', 'http.port:=9007', '-p', 'other:http.port:=1', '-p', '/arm_bridge:http.host:=::1'];
    expect(at(ros, env)).toMatchObject({ host: '::1', port: 9007 });
    expect(at([...ros, '--', '--port', '9008'], env).port).toBe(9008);
    expect(at(['--port', '9008', ...ros, '-p', 'port:=9'], env).port).toBe(9008);
  });

  test('in the file that the environment names, where the command line names none', () => {
    writeFileSync(join(root, 'named.yaml'), 'http: { port: 9009 }');
    const env = { ARM_BRIDGE_CONFIG_FILE: join(root, 'named.yaml') };
    expect(addressOf(root, [], env).port).toBe(9009);
    expect(at([], env, 'http: { port: 9010 }').port).toBe(9010);
  });

  test.each([
    ['http: { dialect: standard, port: 9005 }\n', 9005],
    ['arms:\n  - { name: a, bus: "tcp://here:5555" }\nhttp:\n\n  # port: 1\n  port: "9006"\n', 9006],
    ['control: { rate: 100 }\nlog:\n  port: 7\n', 8020],
  ])('in a file like %j', (file, port) => {
    expect(at([], {}, file).port).toBe(port);
  });

  test('with the port of the stop, where one is named', () => {
    const file = 'http: { port: 9001, stop_port: 9011 }';
    expect(at([], {}, file).stopPort).toBe(9011);
    expect(at([], { ARM_BRIDGE_HTTP_STOP_PORT: '9012' }, file).stopPort).toBe(9012);
    expect(at(['--ros-args', '-p', 'http.stop_port:=9013'], {}, file).stopPort).toBe(9013);
    for (const none of ['null', 'off', '0']) expect(at([], {}, `http:\n  stop_port: ${none}\n`).stopPort).toBe(0);
  });

  test('not at all where a free one is taken, none is given, or a file of ROS parameters may name one', () => {
    expect(at(['--port', '0']).port).toBe(0);
    expect(at(['--port', 'nine']).port).toBe(0);
    expect(at(['--ros-args', '--params-file', 'of_the_lab.yaml']).port).toBe(0);
  });
});

test('a configuration that is named and not there is told, with who names it', () => {
  const [there, missing] = [join(root, 'there.yaml'), join(root, 'missing.yaml')];
  writeFileSync(there, '');
  expect(whyNoConfiguration([], {})).toBeNull();
  expect(whyNoConfiguration(['--config', there], { ARM_BRIDGE_CONFIG_FILE: missing })).toBeNull();
  const reason = `the configuration file ${missing} does not exist: name another one by`;
  expect(whyNoConfiguration([`--config=${missing}`], {})).toContain(`${reason} --config, or leave it out`);
  expect(whyNoConfiguration([], { ARM_BRIDGE_CONFIG_FILE: missing })).toContain(`${reason} ARM_BRIDGE_CONFIG_FILE`);
});

describe('an address on which the bridge cannot listen', () => {
  const host = '127.0.0.1';

  async function occupied(page: string, port = 0): Promise<number> {
    const server = createHttpServer((_, response) => response.end(page)).listen(port, host);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  test('is told where its port is taken, with who has it and what to do', async () => {
    const port = await occupied('<title>Arm Bridge</title>');
    const reason = `port ${port} is taken: an Arm Bridge runs there (http://127.0.0.1:${port}); end that program, `;
    expect(await whyNotListen({ host, port, stopPort: 0 })).toContain(`${reason}or start with --port `);
    const other = await occupied('<title>Something else</title>');
    expect(await whyNotListen({ host, port: other, stopPort: 0 })).toMatch(/^port \d+ is taken; end that program/);
  });

  test('is told with a port that is free together with the next, past the two of the bridge that runs there', async () => {
    const port = await occupied('<title>Arm Bridge</title>');
    // Another program may have that one already.
    await occupied('', port + 3).catch(() => {});
    const advice = Number(/start with --port (\d+)$/.exec((await whyNotListen({ host, port, stopPort: 0 }))!)?.[1]);
    expect(advice).toBeGreaterThan(port + 3);
    for (const free of [advice, advice + 1]) expect(await whyNotListen({ host, port: free, stopPort: 0 })).toBeNull();
  });

  test('is told where the port of the stop is taken', async () => {
    const stopPort = await occupied('');
    expect(await whyNotListen({ host, port: 0, stopPort })).toMatch(
      new RegExp(`^http\\.stop_port: port ${stopPort} is taken; end that program, or name another one`),
    );
  });

  test('is told where the host is none of this computer', async () => {
    // TEST-NET-1 of RFC 5737 and a name of RFC 2606: nobody has them.
    const foreign = { host: '192.0.2.1', port: 8020, stopPort: 0 };
    expect(await whyNotListen(foreign)).toBe('192.0.2.1 is no address of this computer: start with --host 127.0.0.1');
    const named = { ...foreign, host: 'bridge.invalid' };
    expect(await whyNotListen(named)).toMatch(/^the host bridge\.invalid is not found: start with --host/);
  });

  test('is told from a free one, and from one that the bridge chooses', async () => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await whyNotListen({ host, port, stopPort: port })).toBeNull();
    expect(await whyNotListen({ host, port: 0, stopPort: 0 })).toBeNull();
  });
});

test('a folder that cannot be written to is told with what to do', () => {
  expect(whyNotWritable(join(root, 'new/folder'), 'no')).toBeNull();
  writeFileSync(join(root, 'file'), '');
  expect(whyNotWritable(join(root, 'file/below'), 'set X')).toMatch(
    /file\/below cannot be written to \(E\w+\): set X$/,
  );
  if (process.getuid?.() === 0) return;
  chmodSync(root, 0o555);
  expect(whyNotWritable(join(root, 'below'), 'set X')).toContain('EACCES');
  chmodSync(root, 0o755);
});

test('a disk with too little space is told before it is full', () => {
  expect(whyNoSpace(join(root, 'not/there/yet'), 1, 'nothing')).toBeNull();
  expect(whyNoSpace(root, 1e12, 'ROS 2')).toMatch(/has \d+ MB left, and ROS 2 takes 1000000000000 MB: make room$/);
  expect(shareDisk(root, join(root, 'not/there/yet'))).toBe(true);
  expect(shareDisk(root, '/proc/not_there')).toBe(false);
});

test('a registry that is not found is told at once; behind a proxy nobody knows', async () => {
  const env = { npm_config_registry: 'https://registry.invalid/' };
  expect(await whyNoNetwork(env)).toMatch(/^registry\.invalid is not found \(\w+\); is there a network\?/);
  expect(await whyNoNetwork({ ...env, HTTPS_PROXY: 'http://proxy:3128' })).toBeNull();
});

test('the time that is left is what the running step still takes, and the steps after it', () => {
  const { prefix, interfaces, addon, messages } = ROS_STEPS;
  const after = interfaces.usual + addon.usual + messages.usual;
  expect(timeLeft([{ title: prefix.title, since: 10 }], 10)).toBe(prefix.usual + after);
  expect(timeLeft([{ title: prefix.title, since: 10 }], 1000)).toBe(2 + after);
  const both = [interfaces, addon].map(({ title }) => ({ title, since: 0 }));
  expect(timeLeft(both, 1)).toBe(interfaces.usual - 1 + messages.usual);
  expect(timeLeft([{ title: 'npm packages: installing', since: 0 }], 0)).toBeGreaterThan(messages.usual);
});
