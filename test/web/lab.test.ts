import { expect, test } from 'vitest';
import { labArms, labPairs, likelyLabPair, pairOf } from '../../web/lab.ts';

type Answer = Parameters<typeof labArms>[0];
type Overview = Answer['here'];
type Arm = Overview['arms'][number];
type Pair = Overview['pairs'][number];

const arm = (name: string, fields: Partial<Arm> = {}): Arm => ({
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

const overview = (name: string, arms: Arm[], pairs: Pair[] = []): Overview => ({
  id: name,
  name,
  version: '0.1.0',
  stop_port: null,
  trouble: '',
  ros: { reason: '', graph: null },
  pairs,
  arms,
});

const other = (bridge: Overview, fields: Partial<Answer['others'][number]> = {}): Answer['others'][number] => ({
  url: `https://${bridge.name}:8020`,
  configured: true,
  state: 'answers',
  reason: '',
  seen: 1,
  bridge,
  ...fields,
});

test('each arm can be chosen once, with the bridge that has it, as that bridge tells of it', () => {
  const limp = arm('leader', { state: 'connected', torque: false });
  const answer = {
    here: overview('desk', [limp, arm('far', { remote: true })]),
    others: [
      other(overview('bench', [arm('far', { state: 'stopped', reason: 'by a person' })])),
      other(overview('attic', [arm('dusty')]), { state: 'silent', reason: 'nothing listens there' }),
    ],
  };
  expect(labArms(answer)).toEqual([
    { bridge: null, arm: 'leader', variant: 'follower', text: 'desk: leader: connected (limp)' },
    { bridge: 'https://bench:8020', arm: 'far', variant: 'follower', text: 'bench: far: stopped, by a person' },
  ]);
});

test('a pair tells what its own bridge and that of its follower say of it, and can be ended while it runs', () => {
  const pair = (state: string, reason = ''): Pair => ({ leader: 'leader', follower: 'far', state, reason });
  const desk = (pairs: Pair[]): Overview => overview('desk', [arm('leader'), arm('far', { remote: true })], pairs);
  const shown = (pairs: Pair[], far: Partial<Arm> = {}, fields: Partial<Answer['others'][number]> = {}) =>
    labPairs({ here: desk(pairs), others: [other(overview('bench', [arm('far', far)]), fields)] });
  expect(shown([pair('mirroring')])).toEqual([
    {
      bridge: null,
      leader: 'leader',
      follower: 'far',
      followerBridge: 'https://bench:8020',
      text: 'desk: leader → bench: far, mirroring',
      runs: true,
    },
  ]);
  expect(shown([pair('mirroring')], { reason: 'by a person' })[0]!.text).toMatch(/; bench says: by a person$/);
  expect(shown([pair('holding', 'no fresh sample')], {}, { state: 'silent', reason: 'it hung up' })[0]!.text).toBe(
    'desk: leader → bench: far, holding; no fresh sample; bench is silent: it hung up',
  );
  expect(shown([pair('idle', 'stopped by a person')])[0]).toMatchObject({
    text: 'desk: leader → bench: far, ended; stopped by a person',
    runs: false,
  });
});

test('a pair of one other bridge is ended there', () => {
  const bench = overview('bench', [arm('a'), arm('b')], [{ leader: 'a', follower: 'b', state: 'ramping', reason: '' }]);
  expect(labPairs({ here: overview('desk', []), others: [other(bench)] })).toEqual([
    {
      bridge: 'https://bench:8020',
      leader: 'a',
      follower: 'b',
      followerBridge: 'https://bench:8020',
      text: 'bench: a → b, ramping',
      runs: true,
    },
  ]);
});

test('an arm has a part in a pair while that runs: by its own bridge, not by its name alone', () => {
  const pair = (state: string): Pair => ({ leader: 'leader', follower: 'far', state, reason: '' });
  const pairs = (state: string) =>
    labPairs({
      here: overview('desk', [arm('leader'), arm('far', { remote: true })], [pair(state)]),
      others: [other(overview('bench', [arm('far'), arm('leader')]))],
    });
  const bench = 'https://bench:8020';
  expect(pairOf(pairs('mirroring'), [{ bridge: null, arm: 'leader' }])).toMatchObject({ follower: 'far' });
  expect(pairOf(pairs('mirroring'), [{ bridge: bench, arm: 'far' }])).toMatchObject({ leader: 'leader' });
  expect(pairOf(pairs('mirroring'), [{ bridge: bench, arm: 'leader' }])).toBeUndefined();
  expect(pairOf(pairs('idle'), [{ bridge: null, arm: 'leader' }])).toBeUndefined();
});

test('a pair of the laboratory is proposed where one is known or the builds of the arms leave no other, and else none', () => {
  const bench = 'https://bench:8020';
  const proposed = (arms: Arm[], far: Arm[], pairs: Pair[] = []) => {
    const answer = { here: overview('desk', arms, pairs), others: [other(overview('bench', far))] };
    const { leader, follower } = likelyLabPair(labArms(answer), labPairs(answer));
    return [leader, follower].map((each) => each && [each.bridge, each.arm]);
  };
  const leader = (name: string): Arm => arm(name, { variant: 'leader' });
  expect(proposed([arm('a'), arm('b')], [arm('c')])).toEqual([undefined, undefined]);
  expect(proposed([arm('a')], [leader('b')])).toEqual([
    [bench, 'b'],
    [null, 'a'],
  ]);
  expect(proposed([arm('a'), arm('c')], [leader('b')])).toEqual([[bench, 'b'], undefined]);
  expect(proposed([arm('a'), leader('c')], [leader('b')])).toEqual([undefined, [null, 'a']]);
  expect(proposed([arm('a'), arm('my_leader')], [])).toEqual([
    [null, 'my_leader'],
    [null, 'a'],
  ]);
  // Its own bridge says who has which part, whatever the arms are built for.
  const pair = { leader: 'a', follower: 'b', state: 'idle', reason: '' };
  const guest = arm('b', { remote: true });
  expect(proposed([arm('a'), guest], [leader('b')], [pair])).toEqual([
    [null, 'a'],
    [bench, 'b'],
  ]);
});
