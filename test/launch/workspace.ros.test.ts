import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bashBlocks, commands } from '../docs/support/blocks.ts';
import { HAS_ROS, ROS_DOMAIN } from '../e2e/support/bridge.ts';
import { WITNESS_PYTHON } from '../support/witness.ts';
import { NO_ROS2, ROOT, Ros2 } from './support/ros2.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 900_000 });

/** What docs/moveit.md and docs/ros.md let people type in a workspace. */
const TOLD = ['docs/moveit.md', 'docs/ros.md'].map((document) => ({
  document,
  build: bashBlocks(document)
    .filter(({ kind }) => kind === 'full-ros')
    .flatMap(commands)
    .filter((command) => command.startsWith('colcon build ')),
}));

describe.skipIf(!HAS_ROS || !WITNESS_PYTHON)('a workspace with this repository', () => {
  let workspace: string;
  let environment: NodeJS.ProcessEnv;
  let built: { status: number | null; output: string };
  const installed = (...path: readonly string[]) => join(workspace, 'install', ...path);

  beforeAll(() => {
    workspace = mkdtempSync(join(tmpdir(), 'arm-bridge-workspace-'));
    mkdirSync(join(workspace, 'src'));
    symlinkSync(ROOT.replace(/\/$/, ''), join(workspace, 'src/arm-bridge'));
    // As after sourcing a ROS 2; what the preparation of this checkout has built is left out.
    const prefixes = process.env.AMENT_PREFIX_PATH!.split(delimiter).filter((prefix) => !prefix.startsWith(ROOT));
    const virtual = prefixes.at(-1)!;
    environment = {
      ...process.env,
      PATH: [...prefixes.map((prefix) => join(prefix, 'bin')), dirname(WITNESS_PYTHON!), process.env.PATH].join(
        delimiter,
      ),
      AMENT_PREFIX_PATH: prefixes.join(delimiter),
      CMAKE_PREFIX_PATH: prefixes.join(delimiter),
      ...(existsSync(join(virtual, 'pyvenv.cfg')) ? { VIRTUAL_ENV: virtual, CMAKE_GENERATOR: 'Ninja' } : {}),
    };
    const [command] = TOLD[0]!.build;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', command!], {
      cwd: workspace,
      env: environment,
      encoding: 'utf8',
    });
    built = { status, output: `${stdout}\n${stderr}` };
  });
  afterAll(() => rmSync(workspace, { recursive: true, force: true }));

  test('is built by colcon as the documents say, with both packages and their files', () => {
    expect(TOLD.map(({ build }) => build.length)).toEqual([1, 1]);
    expect(built.status, built.output).toBe(0);
    expect(built.output).toMatch(/Summary: 2 packages finished/);
    for (const [name, files] of Object.entries({
      arm_bridge: [
        'launch/simulated_pair.launch.xml',
        'rviz/arms.rviz',
        'config/default.yaml',
        'robots/so101/arm.yaml',
        'action/MoveAbsolute.action',
      ],
      arm_bridge_moveit: ['launch/moveit.launch.py', 'rviz/moveit.rviz', 'config/so101/so101.srdf.xacro'],
    })) {
      for (const file of files) expect(existsSync(installed(name, 'share', name, file)), file).toBe(true);
    }
  });

  test('holds what the preparation of a checkout builds by itself, and the type supports of every language', () => {
    const own = join(ROOT, 'build/ros/install');
    const files = readdirSync(own, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('arm_bridge'));
    const texts = files.filter((name) => /\.(py|msg|srv|action|idl|json)$|rosidl_interfaces\/arm_bridge$/.test(name));
    expect(texts.length).toBeGreaterThan(40);
    for (const name of texts)
      expect(readFileSync(installed('arm_bridge', name), 'utf8'), name).toBe(readFileSync(join(own, name), 'utf8'));
    const supports = ['fastrtps_c', 'fastrtps_cpp', 'introspection_c', 'introspection_cpp', 'c', 'cpp'];
    const libraries = supports.map((support) => `lib/libarm_bridge__rosidl_typesupport_${support}.so`);
    for (const name of [...libraries, ...files.filter((file) => /^lib\/\w+\.so$/.test(file))])
      expect(existsSync(installed('arm_bridge', name)), name).toBe(true);
  });

  test('does not hold the interfaces that the ROS 2 of PyPI lacks: they are not laid over those of a real one', () => {
    const command = 'colcon build --base-paths src src/arm-bridge/moveit --packages-select control_msgs tf2_msgs';
    const { stderr, stdout } = spawnSync('bash', ['-c', command], {
      cwd: workspace,
      env: environment,
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/unknown package 'control_msgs'[\s\S]*unknown package 'tf2_msgs'/);
    expect(stdout).toMatch(/Summary: 0 packages finished/);
  });

  test('starts the bridge by its launcher', async () => {
    // A home without the preparation, which is not what is tested here: the launcher then runs the compiled program.
    const home = join(workspace, 'home');
    mkdirSync(home);
    symlinkSync(join(ROOT, 'dist'), join(home, 'dist'));
    const program: ChildProcessWithoutNullStreams = spawn(
      installed('arm_bridge/lib/arm_bridge/bridge'),
      ['--port', '0', '--ros-args', '-p', 'log.level:=info', '-r', '__ns:=/lab'],
      { env: { ...process.env, ROS_DOMAIN_ID: ROS_DOMAIN, ARM_BRIDGE_HOME: home } },
    );
    const ended = once(program, 'close');
    let log = '';
    for (const stream of [program.stdout, program.stderr]) {
      stream.on('data', (text) => {
        log += text;
      });
    }
    await expect.poll(() => log, { timeout: 60_000 }).toMatch(/HTTP on http/);
    expect(log).toMatch(/2 arms in \/lab/);
    program.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test.skipIf(NO_ROS2 !== null)('is launched by the real ros2 launch from where colcon has installed it', async () => {
    const home = join(workspace, 'launched');
    mkdirSync(home);
    symlinkSync(join(ROOT, 'dist'), join(home, 'dist'));
    const ros2 = new Ros2({ moveit_ros_move_group: ['move_group'] }, [
      installed('arm_bridge'),
      installed('arm_bridge_moveit'),
    ]);
    try {
      ros2.environment.ARM_BRIDGE_HOME = home;
      const launch = ros2.launch('arm_bridge_moveit', 'moveit.launch.py', 'bridge:=true', 'http_port:=0');
      await launch.says(/HTTP on http/);
      await expect.poll(() => ros2.notes().length, { timeout: 60_000 }).toBe(1);
      expect([await launch.end(), launch.output]).toEqual([
        0,
        expect.not.stringMatching(/Traceback|process has died|escalating/),
      ]);
    } finally {
      await ros2.close();
    }
  });
});
