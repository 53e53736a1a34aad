import pino from 'pino';
import { expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { Session } from '../../src/http/guard.ts';
import type { StopChannel, StopSetup, ToStop } from '../../src/stop/messages.ts';
import { StopListener } from '../../src/stop/stop-listener.ts';

/** A thread that fails is started again after this time, s. */
const AGAIN = 1;

interface Started {
  readonly channel: StopChannel;
  readonly setup: StopSetup;
  readonly posted: ToStop[];
}

function listener() {
  const time = new VirtualTime();
  const threads: Started[] = [];
  const log: { level: number; msg: string }[] = [];
  const logger = pino({}, { write: (line: string) => void log.push(JSON.parse(line)) });
  const launch = (setup: StopSetup): StopChannel => {
    const posted: ToStop[] = [];
    const channel: StopChannel = {
      post: (message) => void posted.push(message),
      close: () => channel.onExit(new Error('it has been closed')),
      onMessage: () => {},
      onExit: () => {},
    };
    threads.push({ channel, setup, posted });
    return channel;
  };
  const setup = { host: '127.0.0.1', port: 0, arms: [] } as unknown as StopSetup;
  const stop = new StopListener(launch, setup, time.lane('main'), logger);
  return { stop, threads, log, pass: (seconds: number) => time.run(time.now + seconds) };
}

const SESSION = { key: 'abc', session: { admission: {}, ends: 9e12 } as unknown as Session };

test('a stop thread that is started again knows the pages that are signed in', async () => {
  const { stop, threads, pass } = listener();
  threads[0]!.channel.onMessage({ kind: 'listening', port: 8021 });
  stop.session(SESSION);
  stop.session({ key: 'gone', session: SESSION.session });
  stop.session({ key: 'gone', session: null });
  threads[0]!.channel.onExit(new Error('out of memory'));
  expect(stop.port).toBeNull();
  await pass(AGAIN);
  expect(threads).toHaveLength(2);
  expect(threads[1]!.posted).toEqual([SESSION]);
  expect(threads[1]!.setup.port).toBe(8021);
});

test('a port that is taken meanwhile is tried for until it is free, and told once', async () => {
  const { stop, threads, log, pass } = listener();
  threads[0]!.channel.onMessage({ kind: 'listening', port: 8021 });
  threads[0]!.channel.onExit(new Error('out of memory'));
  for (let tries = 1; tries < 5; tries++) {
    await pass(AGAIN);
    threads[tries]!.channel.onMessage({ kind: 'failed', code: 'EADDRINUSE' });
  }
  expect(log.filter(({ level }) => level >= 50)).toHaveLength(1);
  await pass(AGAIN);
  threads[5]!.channel.onMessage({ kind: 'listening', port: 8021 });
  expect(stop.port).toBe(8021);
  stop.close();
  await pass(AGAIN);
  expect(threads).toHaveLength(6);
});
