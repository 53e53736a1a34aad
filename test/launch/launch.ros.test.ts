import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { ROS_DOMAIN } from '../e2e/support/bridge.ts';
import { type JointStateMessage, Witness } from '../ros/support/ros.ts';
import { listening } from '../support/listening.ts';
import { type Launch, NO_ROS2, ROOT, Ros2 } from './support/ros2.ts';

vi.setConfig({ testTimeout: 240_000 });

const FILES = readdirSync(join(ROOT, 'launch'));
const GRAPH = { ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' };
const STAND_INS = { rviz2: ['rviz2'], robot_state_publisher: ['robot_state_publisher'] };
/** A configuration for each file, where it asks for one. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'real_pair.launch.xml': [`config:=${join(ROOT, 'config/default.yaml')}`],
};
const ARMS: Readonly<Record<string, readonly string[]>> = {
  'follower_here.launch.xml': ['follower'],
  'leader_here.launch.xml': ['leader', 'follower'],
};

interface Transforms {
  readonly transforms: readonly { readonly child_frame_id: string }[];
}

/**
 * Whether a test may have the port that the bridge takes when nobody says otherwise: it is free, and no other test process of
 * this machine, of whatever checkout, is about to take it.
 */
async function mayTakeDefaultPort(): Promise<boolean> {
  const claim = await listening({ path: '\0arm-bridge-default-port' });
  if (claim === null) return false;
  onTestFinished(() => void claim.close());
  const server = await listening({ host: '127.0.0.1', port: 8020 });
  if (server === null) return false;
  server.close();
  await once(server, 'close');
  return true;
}

describe.skipIf(NO_ROS2 !== null)('ros2 launch arm_bridge', () => {
  let ros2: Ros2;
  let witness: Witness;
  beforeAll(async () => {
    ros2 = new Ros2(STAND_INS);
    witness = await Witness.start(GRAPH);
  });
  afterAll(async () => {
    await witness?.close();
    await ros2?.close();
  });

  const started = async (launch: Launch): Promise<void> => {
    await launch.says(/HTTP on http/);
    await launch.says(/ROS 2 \w+: \d arms? in/);
  };
  const endsCleanly = async (launch: Launch): Promise<void> => {
    expect([await launch.end(), launch.output]).toEqual([
      0,
      expect.not.stringMatching(/Traceback|process has died|escalating/),
    ]);
    expect(launch.output).toMatch(/\[bridge-\d+\]: process has finished cleanly/);
  };
  /** Names of the joints that are told on a topic. */
  const jointsOn = async (topic: string): Promise<string[]> => {
    const take = await witness.subscribe<JointStateMessage>('sensor_msgs/msg/JointState', topic);
    return (await take(1)).at(-1)!.message.name;
  };

  /** Waits until frames are told on these topics and on no others. */
  const framesAreOn = (by: Witness, node: string, wanted: readonly string[]): Promise<void> =>
    by.graphPasses(node, ({ topics }) =>
      expect(Object.keys(topics).filter((name) => /\/tf(?:_static)?$/.test(name))).toEqual(wanted),
    );

  test.each(FILES)('%s describes its arguments, namespace and prefix among them', async (file) => {
    const { code, output } = await ros2.run('launch', 'arm_bridge', file, '--show-args');
    expect([code, output]).toEqual([0, expect.stringContaining("'namespace':")]);
    for (const name of ['config', 'http_port', 'namespace', 'tf', 'prefix']) {
      expect(output).toMatch(new RegExp(`'${name}':\\n +\\S.{10,}`));
    }
  });

  test.each(FILES.filter((file) => !(file in NEEDED)))(
    '%s starts without arguments, and ends by Ctrl-C',
    async (file) => {
      const port = (await mayTakeDefaultPort()) ? [] : ['http_port:=0'];
      const launch = ros2.launch('arm_bridge', file, ...port);
      await started(launch);
      await endsCleanly(launch);
    },
  );

  test.each(FILES)(
    '%s starts with arguments: below a namespace, joints with a prefix, and with what looks at them',
    async (file) => {
      ros2.clear();
      const last = file === 'follower_here.launch.xml' ? 'frames:=robot_state_publisher' : 'rviz:=true';
      const launch = ros2.launch(
        ...['arm_bridge', file, 'http_port:=0', 'namespace:=lab', 'prefix:=auto', 'tf:=/lab/tf', last],
        ...(NEEDED[file] ?? []),
      );
      await started(launch);
      await launch.says(/arms? in \/lab/);
      const arm = (ARMS[file] ?? ['follower'])[0]!;
      const joints = await jointsOn(`/lab/${arm}/joint_states`);
      expect([joints.length, joints[0]]).toEqual([6, `${arm}_shoulder_pan`]);
      await expect.poll(() => ros2.notes().length, { timeout: 30_000 }).toBe(1);
      const [note] = ros2.notes();
      expect(note!.topics).toMatchObject({ '/tf': '/lab/tf', '/tf_static': '/lab/tf_static' });
      if (file === 'follower_here.launch.xml') {
        expect(note!.node).toBe('/lab/follower/robot_state_publisher');
        const { frame_prefix, robot_description } = note!.parameters as Readonly<Record<string, string>>;
        const urdf = parseUrdf(robot_description!);
        expect(joints.filter((name) => !urdf.joints.some((joint) => joint.name === name))).toEqual([]);
        // The bridge places the root of its tree.
        const latched = { durability: 'TRANSIENT_LOCAL' } as const;
        // Of a witness that ends with this test: what it reads stays a topic of the graph.
        const reader = await Witness.start(GRAPH);
        onTestFinished(() => reader.close());
        const take = await reader.subscribe<Transforms>('tf2_msgs/msg/TFMessage', '/lab/tf_static', latched);
        const [placed] = (await take(1))[0]!.message.transforms;
        expect(placed!.child_frame_id).toBe(`${frame_prefix}${urdf.root}`);
        // The bridge's own is the one with the limits of planned motion.
        expect(note!.topics.robot_description).not.toBe('/lab/follower/robot_description');
        await framesAreOn(witness, '/lab/follower/arm_bridge', ['/lab/tf_static']);
      } else {
        expect(note!.arguments).toEqual([
          '-d',
          expect.stringMatching(/share\/arm_bridge\/rviz\/arms_with_prefix\.rviz$/),
        ]);
        // What it shows is below the namespace, too.
        expect(note!.node).toBe('/lab/rviz2');
        expect(readFileSync(note!.arguments[1]!, 'utf8')).not.toMatch(/Value: \//);
      }
      await endsCleanly(launch);
    },
  );

  test('two at once keep to their namespaces, and their frames apart', async () => {
    const file = 'simulated_pair.launch.xml';
    const both = ['one', 'two'].map((name) =>
      ros2.launch('arm_bridge', file, 'http_port:=0', `namespace:=${name}`, `tf:=/${name}/tf`),
    );
    await Promise.all(both.map(started));
    for (const name of ['one', 'two']) {
      expect(await jointsOn(`/${name}/leader/joint_states`)).toHaveLength(6);
    }
    // A witness that begins now knows no nodes of bridges that have ended.
    const later = await Witness.start(GRAPH);
    onTestFinished(() => later.close());
    const wanted = ['one', 'two'].flatMap((name) =>
      ['', '/follower', '/leader'].map((arm) => `/${name}${arm}/arm_bridge`),
    );
    await later.graphPasses('/two/follower/arm_bridge', ({ nodes }) =>
      expect(nodes.filter((node) => node.endsWith('/arm_bridge'))).toEqual(wanted),
    );
    await framesAreOn(
      later,
      '/two/follower/arm_bridge',
      ['one', 'two'].flatMap((name) => [`/${name}/tf`, `/${name}/tf_static`]),
    );
    await Promise.all(both.map(endsCleanly));
  });

  test('a file that lacks an argument says which', async () => {
    const { code, output } = await ros2.run('launch', 'arm_bridge', 'real_pair.launch.xml');
    expect([code, output]).toEqual([1, expect.stringMatching(/config/)]);
  });
});
