import { describe, expect, test } from 'vitest';
import type { ArmFrame } from '../../web/protocol.ts';
import { CARDS, type Sight, STEPS, Tour } from '../../web/tour.ts';

const LIMP = {
  state: 'connected',
  initialised: false,
  joints: { position: [0, 0] },
  tool: { position: [0.1, 0, 0.1] },
};
const arm = (told: object): ArmFrame => ({ ...LIMP, ...told }) as unknown as ArmFrame;
const at = (...position: number[]) => ({ joints: { position } });
const tool = (...position: number[]) => ({ tool: { position } });

const ASLEEP: Sight = {
  leader: arm({}),
  follower: arm({}),
  mirroring: false,
  cube: null,
  episode: null,
  recordings: [],
};
const HOLDING = { state: 'ready', initialised: true };
const PAIRED: Sight = { ...ASLEEP, follower: arm({ ...HOLDING, state: 'mirroring' }), mirroring: true };

/** A tour that has been begun, and gone on so often without anything having been done. */
function taken(skips = 0): Tour {
  const tour = new Tour();
  tour.put('begin');
  for (let i = 0; i < skips; i++) tour.put('next');
  return tour;
}

/** The states that a tour comes to as it is told all this. */
function states(tour: Tour, ...sights: readonly Sight[]): string[] {
  return sights.map((sight) => {
    tour.see(sight);
    return tour.state;
  });
}

describe('a step is ticked when it has really happened', () => {
  test('init: the follower has its zero and moves no more', () => {
    const tour = taken();
    const rising = { ...ASLEEP, follower: arm({ state: 'moving' }) };
    const almost = { ...ASLEEP, follower: arm({ state: 'moving', initialised: true }) };
    expect(states(tour, ASLEEP, rising, almost)).toEqual(['init', 'init', 'init']);
    expect(states(tour, { ...ASLEEP, follower: arm(HOLDING) })).toEqual(['initialised']);
    expect([...tour.ticked]).toEqual(['init']);
  });

  test('drag: its tool rests somewhere else; a zero that is gone leads back', () => {
    const tour = taken();
    const zero = { ...ASLEEP, follower: arm(HOLDING) };
    tour.see(zero);
    tour.put('next');
    const moving = { ...ASLEEP, follower: arm({ ...HOLDING, state: 'moving', ...tool(0.1, 0.05, 0.1) }) };
    expect(states(tour, zero, zero, moving)).toEqual(['drag', 'drag', 'drag']);
    expect(states(tour, { ...ASLEEP, follower: arm({ ...HOLDING, ...tool(0.1, 0.05, 0.1) }) })).toEqual(['dragged']);
    const lost = taken();
    lost.see(zero);
    lost.put('next');
    expect(states(lost, ASLEEP)).toEqual(['init']);
    expect([...lost.ticked]).toEqual(['init']);
  });

  test('lead: both arms of the pair have moved; a pair that ends leads back', () => {
    const tour = taken(1);
    expect(states(tour, ASLEEP, PAIRED, PAIRED)).toEqual(['pair', 'lead', 'lead']);
    const led = { ...PAIRED, leader: arm(at(0, 0.4)) };
    expect(states(tour, led, { ...led, mirroring: false }, PAIRED, PAIRED)).toEqual(['lead', 'pair', 'lead', 'lead']);
    const followed = { ...led, follower: arm({ state: 'mirroring', ...at(0, 0.38) }) };
    expect(states(tour, followed)).toEqual(['led']);
    expect([...tour.ticked]).toEqual(['lead']);
  });

  test('pick: the cube is up and in the gripper, not only somewhere above the table', () => {
    const tour = taken(1);
    tour.see(PAIRED);
    tour.put('next');
    const high = arm({ state: 'mirroring', ...tool(0.2, 0, 0.1) });
    expect(states(tour, PAIRED, { ...PAIRED, follower: high, cube: [0.2, 0, 0.01] })).toEqual(['pick', 'pick']);
    expect(states(tour, { ...PAIRED, follower: high, cube: [0.4, 0, 0.1] })).toEqual(['pick']);
    expect(states(tour, { ...PAIRED, follower: high, cube: [0.22, 0, 0.09] })).toEqual(['picked']);
  });

  test('record: the episode that was recorded is kept; one that is dropped is not ticked', () => {
    const tour = taken(2);
    const running = { ...ASLEEP, episode: 'a', recordings: ['older'] };
    const over = { ...ASLEEP, recordings: ['older'] };
    expect(states(tour, ASLEEP, running, running, over)).toEqual(['record', 'recording', 'recording', 'record']);
    expect(states(tour, running, running, { ...over, recordings: ['a'] })).toEqual([
      'recording',
      'recording',
      'recorded',
    ]);
    expect([...tour.ticked]).toEqual(['record']);
  });

  test('stop: an arm is stopped, and later all answer that they are not', () => {
    const tour = taken(3);
    const stopped = { ...ASLEEP, leader: arm({ state: 'stopped' }) };
    const silent = { ...ASLEEP, leader: arm({ state: 'disconnected' }) };
    expect(states(tour, ASLEEP, stopped, stopped, silent, ASLEEP)).toEqual([
      'stop',
      'reset',
      'reset',
      'reset',
      'finished',
    ]);
    expect([...tour.ticked]).toEqual(['stop']);
  });
});

test('who skips everything comes to the end without a tick, and never to a step that builds on a skipped one', () => {
  const tour = taken();
  const seen: string[] = [tour.state];
  while (tour.put('next')) {
    tour.see(ASLEEP);
    seen.push(tour.state);
  }
  expect(seen).toEqual(['init', 'pair', 'record', 'stop', 'finished']);
  expect(tour.ticked.size).toBe(0);
});

test('a tour that is ended sees nothing any more, and begins from the start without its ticks', () => {
  const tour = taken();
  tour.see({ ...ASLEEP, follower: arm(HOLDING) });
  tour.put('end');
  expect(states(tour, ASLEEP, PAIRED)).toEqual(['closed', 'closed']);
  tour.put('begin');
  expect([tour.state, tour.ticked.size]).toEqual(['init', 0]);
});

test('each step has words, in one or two sentences', () => {
  const steps = new Set(Object.values(CARDS).map(({ step }) => step));
  expect([...steps]).toEqual(Object.keys(STEPS));
  for (const { says } of Object.values(CARDS)) expect(says.split(/[.!?](?:\s|$)/).length).toBeLessThanOrEqual(3);
});
