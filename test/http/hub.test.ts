import { expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { Asks } from '../../src/http/asks.ts';
import { Hub, MOST_WAITING } from '../../src/http/live/hub.ts';
import type { Topic } from '../../src/http/live/protocol.ts';
import type { HttpServices } from '../../src/http/services.ts';
import { fakeServices } from './fakes.ts';

/** A hub in virtual time, and a client of it that notes what it is sent. */
function stage() {
  const time = new VirtualTime();
  const clock = time.lane('main');
  let timers = 0;
  const timer = clock.timer.bind(clock);
  clock.timer = (call) => {
    timers++;
    return timer(call);
  };
  const services = { ...fakeServices(), clock };
  const hub = new Hub(services as unknown as HttpServices, { changes: 1, all: [] } as unknown as Asks);
  const join = (topics: readonly Topic[], rate: number, waiting = () => 0, address = '::1') => {
    const got: { topic: Topic | 'hello'; at: number; frame: Buffer }[] = [];
    const closed = { at: Number.NaN };
    const watcher = hub.add({
      address,
      waiting,
      send: (topic, frame) => got.push({ topic, at: time.now, frame }),
      greet: () => got.push({ topic: 'hello', at: time.now, frame: Buffer.alloc(0) }),
      close: () => {
        closed.at = time.now;
      },
    });
    hub.subscribe(watcher, topics, rate);
    return { got, watcher, closed };
  };
  return { time, hub, join, services, timers: () => timers };
}

test('every client gets frames at the rate it asked for, by one timer however many rates there are', async () => {
  const { time, join, timers } = stage();
  const clients = Array.from({ length: 100 }, (_, i) => ({ rate: 1 + i * 0.99, ...join(['arms'], 1 + i * 0.99) }));
  await time.run(10);
  for (const { rate, got } of clients) expect(Math.abs(got.length - 10 * rate)).toBeLessThanOrEqual(2);
  expect(timers()).toBe(1);
});

test('clients of one rate share their frames, whenever they came', async () => {
  const { time, join } = stage();
  const first = join(['arms'], 50);
  await time.run(0.033);
  const second = join(['arms'], 50);
  await time.run(1);
  const late = first.got.slice(-20);
  expect(second.got.slice(-20).map(({ frame }) => frame)).toEqual(late.map(({ frame }) => frame));
  for (const [i, { frame }] of second.got.slice(-20).entries()) expect(frame).toBe(late[i]!.frame);
});

test('all topics come at once, then those that change slowly five times a second', async () => {
  const { time, join } = stage();
  const { got } = join(['arms', 'pairs', 'loop'], 100);
  await time.run(0.015);
  expect(new Set(got.map(({ topic }) => topic))).toEqual(new Set(['arms', 'pairs', 'loop']));
  await time.run(10);
  const count = (wanted: Topic) => got.filter(({ topic }) => topic === wanted).length;
  expect(count('arms')).toBeGreaterThan(990);
  expect(Math.abs(count('loop') - 50)).toBeLessThan(4);
  expect(count('pairs')).toBe(count('loop'));
});

test('however often a client is to be greeted again, it is once, before other frames and when it has read', async () => {
  const { time, join } = stage();
  let waiting = 0;
  const { got, watcher } = join(['arms', 'log'], 100, () => waiting);
  await time.run(1);
  got.length = 0;
  waiting = MOST_WAITING;
  for (let i = 0; i < 100; i++) {
    watcher.greeting = true;
    await time.run(time.now + 0.02);
  }
  expect(got).toEqual([]);
  waiting = 0;
  await time.run(time.now + 1);
  const greeted = got.findIndex(({ topic }) => topic === 'hello');
  expect(got.filter(({ topic }) => topic === 'hello')).toHaveLength(1);
  // Frames of arms go on until the next one of slowly changing topics; all else comes after hello.
  expect(new Set(got.slice(0, greeted).map(({ topic }) => topic))).not.toContain('log');
  expect(got[greeted]!.at).toBeLessThan(got[0]!.at + 0.2);
  expect(watcher.seen.log).toBe(0);
});

test('a thread that stood still makes up for no frames', async () => {
  const { time, join, services } = stage();
  const { got } = join(['arms'], 100);
  await time.run(1);
  (services.clock as ReturnType<VirtualTime['lane']>).pause(5);
  await time.run(6.5);
  const after = got.filter(({ at }) => at > 5.9);
  expect(after.length).toBeLessThan(60);
});

test('a client that takes nothing for 30 s is let go, one that takes something is not', async () => {
  const { time, join, hub } = stage();
  let waiting = 1e9;
  const stuck = join(['arms'], 20, () => 1e9);
  const slow = join(['arms'], 20, () => waiting);
  await time.run(20);
  waiting = 0;
  await time.run(21);
  waiting = 1e9;
  await time.run(40);
  expect(stuck.closed.at).toBeGreaterThan(30);
  expect(stuck.closed.at).toBeLessThan(31);
  expect([slow.closed.at, hub.size]).toEqual([Number.NaN, 1]);
  expect(stuck.got).toEqual([]);
});

test('a network keeps neither another one nor this computer from watching', () => {
  const { hub, join } = stage();
  const crowd = (network: string) => {
    const watchers = [];
    for (let host = 0; hub.hasRoom(`${network}::${host}`); host++) {
      watchers.push(join(['arms'], 1, undefined, `${network}::${host}`).watcher);
    }
    return watchers;
  };
  const [first, second] = [crowd('fd00:0:0:1'), crowd('fd00:0:0:2')];
  expect([first.length, second.length]).toEqual([80, 80]);
  expect([hub.hasRoom('fd00:0:0:3::1'), hub.hasRoom('127.0.0.1')]).toEqual([false, true]);
  hub.remove(first[0]!);
  expect(hub.hasRoom('fd00:0:0:3::1')).toBe(true);
});
