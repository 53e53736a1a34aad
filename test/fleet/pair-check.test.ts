import { expect, test } from 'vitest';
import type { BridgeOverview } from '../../src/fleet/overview.ts';
import { likelySilence, refusalOfPair } from '../../src/fleet/pair-check.ts';

type Told = BridgeOverview['arms'][number];
type Graph = NonNullable<BridgeOverview['ros']['graph']>;

const GRAPH: Graph = { domain: 0, namespace: '/', commands: true, network: true };

const arm = (name: string, fields: Partial<Told> = {}): Told => ({
  name,
  model: 'so101',
  variant: 'follower',
  title: 'SO-101',
  simulated: true,
  remote: false,
  state: 'ready',
  torque: true,
  owner: null,
  owner_since: null,
  reason: '',
  doubt: '',
  ...fields,
});

const bridge = (name: string, arms: Told[], graph: Graph | null = GRAPH): BridgeOverview => ({
  id: name,
  name,
  version: '0.1.0',
  stop_port: null,
  trouble: '',
  ros: { reason: graph === null ? 'switched off with --no-ros' : '', graph },
  pairs: [],
  arms,
});

const desk = bridge('desk', [arm('leader', { torque: false, state: 'connected' }), arm('other')]);
const bench = bridge('bench', [arm('far')]);

/** The leader of the desk leads an arm of the bench. */
const refused = (following: BridgeOverview, leading = desk, others: BridgeOverview[] = [], name = 'far') =>
  refusalOfPair({ bridge: leading, arm: 'leader' }, { bridge: following, arm: name }, [leading, following, ...others]);

test('a limp leader of one bridge may lead an arm of another that holds and that nobody has', () => {
  expect(refused(bench)).toBeNull();
});

test.each<[string, Partial<Told>, string]>([
  ['limp', { torque: false, state: 'connected' }, 'is limp: switch its torque on there.'],
  ['stopped', { state: 'stopped', reason: 'by a person' }, 'is stopped (by a person): reset it there.'],
  ['disconnected', { state: 'disconnected', reason: 'no servo answers' }, 'is disconnected (no servo answers).'],
  ['somebody’s', { owner: 'a notebook' }, 'is driven by a notebook: it has to let go of it first.'],
  ['uncalibrated', { doubt: 'it has no calibration' }, 'is not moved: it has no calibration.'],
])('an arm that is %s is refused in the words of its bridge', (_how, fields, words) => {
  expect(refused(bridge('bench', [arm('far', fields)]))).toBe(`Arm far of bench ${words}`);
});

test('bridges that do not meet on ROS 2 are told apart, each with what to do', () => {
  const off = 'has no ROS 2, by which pairs go from bridge to bridge: switched off with --no-ros.';
  expect(refused(bridge('bench', [arm('far')], null))).toBe(`bench ${off}`);
  expect(refused(bench, bridge('desk', [arm('leader')], null))).toBe(`desk ${off}`);
  expect(refused(bridge('bench', [arm('far')], { ...GRAPH, domain: 7 }))).toBe(
    'desk is on domain 0 in /, bench is on domain 7 in /: give both the same ROS_DOMAIN_ID and namespace.',
  );
  expect(refused(bridge('bench', [arm('far')], { ...GRAPH, namespace: '/lab2' }))).toMatch(
    /bench is on domain 0 in \/lab2/,
  );
  expect(refused(bridge('bench', [arm('far')], { ...GRAPH, commands: false }))).toBe(
    'bench lets ROS 2 read its arms and not drive them: set ros.accept_commands to true there.',
  );
  // Nobody drives the leader over ROS 2.
  expect(refused(bench, bridge('desk', [arm('leader')], { ...GRAPH, commands: false }))).toBeNull();
});

test('an arm is no follower while another bridge of the graph has one of the same name', () => {
  const words = 'both have an arm "far", and nobody could tell which one obeys: rename one.';
  expect(refused(bench, bridge('desk', [arm('leader'), arm('far')]))).toBe(`desk and bench ${words}`);
  expect(refused(bench, desk, [bridge('third', [arm('far')])])).toBe(`third and bench ${words}`);
  expect(refused(bench, desk, [bridge('third', [arm('far')], { ...GRAPH, domain: 3 })])).toBeNull();
  // The leader's bridge may know it already.
  expect(refused(bench, bridge('desk', [arm('leader'), arm('far', { remote: true })]))).toBeNull();
});

test('arms are named with the bridge that has them', () => {
  expect(refused(bench, desk, [], 'near')).toBe('bench has no arm "near": its arms are far.');
  expect(refused(bridge('bench', [arm('far', { remote: true })]))).toBe(
    'Arm far of bench belongs to another machine: name it with its own bridge.',
  );
});

test('what is to be said of two arms of one bridge that bridge says by itself', () => {
  const own = bridge('desk', [arm('leader'), arm('far', { state: 'stopped' })], null);
  expect(refused(own, own)).toBeNull();
});

test('bridges that only their own computers find may be why nothing is heard', () => {
  const hidden = bridge('bench', [], { ...GRAPH, network: false });
  expect(likelySilence(desk, bench)).toBe('');
  expect(likelySilence(desk, hidden)).toBe(' On ROS 2 bench can be found by its own computer alone (ros.discovery).');
  expect(likelySilence(bridge('desk', [], { ...GRAPH, network: false }), hidden)).toMatch(
    /desk and bench can .* their own/,
  );
});
