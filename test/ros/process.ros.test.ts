import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { acceptsCommands, listensToNetwork, setDiscovery } from '../../src/ros/discovery.ts';
import { freeDomain } from '../support/domain.ts';
import { describeRos, isolateRos, Witness } from './support/ros.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const repository = fileURLToPath(new URL('../../', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-ros-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const child = join(repository, 'test/ros/support/child.ts');
  const program = ts.createProgram([child, join(repository, 'src/ros/departure-worker.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    noCheck: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    rootDir: repository,
    outDir: join(folder, 'out'),
  });
  expect(program.emit().emitSkipped).toBe(false);
  symlinkSync(join(repository, 'config'), join(folder, 'out/config'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A child process and what becomes of it. */
class Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly end: Promise<{ code: number | null; signal: string | null }>;
  out = '';
  err = '';
  #wake: () => void = () => {};

  constructor(argv: readonly string[], environment: NodeJS.ProcessEnv) {
    this.process = spawn(process.execPath, argv, { env: environment });
    const collect = (name: 'out' | 'err') => (data: Buffer) => {
      this[name] += data;
      this.#wake();
    };
    this.process.stdout.on('data', collect('out'));
    this.process.stderr.on('data', collect('err'));
    this.end = new Promise((resolve) => {
      this.process.on('close', (code, signal) => {
        resolve({ code, signal });
        this.#wake();
      });
    });
  }

  /** Resolves when the process has said `text`; fails when it ended without. */
  async says(text: string): Promise<void> {
    while (!this.out.includes(text)) {
      const { exitCode, signalCode } = this.process;
      if (exitCode !== null || signalCode !== null) {
        throw new Error(`ended (${signalCode ?? exitCode}) after "${this.out}" without "${text}": ${this.err}`);
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async close(): Promise<{ code: number | null; signal: string | null }> {
    this.process.stdin.end();
    return this.end;
  }
}

const childScript = () => join(folder, 'out/test/ros/support/child.js');

describe('how far discovery reaches', () => {
  const profile = join(repository, 'config/fastdds-this-host.xml');
  const byProfile = { ROS_AUTOMATIC_DISCOVERY_RANGE: 'SYSTEM_DEFAULT', FASTRTPS_DEFAULT_PROFILES_FILE: profile };
  const own = { FASTRTPS_DEFAULT_PROFILES_FILE: '/etc/dds.xml' };

  test.each([
    ['localhost', { ROS_DISTRO: 'jazzy' }, byProfile],
    [
      'localhost',
      { ROS_DISTRO: 'kilted' },
      { ROS_AUTOMATIC_DISCOVERY_RANGE: 'SYSTEM_DEFAULT', FASTDDS_DEFAULT_PROFILES_FILE: profile },
    ],
    ['subnet', { ROS_DISTRO: 'jazzy', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }, byProfile],
    ['localhost', { ROS_DISTRO: 'jazzy', ...byProfile }, {}],
    ['localhost', { ROS_DISTRO: 'lyrical' }, { ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }],
    ['localhost', { ROS_DISTRO: 'jazzy', ...own }, { ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }],
    [
      'localhost',
      { ROS_DISTRO: 'jazzy', RMW_IMPLEMENTATION: 'rmw_zenoh_cpp' },
      { ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' },
    ],
    ['localhost', { ROS_DISTRO: 'jazzy', ROS_STATIC_PEERS: '192.0.2.1' }, {}],
    [
      'subnet',
      { ROS_DISTRO: 'jazzy' },
      { ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET', FASTDDS_BUILTIN_TRANSPORTS: 'UDPv4' },
    ],
    [
      'localhost',
      { ROS_DISTRO: 'jazzy', ROS_DISCOVERY_SERVER: '192.0.2.1:11811' },
      { ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET', FASTDDS_BUILTIN_TRANSPORTS: 'UDPv4', ROS_SUPER_CLIENT: 'TRUE' },
    ],
    [
      'localhost',
      {
        ROS_DISTRO: 'jazzy',
        ROS_DISCOVERY_SERVER: '192.0.2.1:11811',
        ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST',
        ...own,
      },
      { ROS_SUPER_CLIENT: 'TRUE' },
    ],
    ['localhost', { ROS_DISTRO: 'jazzy', ROS_DISCOVERY_SERVER: '' }, byProfile],
    ['off', { ROS_DISTRO: 'jazzy' }, { ROS_AUTOMATIC_DISCOVERY_RANGE: 'OFF' }],
    ['localhost', { ROS_DISTRO: 'humble' }, { ROS_LOCALHOST_ONLY: '1' }],
    ['subnet', { ROS_DISTRO: 'humble' }, { ROS_LOCALHOST_ONLY: '0' }],
    ['localhost', { ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET' }, {}],
    ['localhost', { ROS_LOCALHOST_ONLY: '0' }, {}],
    ['localhost', { ROS_STATIC_PEERS: '192.0.2.1' }, {}],
    // docker/compose.yaml sets a range for every release; Humble knows only the switch.
    ['subnet', { ROS_DISTRO: 'humble', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }, { ROS_LOCALHOST_ONLY: '1' }],
    ['subnet', { ROS_DISTRO: 'humble', ROS_AUTOMATIC_DISCOVERY_RANGE: 'OFF' }, { ROS_LOCALHOST_ONLY: '1' }],
    ['localhost', { ROS_DISTRO: 'humble', ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET' }, { ROS_LOCALHOST_ONLY: '0' }],
    ['localhost', { ROS_DISTRO: 'humble', ROS_STATIC_PEERS: '192.0.2.1' }, { ROS_LOCALHOST_ONLY: '1' }],
    [
      'localhost',
      { ROS_DISTRO: 'humble', ROS_LOCALHOST_ONLY: '0', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' },
      { ROS_LOCALHOST_ONLY: '0' },
    ],
    [
      'localhost',
      {
        ROS_DISTRO: 'humble',
        ROS_DISCOVERY_SERVER: '192.0.2.1:11811',
        ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST',
      },
      { ROS_LOCALHOST_ONLY: '0', FASTDDS_BUILTIN_TRANSPORTS: 'UDPv4', ROS_SUPER_CLIENT: 'TRUE' },
    ],
  ] as const)('configuration %s in the environment %j sets %j', (range, given, set) => {
    const environment: NodeJS.ProcessEnv = { ...given };
    setDiscovery(range, environment);
    expect(environment).toEqual({ ...given, ...set });
  });

  test('the switch of older releases for this machine is taken for the range, which it would override', () => {
    const environment: NodeJS.ProcessEnv = { ROS_DISTRO: 'jazzy', ROS_LOCALHOST_ONLY: '1' };
    expect(setDiscovery('subnet', environment).byProfile).toBe(true);
    expect(environment).toEqual({ ROS_DISTRO: 'jazzy', ...byProfile });
    expect(acceptsCommands('auto', environment)).toBe(true);
  });

  test('a socket that other machines reach is told from those of this machine', async () => {
    const open = async (address: string): Promise<Socket> => {
      const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
      socket.bind(0, address);
      await once(socket, 'listening');
      return socket;
    };
    const sockets = [await open('127.0.0.1'), await open('::1')];
    expect(listensToNetwork()).toBe(false);
    sockets.push(await open('0.0.0.0'));
    expect(listensToNetwork()).toBe(process.platform === 'linux');
    for (const socket of sockets) socket.close();
  });
});

describe('an rclnodejs that cannot be loaded', () => {
  /** Runs the bridge where rclnodejs is a package that leaves a trace when it is imported. */
  async function start(addon: string | null, environment: NodeJS.ProcessEnv) {
    const modules = join(mkdtempSync(join(folder, 'case-')), 'node_modules');
    const rclnodejs = join(modules, 'rclnodejs');
    mkdirSync(join(rclnodejs, 'build/Release'), { recursive: true });
    for (const name of ['@foxglove', 'fast-xml-parser', 'pino', 'pino-pretty', 'yaml', 'zod']) {
      symlinkSync(join(repository, 'node_modules', name), join(modules, name));
    }
    cpSync(join(folder, 'out'), join(modules, '../out'), { recursive: true });
    writeFileSync(join(modules, '../package.json'), '{"type":"module"}');
    writeFileSync(join(rclnodejs, 'package.json'), '{"name":"rclnodejs","type":"module","main":"index.js"}');
    const trace = join(modules, 'imported');
    writeFileSync(
      join(rclnodejs, 'index.js'),
      `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(trace)}, '');`,
    );
    if (addon !== null) writeFileSync(join(rclnodejs, 'build/Release/rclnodejs.node'), addon);
    const argv = [join(modules, '../out/test/ros/support/child.js'), 'localhost', 'return'];
    const child = new Child(argv, { PATH: process.env.PATH, ...environment });
    const { code } = await child.close();
    expect(code).not.toBe(0);
    expect(child.err).toContain('RosUnavailable');
    return { reason: child.err, imported: existsSync(trace) };
  }

  test.each([
    ['is not built', null, { AMENT_PREFIX_PATH: '/nowhere' }],
    ['does not load', 'not an ELF file', { AMENT_PREFIX_PATH: '/nowhere' }],
    ['no ROS 2 environment', 'not an ELF file', {}],
    ['no compiler here', null, { AMENT_PREFIX_PATH: '/nowhere', ARM_BRIDGE_ROS_UNAVAILABLE: 'no compiler here' }],
    ['unset it', null, { AMENT_PREFIX_PATH: '/nowhere', RCLNODEJS_FORCE_BUILD: '1' }],
  ])('is never imported, and the reason says: %s', async (text, addon, environment) => {
    const { reason, imported } = await start(addon, environment);
    expect(reason).toContain(text);
    expect(imported).toBe(false);
  });
});

describeRos('a bridge process on the graph', () => {
  let restore: () => void;
  beforeAll(() => {
    restore = isolateRos();
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(() => restore());

  test('ends cleanly 6 times of 6, by return and by exit, and leaves SIGINT to the program', async () => {
    // Each of two that end at the same time has a domain of its own: in one, Fast DDS may wait for ever (src/ros/departure.ts).
    const domains = { return: freeDomain(), exit: freeDomain() };
    const run = async (end: keyof typeof domains) => {
      // What is freed is overwritten: a use of it afterwards ends the process.
      const environment = { ...process.env, ROS_DOMAIN_ID: String(domains[end]), MALLOC_PERTURB_: '85' };
      const child = new Child([childScript(), 'localhost', end], environment);
      await child.says('ready, 0 listeners of SIGINT');
      const ended = { ...(await child.close()), out: child.out.split('\n').at(-2), err: child.err };
      expect(ended, `one that was to end by ${end}`).toEqual({ code: 0, signal: null, out: 'closed', err: '' });
    };
    for (let round = 0; round < 3; round++) await Promise.all([run('return'), run('exit')]);
  });

  test('that cannot leave the graph is ended, and says so', async () => {
    const script = join(folder, 'out/stuck.js');
    writeFileSync(
      script,
      `import { leaveGraph } from './src/ros/departure.js';
      import { systemClock } from './src/clock.js';
      process.stdout.write('ready');
      await leaveGraph(systemClock, () => { for (;;); }, 0.2);`,
    );
    const child = new Child([script], process.env);
    expect(await child.close()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(child.err).toContain('ROS 2 did not end within 0.2 s');
  });

  test('its discovery range, set within the process, is the one that counts; that of the environment wins', async () => {
    const { ROS_AUTOMATIC_DISCOVERY_RANGE: _, ...silent } = process.env;
    // A witness of its own each time, which cannot take a child that has ended for one that lives.
    const seen = async (discovery: string, environment: NodeJS.ProcessEnv, timeout: number) => {
      const witness = await Witness.start();
      try {
        const child = new Child([childScript(), discovery, 'return'], environment);
        await child.says('ready');
        const { nodes } = await witness.graph('/leader/arm_bridge', timeout);
        expect(await child.close()).toEqual({ code: 0, signal: null });
        return nodes.includes('/leader/arm_bridge');
      } finally {
        await witness.close();
      }
    };
    expect(await seen('localhost', silent, 20)).toBe(true);
    expect(await seen('off', silent, 3)).toBe(false);
    expect(await seen('off', { ...silent, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' }, 20)).toBe(true);
  });

  test('a bridge is found where 40 other programs are on the graph, more than ROS 2 itself looks for', async () => {
    const domain = freeDomain();
    // Each program of a domain takes the next free port for discovery (RTPS 9.6.1.1).
    const sockets = Array.from({ length: 40 }, (_, program) => {
      const socket = createSocket('udp4');
      socket.bind(7400 + 250 * domain + 10 + 2 * program);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'listening')));
    const environment = { ROS_DOMAIN_ID: String(domain), ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' };
    const witness = await Witness.start(environment);
    try {
      const child = new Child([childScript(), 'localhost', 'return'], { ...process.env, ...environment });
      await child.says('ready');
      expect((await witness.graph('/leader/arm_bridge', 20)).nodes).toContain('/leader/arm_bridge');
      expect(await child.close()).toEqual({ code: 0, signal: null });
    } finally {
      await witness.close();
      for (const socket of sockets) socket.close();
    }
  });
});
