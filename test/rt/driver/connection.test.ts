import { beforeEach, expect, test } from 'vitest';
import { Connection } from '../../../src/rt/driver/connection.ts';

let log: string[];
let connection: Connection;

beforeEach(() => {
  log = [];
  const hook = (name: string) => () => void log.push(name);
  connection = new Connection({
    open: hook('open'),
    check: hook('check'),
    take: hook('take'),
    settle: hook('settle'),
    close: hook('close'),
  });
});

function connect(now: number): void {
  connection.advance(now);
  connection.put('opened', now);
  connection.put('checked', now);
}

test('opens the port, checks the servos, takes over what it finds, and is up then', () => {
  connection.advance(0);
  expect([log, connection.up]).toEqual([['open'], false]);
  connection.advance(1);
  expect(log).toEqual(['open']);
  connection.put('opened', 1);
  expect([log, connection.up]).toEqual([['open', 'check'], false]);
  connection.put('checked', 1);
  expect([log, connection.up, connection.reading]).toEqual([['open', 'check', 'take'], true, true]);
});

test('tries again 0.1 s later, then after twice as long each time, at most 5 s', () => {
  const tries: number[] = [];
  for (let ms = 0; ms < 40_000; ms++) {
    const now = ms / 1000;
    connection.advance(now);
    if (log.length === 0) continue;
    log.length = 0;
    tries.push(now);
    connection.put('failed', now);
  }
  const waits = tries.slice(1).map((at, i) => Math.round(10 * (at - tries[i]!)) / 10);
  expect(waits.slice(0, 9)).toEqual([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5]);
});

test('a check that fails is made again on the open port; once up, the next failure is tried again soon', () => {
  connection.advance(0);
  connection.put('opened', 0);
  for (const at of [0, 1, 2]) {
    connection.put('failed', at);
    connection.advance(at + 0.99);
  }
  expect(log).toEqual(['open', 'check', 'check', 'check', 'check']);
  connection.put('checked', 3);
  connection.put('lost', 4);
  expect(log.slice(5)).toEqual(['take', 'settle']);
  connection.advance(4.09);
  expect(log.length).toBe(7);
  connection.advance(4.11);
  expect(log.at(-1)).toBe('open');
});

test('servos that are in doubt are checked at once, and a limp arm stays up while it is checked for its torque', () => {
  connect(0);
  connection.put('doubt', 1);
  expect(connection.up).toBe(false);
  connection.advance(1);
  expect(log.at(-1)).toBe('check');
  connection.put('checked', 1);
  connection.put('renew', 2);
  expect([log.at(-1), connection.up, connection.reading]).toEqual(['check', true, false]);
  connection.put('failed', 2);
  expect(connection.up).toBe(false);
});

test('an arm that is taken off its bus leaves it alone, whatever was under way, until it is to be on it again', () => {
  connect(0);
  connection.put('detach', 1);
  expect(log.slice(-2)).toEqual(['settle', 'close']);
  connection.advance(9);
  expect(log.length).toBe(5);
  connection.put('attach', 10);
  connection.advance(10);
  expect(log.at(-1)).toBe('open');
  connection.put('detach', 10);
  expect([log.at(-1), connection.state]).toEqual(['close', 'leaving']);
  connection.put('attach', 10);
  connection.advance(20);
  expect(connection.state).toBe('dropped');
  connection.put('opened', 20);
  connection.advance(20);
  expect([connection.state, log.at(-1)]).toEqual(['checking', 'check']);
});

test('a port that goes while servos are checked is opened again only once the check has ended', () => {
  connection.advance(0);
  connection.put('opened', 0);
  connection.put('lost', 0);
  connection.advance(5);
  expect(log).toEqual(['open', 'check']);
  connection.put('failed', 5);
  connection.advance(5.2);
  expect(log).toEqual(['open', 'check', 'open']);
});
