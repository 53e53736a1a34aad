import { afterEach, expect, test, vi } from 'vitest';
import { problemOf } from '../../clients/typescript/src/errors.ts';
import { Bridge } from '../../clients/typescript/src/index.ts';
import { liveFrames, type Topic } from '../../clients/typescript/src/live.ts';
import { TOPICS } from '../../src/http/live/protocol.ts';
import { buildApp, fakeServices } from './fakes.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('an error says the next step once, in the words of the package', async () => {
  const services = fakeServices();
  services.arms.all[0]!.state = 'stopped';
  const app = buildApp(services);
  const headers = { accept: 'application/problem+json' };
  const reply = await app.inject({ method: 'POST', url: '/move/init?robot_id=0', headers });
  await app.close();
  const told = reply.json();
  const error = problemOf(reply.statusCode, told, null);
  expect(error.message).toBe(`${told.message} (call arm.reset() or bridge.reset()) [request ${told.request_id}]`);
  expect(error.message).not.toContain('/stop/reset');
  // A bridge that is newer than the client may name steps for which that has no words.
  expect(problemOf(409, { ...told, remedy: 'another' }, null).detail).toBe(told.detail);
});

const nobody = { fetch: () => Promise.reject(new TypeError('Failed to fetch')) };

test('a page that the bridge does not serve is told that it may not be answered', async () => {
  const there = new Bridge('http://localhost:8020', nobody);
  await expect(there.status()).rejects.toMatchObject({ code: 'unreachable', remedy: 'start' });
  vi.stubGlobal('location', { origin: 'http://localhost:3000' });
  await expect(there.status()).rejects.toMatchObject({
    remedy: 'origin',
    message: expect.stringContaining('http.cors_origins'),
  });
  expect(new Bridge().url).toBe('http://localhost:3000');
  await expect(new Bridge(undefined, nobody).status()).rejects.toMatchObject({ remedy: 'start' });
  // A file that a browser has opened.
  vi.stubGlobal('location', { origin: 'null' });
  expect(new Bridge().url).toBe('http://localhost:8020');
  await expect(there.status()).rejects.toMatchObject({ remedy: 'origin' });
});

test('a number that JSON cannot express is refused by name, and nothing is sent', async () => {
  const fetch = vi.fn();
  const arm = new Bridge('http://localhost:8020', { fetch }).arm('follower');
  await expect(arm.bridge.arm(1).move({ x: Number.NaN, y: 3 })).rejects.toThrow('"x" is NaN');
  await expect(arm.begin({ joints: { elbow: Number.POSITIVE_INFINITY } })).rejects.toThrow('"elbow" is Infinity');
  expect(fetch).not.toHaveBeenCalled();
});

/** How often a stream is opened that says nothing for half a minute after its first frame. */
async function openings(topic: Topic): Promise<number> {
  vi.useFakeTimers();
  const end = new AbortController();
  let count = 0;
  async function* frames(signal: AbortSignal): AsyncGenerator<string> {
    yield JSON.stringify({ type: 'hello' });
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
    for (;;) {
      // The bridge's sign of life.
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 10_000))]);
      yield '';
    }
  }
  const open = async (signal: AbortSignal) => {
    count++;
    return frames(signal);
  };
  const reading = (async () => {
    for await (const _ of liveFrames(open, { topics: [topic], signal: end.signal }));
  })();
  await vi.advanceTimersByTimeAsync(30_000);
  end.abort();
  await vi.advanceTimersByTimeAsync(30_000);
  await reading;
  return count;
}

test('a stream of what seldom changes may have nothing but signs of life, one that stands still is taken up anew', async () => {
  const often = new Set<Topic>(['arms', 'pairs', 'loop']);
  for (const topic of TOPICS) {
    const count = await openings(topic);
    expect([topic, count > 1]).toEqual([topic, often.has(topic)]);
  }
});

test('a stream that has begun goes on after a refusal that may not last, and ends with another', async () => {
  const answers = [null, 429, 408, null, 401];
  async function* hello(): AsyncGenerator<string> {
    yield JSON.stringify({ type: 'hello' });
  }
  const open = async () => {
    const status = answers.shift()!;
    if (status !== null) throw problemOf(status, { detail: 'no' }, null);
    return hello();
  };
  vi.useFakeTimers();
  let frames = 0;
  const reading = (async () => {
    for await (const _ of liveFrames(open)) frames++;
  })();
  const told = expect(reading).rejects.toMatchObject({ status: 401 });
  await vi.advanceTimersByTimeAsync(30_000);
  await told;
  expect([frames, answers]).toEqual([2, []]);
});

test('a stop is heard by its own port while the rest of the bridge answers nothing, and then asks no longer', async () => {
  const asked: string[] = [];
  const ended: string[] = [];
  let busy = false;
  const fetch = (async (to: URL, { method, signal }: RequestInit) => {
    const { port, pathname, search } = to;
    asked.push(`${method} ${port}${pathname}${search}`);
    if (pathname === '/status') return Response.json({ stop_port: 8031 });
    if (port === '8031') return Response.json({ status: 'ok', message: 'Stopped', robots: [0] });
    if (!busy) return Response.json({ arms: [] });
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => {
        ended.push(port);
        reject(signal.reason);
      });
    });
  }) as typeof globalThis.fetch;
  const bridge = new Bridge('http://localhost:8030', { fetch });
  await bridge.arms();
  await vi.waitFor(() => expect(asked).toContain('GET 8030/status'));
  busy = true;
  expect(await bridge.stop()).toMatchObject({ robots: [0] });
  await bridge.arm('left').stop();
  expect(asked.slice(2)).toEqual([
    'POST 8030/api/v1/stop',
    'POST 8031/api/v1/stop',
    'POST 8030/api/v1/stop?arm=left',
    'POST 8031/api/v1/stop?arm=left',
  ]);
  await vi.waitFor(() => expect(ended).toEqual(['8030', '8030']), { timeout: 30_000 });
});

test('a reset waits for a stop of its client that one port has not answered yet', async () => {
  const told: string[] = [];
  let answer = () => {};
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const fetch = (async ({ port, pathname }: URL) => {
    if (pathname === '/status') return Response.json({ stop_port: 8031 });
    if (port === '8030' && pathname === '/api/v1/stop') await slow;
    told.push(`${port}${pathname}`);
    return Response.json({ status: 'ok', message: 'Done', robots: [0] });
  }) as typeof globalThis.fetch;
  const bridge = new Bridge('http://localhost:8030', { fetch });
  await bridge.status();
  await bridge.stop();
  const reset = bridge.arm('left').reset();
  await new Promise(setImmediate);
  expect(told).toEqual(['8031/api/v1/stop']);
  answer();
  await reset;
  expect(told).toEqual(['8031/api/v1/stop', '8030/api/v1/stop', '8030/api/v1/stop/reset']);
});

test('a stop that neither port confirms says what a bridge has answered', async () => {
  const fetch = (async (to: URL) => {
    if (to.pathname === '/status') return Response.json({ stop_port: 8031 });
    if (to.port === '8031') return Response.json({ detail: 'no token', code: 'unauthorised' }, { status: 401 });
    throw new TypeError('Failed to fetch');
  }) as typeof globalThis.fetch;
  const bridge = new Bridge('http://localhost:8030', { fetch });
  await expect(bridge.stop()).rejects.toMatchObject({ code: 'unreachable' });
  await bridge.status();
  await expect(bridge.stop()).rejects.toMatchObject({ status: 401, code: 'unauthorised' });
});
