import { expect, test } from 'vitest';
import { PAIR } from '../../src/mirror/pair.ts';
import { stepsOf } from '../support/machines.ts';

test('whatever ends a pair frees both arms, and nothing but a wish releases a floating leader', () => {
  const ends = stepsOf(PAIR).filter(({ to }) => to === 'ended');
  for (const { from, input, effects } of ends) {
    expect(effects.slice(0, 2), `${from} ${input}`).toEqual(['freeFollower', 'freeLeader']);
    expect(effects.includes('releaseLeader'), `${from} ${input}`).toBe(input === 'stop' || input === 'leave');
  }
});

test('an arm that is lost, a failed set-up, a stop and a disconnection each end a pair in every state', () => {
  for (const [state, row] of Object.entries(PAIR.table)) {
    if (state === 'ended') continue;
    for (const input of ['failed', 'lost', 'stop', 'leave'] as const)
      expect(row[input].to, `${state} ${input}`).toBe('ended');
  }
});

test('a pair that has ended does nothing any more', () => {
  for (const { to, effects } of Object.values(PAIR.table.ended)) expect([to, effects]).toEqual(['ended', []]);
});

test('the follower is driven only once its leader is in the hand', () => {
  expect(stepsOf(PAIR).filter(({ to }) => to === 'following')).toEqual([
    { from: 'arming', input: 'driven', to: 'following', effects: [] },
  ]);
});
