import { expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { type Entry, inSentence, Journal, MOST_ENTRIES } from '../../src/arm/journal.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import { type Answer, PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

const ANNA = { who: '"anna" on this computer', from: 'this computer', what: 'POST /move/init', request: 'r-1' };

function journal() {
  const time = new VirtualTime();
  const logged: Entry[] = [];
  const made = new Journal(time.lane('main'), (entry) => logged.push({ ...entry }));
  return { made, logged, pass: (duration: number) => time.run(time.now + duration) };
}

test('what is under way is told, and again when it is over, with what came of it', async () => {
  const { made, logged, pass } = journal();
  const doing = made.begin('motion', 'arm', ANNA, 'the ROS topic /arm/joint_commands');
  expect(made.list({ limit: 9 })).toMatchObject([
    { id: 1, arm: 'arm', outcome: 'under_way', ended: null, request: 'r-1' },
  ]);
  const { changes } = made;
  expect(made.changedSince(changes, 9)).toEqual([]);
  await pass(0.9);
  expect(logged).toEqual([]);
  await pass(1.1);
  // A bridge that is killed meanwhile leaves who began it.
  expect(logged).toMatchObject([{ who: ANNA.who, outcome: 'under_way', ended: null }]);
  doing.end('ended', 'stopped (test)');
  doing.end('done');
  const [entry] = made.changedSince(changes, 9);
  expect(entry).toMatchObject({ outcome: 'ended', message: 'stopped (test)' });
  expect(entry!.ended! - entry!.time).toBeCloseTo(2);
  const by = 'motion of arm by "anna" on this computer (POST /move/init), taken from the ROS topic /arm/joint_commands';
  expect(logged.map(inSentence)).toEqual([`${by}: under way`, `${by}: ended: stopped (test)`]);
});

test('a stream is one entry that counts, moves one after the other are not, and the log is not flooded', async () => {
  const { made, logged, pass } = journal();
  for (let i = 0; i < 250; i++) {
    made.record('motion', 'arm', { ...ANNA, request: `r-${i}` });
    await pass(0.02);
  }
  expect(made.list({ limit: 9 })).toMatchObject([{ count: 250, request: 'r-249', outcome: 'done' }]);
  expect(logged.map(({ count }) => count)).toEqual([1, 10, 100]);
  await pass(1);
  for (let i = 0; i < 3; i++) {
    const doing = made.begin('motion', 'arm', ANNA);
    await pass(1);
    doing.end('done');
  }
  expect(made.list({ limit: 9 }).map(({ count }) => count)).toEqual([1, 1, 1, 250]);
  // Messages of a stream whose session is under way.
  const doing = made.begin('motion', 'arm', ANNA);
  await pass(1);
  made.record('motion', 'arm', ANNA);
  expect(made.list({ limit: 1 })).toMatchObject([{ count: 2, outcome: 'under_way' }]);
  doing.end('done');
  expect(made.list({ limit: 1 })).toMatchObject([{ count: 2, outcome: 'done', ended: expect.any(Number) }]);
});

test('the newest thousand are kept, and found by arm, act and time', async () => {
  const { made, pass } = journal();
  for (let i = 0; i < MOST_ENTRIES + 5; i++) {
    made.record(i % 2 === 0 ? 'motion' : 'stop', i % 5 === 0 ? null : `arm${i % 2}`, { ...ANNA, what: `POST /${i}` });
    await pass(1);
  }
  const all = made.list({ limit: 5000 });
  expect(all).toHaveLength(MOST_ENTRIES);
  expect(all[0]!.what).toBe(`POST /${MOST_ENTRIES + 4}`);
  expect(made.list({ arm: 'arm1', limit: 5000 }).every(({ arm }) => arm !== 'arm0')).toBe(true);
  expect(made.list({ act: 'stop', limit: 3 }).map(({ act }) => act)).toEqual(['stop', 'stop', 'stop']);
  expect(made.list({ since: all[9]!.time, limit: 5000 })).toHaveLength(10);
  expect(made.changedSince(0, 100)).toHaveLength(100);
  // Page by page to the oldest, each once.
  const paged: Entry[] = [];
  for (;;) {
    const page = made.list({ act: 'stop', before: paged.at(-1)?.id, limit: 50 });
    if (page.length === 0) break;
    paged.push(...page);
  }
  expect(paged).toEqual(made.list({ act: 'stop', limit: 5000 }));
});

test('an entry has one client, one arm and one outcome, however fast the requests come', async () => {
  const { made, logged, pass } = journal();
  const BEN = { ...ANNA, who: '"ben" on this computer', request: 'r-2' };
  const turns = [
    ['arm', ANNA, 'refused'],
    ['arm', ANNA, 'done'],
    ['arm', BEN, 'done'],
    ['other', ANNA, 'done'],
    ['arm', { ...ANNA, from: 'ROS 2' }, 'done'],
    ['arm', ANNA, 'failed'],
  ] as const;
  for (let round = 0; round < 10; round++) {
    for (const [arm, who, outcome] of turns) {
      made.record('motion', arm, who, outcome, outcome === 'done' ? null : `it is ${outcome}`);
      await pass(0.005);
    }
  }
  const told = made.list({ limit: 99 }).reverse();
  expect(told.map(({ arm, who, from, outcome, message, count }) => [arm, who, from, outcome, message, count])).toEqual(
    turns.map(([arm, { who, from }, outcome]) => [
      arm,
      who,
      from,
      outcome,
      outcome === 'done' ? null : `it is ${outcome}`,
      10,
    ]),
  );
  // The log has each outcome at once.
  expect(logged.slice(0, 6).map(({ outcome }) => outcome)).toEqual(turns.map(([, , outcome]) => outcome));
});

test('what is refused for another reason is an entry and a line of its own, however soon; other numbers are no other reason', async () => {
  const { made, logged, pass } = journal();
  for (let i = 0; i < 10; i++) {
    made.record('motion', 'arm', ANNA, 'refused', `no joint "thumb ${i}"`);
    await pass(0.01);
    made.record('motion', 'arm', ANNA, 'refused', `it is ${i} s old`);
    await pass(0.01);
  }
  expect(made.list({ limit: 9 })).toMatchObject([
    { outcome: 'refused', message: 'it is 9 s old', count: 10 },
    { outcome: 'refused', message: 'no joint "thumb 9"', count: 10 },
  ]);
  expect(logged.map(({ message, count }) => [message, count])).toEqual([
    ['no joint "thumb 0"', 1],
    ['it is 0 s old', 1],
    ['no joint "thumb 9"', 10],
    ['it is 9 s old', 10],
  ]);
});

test('a motion that follows a refused one at once is an entry of its own when it is over, with its own request', async () => {
  const { made, pass } = journal();
  made.record('motion', 'arm', ANNA, 'refused', 'driven by "ben"');
  await pass(0.1);
  const { changes } = made;
  const second = { ...ANNA, request: 'r-2' };
  const doing = made.begin('motion', 'arm', second);
  await pass(3);
  doing.end('ended', 'stopped');
  expect(made.list({ limit: 9 })).toMatchObject([
    { request: 'r-2', outcome: 'ended', message: 'stopped', count: 1 },
    { request: 'r-1', outcome: 'refused', message: 'driven by "ben"', count: 1 },
  ]);
  // Those who follow the journal hear of both.
  expect(made.changedSince(changes, 9)).toHaveLength(2);
  expect(made.hasWritten(second, changes)).toBe(true);
  // Another request may have the same id.
  expect(made.hasWritten({ ...second }, changes)).toBe(false);
});

test('every route that does something says what, for the journal', () => {
  const silent = ROUTES.filter(({ act, access, method }) => {
    const does = method !== 'GET' && (access === 'control' || access === 'stop');
    return does !== (act !== undefined);
  });
  expect(silent.map(({ id }) => id)).toEqual([]);
});

test('an afternoon: who moved, was refused, took over, stopped, reset, mirrored and changed something', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  const as =
    (name: string) =>
    (url: string, body?: object): Promise<Answer> =>
      bridge.ask('POST', url, body, {
        'x-arm-bridge-client': name,
        'x-request-id': `${name}${url.split('?')[0]!.replaceAll('/', '.')}`,
      });
  const [anna, ben] = [as('anna'), as('ben')];
  await anna('/move/init?robot_id=1');
  await ben('/move/absolute?robot_id=1', { x: 900 });
  const move = anna('/move/absolute?robot_id=1', { x: -3, y: 10, z: 4 });
  await bridge.pass(0.3);
  await ben('/move/init?robot_id=1');
  await ben('/move/init?robot_id=1&take_over=true');
  await move;
  await anna('/teleop/settings', { vr_scaling: 0.5 });
  await anna('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
  await bridge.pass(0.5);
  await ben('/stop');
  await anna('/move/init?robot_id=1');
  await anna('/stop/reset');
  await bridge.get('/status');
  const { body } = await bridge.get('/api/v1/events?limit=50');
  const told = (body.events as Record<string, string>[]).reverse().map((event) => {
    const { act, arm, who, what, outcome, taken_from: from, message } = event;
    const name = /"(\w+)"/.exec(who!)?.[1] ?? who;
    return [act, arm, name, what, outcome, from === null ? '' : `from ${/"(\w+)"/.exec(from!)?.[1]}`, message ?? ''];
  });
  expect(told).toEqual([
    ['motion', 'follower', 'anna', 'POST /move/init', 'done', '', ''],
    ['motion', 'follower', 'ben', 'POST /move/absolute', 'failed', '', expect.stringContaining('cannot be reached')],
    ['motion', 'follower', 'anna', 'POST /move/absolute', 'ended', '', expect.stringContaining('taken over by "ben"')],
    ['motion', 'follower', 'ben', 'POST /move/init', 'refused', '', expect.stringContaining('driven by "anna"')],
    ['motion', 'follower', 'ben', 'POST /move/init', 'done', 'from anna', ''],
    ['configuration', null, 'anna', 'POST /teleop/settings', 'done', '', ''],
    ['motion', 'leader', 'anna', 'POST /move/leader/start', 'ended', '', expect.stringContaining('stopped')],
    ['motion', 'follower', 'anna', 'POST /move/leader/start', 'done', '', ''],
    ['stop', 'leader', 'ben', 'POST /stop', 'done', '', ''],
    ['stop', 'follower', 'ben', 'POST /stop', 'done', '', ''],
    ['motion', 'follower', 'anna', 'POST /move/init', 'refused', '', expect.stringContaining('is stopped')],
    ['reset', 'leader', 'anna', 'POST /stop/reset', 'done', '', ''],
    ['reset', 'follower', 'anna', 'POST /stop/reset', 'done', '', ''],
  ]);
  expect(body.events[0]).toMatchObject({ request_id: 'anna.move.init', origin: 'this computer' });
  const lines = bridge.lines as unknown as { msg: string; event?: { what: string } }[];
  expect(lines.filter(({ msg, event }) => event !== undefined && !msg.includes('under way')).length).toBe(told.length);
  const stops = (await bridge.get('/api/v1/events?arm=leader&act=stop&limit=1')).body.events;
  expect(stops).toMatchObject([{ arm: 'leader', act: 'stop' }]);
  expect((await bridge.get('/api/v1/events?limit=51')).status).toBe(422);
});
