import { describe, expect, test } from 'vitest';
import { defineMachine, Running } from '../src/machine.ts';
import { ARMING } from '../src/rt/driver/arming-machine.ts';
import { CONNECTION } from '../src/rt/driver/connection.ts';
import { SERVO_TRUST } from '../src/rt/driver/servo-trust.ts';
import { WATCHDOG } from '../src/rt/driver/watchdog.ts';
import { ARM_LIFE } from '../src/rt/joint/arm-life.ts';
import { ENDS, MACHINES, stepsOf } from './support/machines.ts';

describe.each(MACHINES.map((machine) => [machine.name, machine] as const))('%s', (_, machine) => {
  const steps = stepsOf(machine);

  test('every state can be reached, and left again', () => {
    const reached = new Set([machine.initial]);
    for (let grown = true; grown; ) {
      grown = false;
      for (const { from, to } of steps) {
        if (!reached.has(from) || reached.has(to)) continue;
        reached.add(to);
        grown = true;
      }
    }
    expect([...reached].sort()).toEqual(Object.keys(machine.states).sort());
    for (const state of Object.keys(machine.states)) {
      const left = steps.some(({ from, to }) => from === state && to !== state);
      expect(left, state).toBe(!(ENDS[machine.name] ?? []).includes(state));
    }
  });

  test('every input changes something somewhere, and every effect has its place', () => {
    expect([...new Set(steps.map(({ input }) => input))].sort()).toEqual(Object.keys(machine.inputs).sort());
    expect([...new Set(steps.flatMap(({ effects }) => effects))].sort()).toEqual(Object.keys(machine.effects).sort());
  });

  test('every state answers every input', () => {
    for (const row of Object.values(machine.table))
      expect(Object.keys(row).sort()).toEqual(Object.keys(machine.inputs).sort());
  });
});

/** States from which a machine can come to an effect without any of these inputs. */
function canReach(machine: (typeof MACHINES)[number], effect: string, without: readonly string[]): string[] {
  const steps = stepsOf(machine).filter(({ input }) => !without.includes(input));
  const found = new Set(steps.filter(({ effects }) => effects.includes(effect)).map(({ from }) => from));
  for (let grown = true; grown; ) {
    grown = false;
    for (const { from, to } of steps) {
      if (!found.has(to) || found.has(from)) continue;
      found.add(from);
      grown = true;
    }
  }
  return [...found].sort();
}

describe('a torque command', () => {
  test('sends torque on only after all servos were read to hold their goals', () => {
    const energising = stepsOf(ARMING).filter(({ effects }) => effects.includes('energise'));
    expect(energising.map(({ from, input }) => `${from} ${input}`)).toEqual([
      'offering taken',
      'energising unanswered',
    ]);
    expect(canReach(ARMING, 'energise', ['taken'])).toEqual(['energising']);
  });

  test('sends no torque on after an end until torque is asked for anew', () => {
    for (const row of Object.values(ARMING.table)) {
      expect(row.end.effects).not.toContain('energise');
      expect(canReach(ARMING, 'energise', ['on'])).not.toContain(row.end.to);
    }
  });

  test('is undone whenever it ends with torque on its way', () => {
    // Some servos take torque with their first goal.
    for (const state of ['offering', 'energising', 'proving'] as const)
      for (const input of ['end', 'moved', 'lost'] as const)
        expect(ARMING.table[state][input].effects, `${state} ${input}`).toContain('undo');
  });

  test('answers whoever asked exactly once', () => {
    for (const [from, row] of Object.entries(ARMING.table)) {
      for (const [input, { to, effects }] of Object.entries(row)) {
        const told = effects.filter((effect) => effect === 'succeed' || effect === 'fail').length;
        const waits = (state: string): boolean => !['idle', 'undoing'].includes(state);
        const begins = input === 'on' || input === 'off';
        if (waits(from) && !waits(to)) expect(told, `${from} ${input}`).toBe(1);
        else if (!begins) expect(told, `${from} ${input}`).toBe(0);
      }
    }
  });
});

describe('the life of an arm', () => {
  test('nothing but the reset leads out of a stop, besides the loss of the servos', () => {
    const out = stepsOf(ARM_LIFE).filter(({ from, to }) => from === 'stopped' && to !== 'stopped');
    expect(out.map(({ input }) => input).sort()).toEqual(['gone', 'releasedHolding', 'releasedLimp']);
  });

  test('a stop is obeyed in every state in which there are servos', () => {
    for (const [state, row] of Object.entries(ARM_LIFE.table)) {
      if (state === 'disconnected' || state === 'stopped') continue;
      expect(row.latched, state).toEqual({ to: 'stopped', effects: ['stop'] });
    }
  });

  test('what drove an arm ends with its servos and with its torque', () => {
    for (const state of ['ready', 'moving', 'mirroring', 'floating', 'stopped'] as const) {
      expect(ARM_LIFE.table[state].gone).toEqual({ to: 'disconnected', effects: ['drop'] });
      expect(ARM_LIFE.table[state].limp.effects).toEqual(['slacken']);
    }
  });

  test('an arm that comes back drives nothing by itself', () => {
    for (const input of ['foundLimp', 'foundHolding'] as const)
      expect(['connected', 'ready']).toContain(ARM_LIFE.table.disconnected[input].to);
  });
});

test('a connection reads servos only after a check, and never while an answer of the port is awaited', () => {
  const up = stepsOf(CONNECTION).filter(({ from, to }) => to === 'up' && from !== 'up');
  expect(up.map(({ from, input }) => `${from} ${input}`)).toEqual(['checking checked', 'renewing checked']);
  for (const state of ['opening', 'checking', 'renewing', 'dropped', 'leaving'] as const)
    expect(CONNECTION.table[state].due.effects, state).toEqual([]);
});

test('a servo that was lost is trusted again only after the arm has been checked', () => {
  for (const state of ['dead', 'limp'] as const) {
    for (const [input, { to }] of Object.entries(SERVO_TRUST.table[state]))
      expect(to === 'trusted', `${state} ${input}`).toBe(input === 'checked');
  }
});

test('a watchdog that is to be off is written off, also when nobody knows what it was', () => {
  const running = new Running(WATCHDOG);
  expect(running.put('spare', 0)).toEqual([]);
  expect(running.put('spare', 0)).toEqual(['clear']);
  running.put('written', 1);
  expect(running.state).toBe('off');
  expect(running.since).toBe(1);
});

test('a cell of a table is a state, a state and effects, or nothing', () => {
  const machine = defineMachine({
    name: 'Lamp',
    states: { off: 'dark', on: 'light' },
    inputs: { press: 'the button', wait: 'nothing' },
    effects: { click: 'a sound' },
    initial: 'off',
    table: { off: { press: ['on', 'click'], wait: null }, on: { press: 'off', wait: null } },
  });
  const lamp = new Running(machine, 3);
  expect(lamp.put('wait', 4)).toEqual([]);
  expect(lamp.since).toBe(3);
  expect(lamp.put('press', 5)).toEqual(['click']);
  expect(lamp.put('press', 6)).toEqual([]);
  expect([lamp.state, lamp.since]).toEqual(['off', 6]);
});
