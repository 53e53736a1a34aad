import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Arm, BridgeError, Motion } from '../../clients/typescript/src/index.ts';
import { bashBlocks, commands, programs } from '../docs/support/blocks.ts';
import { HAS_BROWSER, launch } from '../page/support/browser.ts';
import { BridgeProcess, runAgain, sleep } from './support/bridge.ts';
import { unasked } from './support/operations.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

type Client = typeof import('../../clients/typescript/src/index.ts');

let bridge: BridgeProcess;
let folder: string;
let client: Client;
/** Serves pages as any static server does, and passes requests on to the bridge; its connections can be cut. */
let server: Server;
let origin: string;
const connections = new Set<Socket>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-client-'));
  const dist = join(folder, 'clients/typescript/dist');
  await run(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...['-p', join(ROOT, 'clients/typescript/tsconfig.json'), '--outDir', dist],
  ]);
  client = (await import(pathToFileURL(join(dist, 'index.js')).href)) as Client;
  // As npm install has it.
  mkdirSync(join(folder, 'node_modules/@arm-bridge/client'), { recursive: true });
  symlinkSync(dist, join(folder, 'node_modules/@arm-bridge/client/dist'));
  symlinkSync(
    join(ROOT, 'clients/typescript/package.json'),
    join(folder, 'node_modules/@arm-bridge/client/package.json'),
  );
  server = createServer((asked, answer) => {
    const path = asked.url!.split('?')[0]!;
    if (path.startsWith('/examples/') || path.startsWith('/clients/')) {
      const file = join(path.startsWith('/examples/') ? ROOT : folder, normalize(path));
      answer.setHeader('content-type', extname(file) === '.html' ? 'text/html' : 'text/javascript');
      answer.end(readFileSync(file));
      return;
    }
    const { method, headers } = asked;
    const passed = request(new URL(asked.url!, bridge.url), { method: method!, headers }, (told) => {
      answer.writeHead(told.statusCode!, told.headers);
      told.pipe(answer);
    });
    asked.pipe(passed);
    answer.on('close', () => passed.destroy());
    passed.on('error', () => answer.destroy());
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const config = join(folder, 'bridge.json');
  const arms = ['leader', 'follower'].map((name, id) => ({ name, id, bus: 'sim:so101' }));
  writeFileSync(config, JSON.stringify({ http: { cors_origins: [origin] }, arms, recording: { folder } }));
  bridge = await BridgeProcess.start('--no-ros', '--config', config);
});
afterAll(async () => {
  for (const socket of connections) socket.destroy();
  server.close();
  await bridge.endStopped();
  rmSync(folder, { recursive: true, force: true });
});

/** What a motion comes to. A busy machine may let servos fall silent, and arms hold, which is told: then it is asked again. */
async function carriedOut<T>(arm: Arm, motion: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await motion();
    } catch (error) {
      if (tries === 20 || !(error instanceof client.BridgeError)) throw error;
      await sleep(0.5);
      if (error.remedy === 'init') await arm.init().catch(() => {});
    }
  }
}

/** A motion that was cancelled while it was under way: a busy machine may hear of it too late. */
async function cancelled(arm: Arm): Promise<Motion> {
  for (let tries = 0; tries < 20; tries++) {
    const joints = { shoulder_pan: tries % 2 === 0 ? 1.6 : -1.6 };
    const motion = await carriedOut(arm, () => arm.begin({ joints }));
    await motion.cancel();
    if ((await faultOf(motion.wait())) !== null) return motion;
  }
  throw new Error('each motion was over before it was cancelled');
}

/** The error that a call comes to; null: none. */
async function faultOf(asked: Promise<unknown>): Promise<BridgeError | null> {
  try {
    await asked;
    return null;
  } catch (error) {
    if (error instanceof client.BridgeError) return error;
    throw error;
  }
}

/** The first frames of a stream, which is then left. */
async function first<T>(count: number, stream: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const frame of stream) {
    seen.push(frame);
    if (seen.length === count) break;
  }
  return seen;
}

test('every call of the client does what it says, and together they ask for all that there is below /api/v1', async () => {
  const asked: [string, string][] = [];
  const recorded: typeof fetch = (url, init) => {
    asked.push([init!.method!, (url as URL).pathname]);
    return fetch(url, init);
  };
  const here = new client.Bridge(bridge.url, { name: 'typescript-test', fetch: recorded });
  const [leader, arm] = [here.arm('leader'), here.arm(1)];
  const codeOf = async (call: Promise<unknown>) => {
    const fault = await faultOf(call);
    return fault && [fault.code, fault.remedy];
  };

  const refused = (await faultOf(leader.move({ x: 1 })))!;
  expect(refused).toMatchObject({ status: 400, code: 'not_initialised', remedy: 'init' });
  expect(refused.message).toBe(`${refused.detail} (call arm.init()) [request ${refused.requestId}]`);
  expect((await here.status()).arms.map(({ name }) => name)).toEqual(['leader', 'follower']);
  expect((await here.arms()).map(({ id }) => id)).toEqual([0, 1]);
  expect(await here.recordings.list()).toEqual([]);
  expect(await here.config()).toHaveProperty('http');
  expect(await codeOf(here.arm('nobody').init())).toEqual(['unknown_arm', null]);
  expect(await codeOf(here.arm(7).facts())).toEqual(['unknown_arm', null]);
  expect(await codeOf(new client.Bridge('http://127.0.0.1:9').status())).toEqual(['unreachable', 'start']);

  expect(() => new client.Bridge(bridge.url, { name: '?' })).toThrow('no name');
  expect((await faultOf(first(1, here.live({ rate: 1000 }))))!.code).toBe('invalid');

  // A calibration is begun and left; the arm is limp then.
  await carriedOut(leader, async () => {
    expect((await leader.calibrate()).current_step).toBe(1);
    expect((await leader.calibration()).current_step).toBe(1);
    await leader.cancelCalibration();
  });
  expect(await codeOf(leader.calibration())).toEqual(['not_found', null]);

  await carriedOut(arm, () => arm.init());
  expect((await carriedOut(arm, () => arm.move({ x: 2, y: 3 }))).status).toBe('ok');
  const { x, y } = await arm.position(true);
  expect(Math.hypot(x! - 2, y! - 3)).toBeLessThan(0.6);
  await carriedOut(arm, () => arm.moveRelative({ y: -1 }));
  expect([(await arm.reachable({ x: 2 })).reachable, (await arm.reachable({ x: 90 })).reachable]).toEqual([
    true,
    false,
  ]);
  expect(await codeOf(arm.move({ x: 90 }))).toEqual(['not_done', null]);
  expect((await faultOf(arm.gripper(7)))!.errors).toMatchObject([{ loc: ['body', 'open'] }]);
  await carriedOut(arm, () => arm.gripper(0.5));
  await carriedOut(arm, () => arm.hello());
  expect(await arm.joints('degrees')).toHaveLength(6);
  await carriedOut(arm, () => arm.writeJoints([5], 'degrees'));
  await carriedOut(arm, () => arm.writeJoints({ 0: 10 }, 'degrees', { take_over: true }));
  await arm.halt({ take_over: true });
  expect([(await arm.facts()).name, (await arm.state()).torque]).toEqual(['follower', true]);
  expect(await arm.urdf()).toContain('<robot');

  await expect
    .poll(async () => {
      await arm.takeOver();
      const { owner } = await arm.motion();
      await arm.release();
      return owner;
    })
    .toContain('typescript-test');
  const other = new client.Bridge(origin, { name: 'other' }).arm('follower');
  await carriedOut(arm, async () => {
    await other.takeOver();
    // It watches no live stream, and so would not hear the ask.
    expect(await codeOf(arm.ask())).toEqual(['owned', 'take_over']);
    await other.release();
  });
  expect((await arm.ask()).ask).toBeNull();
  expect((await faultOf(arm.answer('none', false)))!.status).toBe(404);
  expect(await here.invitation()).toEqual({ origin: null, token: null });

  expect((await (await cancelled(arm)).facts()).state).toBe('cancelled');
  expect((await carriedOut(arm, async () => (await arm.begin({ named: 'init' })).wait())).state).toBe('done');
  const turned = { joints: { shoulder_pan: 0.3 } };
  const motion = await carriedOut(arm, () => arm.begin(turned, { key: 'turned' }));
  expect((await arm.begin(turned, { key: 'turned' })).id).toBe(motion.id);
  expect((await arm.motions(5)).map(({ id }) => id)).toContain(motion.id);
  const chunk = { joints: ['shoulder_pan'], positions: [[0.3], [0.31]], times: [2, 2.1] };
  expect(await carriedOut(arm, () => arm.chunk(chunk, { take_over: true }))).toMatchObject({ message: null });
  await arm.halt();

  expect((await first(6, here.live({ rate: 5 }))).map(({ type }) => type).sort()).toEqual(
    ['arms', 'events', 'hello', 'log', 'loop', 'pairs'], // Each once: all topics are told at first.
  );

  await arm.startRecording({ name: 'joints', rate: 100 });
  await carriedOut(arm, () => arm.writeJoints([0.2], 'rad', { take_over: true }));
  await first(5, arm.states({ rate: 20 }));
  await arm.halt({ take_over: true });
  expect((await arm.stopRecording()).name).toBe('joints');
  await carriedOut(arm, () => arm.play('joints', 2));
  await arm.startRecording();
  expect((await arm.stopRecording({ save: false })).path).toBe('');

  expect(await here.episode.state()).toBeNull();
  expect((await faultOf(here.episode.mark()))!.detail).toBe('No episode is being recorded');
  expect((await here.episode.start({ name: 'seen', dataset: 'looks', arms: ['follower'] })).arms).toEqual(['follower']);
  expect((await here.episode.state())!.dataset).toBe('looks');
  await here.episode.mark('here');
  expect((await here.episode.stop({ verdict: 'good' })).name).toBe('seen');

  const { recordings } = here;
  expect((await recordings.list({ limit: 2 })).map(({ name }) => name)).toEqual(['seen', 'joints']);
  expect((await recordings.list({ dataset: 'looks' })).map(({ verdict }) => verdict)).toEqual(['good']);
  const whole = new Uint8Array(await new Response(await recordings.download('joints')).arrayBuffer());
  const facts = await recordings.facts('joints');
  expect(whole).toHaveLength(facts.bytes);
  expect(await recordings.read('joints', 5, 13)).toEqual(whole.slice(5, 13));
  expect(await recordings.read('joints', whole.length - 8)).toEqual(whole.slice(-8));
  expect(await codeOf(recordings.read('joints', whole.length))).toEqual(['no_such_bytes', null]);
  await expect(recordings.read('joints', 2, 2)).rejects.toThrow(RangeError);
  expect((await recordings.upload('copy', whole)).messages).toBe(facts.messages);
  expect((await faultOf(recordings.upload('copy', new Blob([whole]))))!.status).toBe(400);
  expect((await recordings.change('copy', { new_name: 'last' })).name).toBe('last');
  const curves = await recordings.samples('last', { source: 'follower', points: 5 });
  expect(curves.positions).toHaveLength(curves.joints.length);
  const foreseen = await recordings.foresee('last', 'follower', { source: 'follower', points: 5 });
  expect([foreseen.positions.length, foreseen.unreached, foreseen.refusal]).toEqual([curves.joints.length, [], null]);
  const part = await recordings.trim('last', { begin: 0, end: curves.duration / 2, name: 'part' });
  expect(part.duration).toBeLessThan(curves.duration);
  await recordings.delete('part');
  await carriedOut(arm, () => arm.begin({ replay: { name: 'last', source: 'follower' } }));
  await arm.halt({ take_over: true });
  await recordings.delete('last');
  expect((await faultOf(recordings.facts('last')))!.status).toBe(404);

  await carriedOut(leader, () => leader.init());
  const pairs = await carriedOut(arm, async () => {
    await here.mirror(leader, arm, { take_over: true });
    const during = await here.pairs();
    await here.stopMirroring('hold');
    return during;
  });
  expect([pairs.active, (await here.pairs()).active]).toEqual([true, false]);
  await carriedOut(arm, async () => {
    await here.startPair('leader', 'follower', { take_over: true });
    await here.endPair('follower');
    await here.startPairAcross({ arm: 'leader' }, { arm: 'follower' });
    await here.endPairAcross('follower');
  });
  await carriedOut(leader, async () => {
    await leader.gravityCompensation(true, { values: { elbow: 60 } });
    await leader.gravityCompensation(false, { release: 'hold' });
  });

  await carriedOut(arm, () => arm.torque(true));
  await here.stop();
  expect(await codeOf(arm.init())).toEqual(['stopped', 'reset']);
  await here.reset();
  await arm.stop();
  await arm.reset();
  await carriedOut(arm, () => arm.sleep());
  await carriedOut(leader, () => leader.torque(false, { force: true }));

  const [event] = await here.events({ arm: 'follower', act: 'stop' });
  expect(event).toMatchObject({
    arm: 'follower',
    what: 'POST /api/v1/stop',
    who: expect.stringContaining('typescript-test'),
  });
  expect((await here.bridges()).others).toEqual([]);
  expect((await here.stopAll()).bridges).toMatchObject([{ url: null, stopped: true }]);
  await here.reset();
  const log = await here.log();
  expect((await here.log(log.next)).next).toBeGreaterThanOrEqual(log.next);
  expect(unasked(asked)).toEqual([]);
});

test('a stream goes on after its connection has been cut, and ends when it is told to', async () => {
  const told: boolean[] = [];
  const ending = new AbortController();
  const arm = new client.Bridge(origin).arm('follower');
  let seen = 0;
  for await (const { id } of arm.states({
    rate: 50,
    signal: ending.signal,
    onConnection: (connected) => told.push(connected),
  })) {
    expect(id).toBe(1);
    seen++;
    if (seen === 5) for (const socket of connections) socket.destroy();
    if (seen === 50) ending.abort();
  }
  expect(told).toEqual([true, false, true, false]);
  for await (const goal of arm.goals()) {
    expect(goal).toHaveLength(6);
    break;
  }
});

test('the programs of README.md and docs/typescript.md compile and run, and their commands are those that are tried', async () => {
  expect(bashBlocks('docs/typescript.md').flatMap(commands)).toEqual([
    'npm run build:client',
    'npm install ./clients/typescript',
    'python3 -m http.server 3000',
  ]);
  const all = programs('ts', 'README.md', 'docs/typescript.md');
  expect(all).toHaveLength(3);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const files = all.map((program, i) => {
    const file = join(folder, `program${i}.ts`);
    writeFileSync(file, program.replaceAll('http://localhost:8020', bridge.url));
    return file;
  });
  const { options } = ts.convertCompilerOptionsFromJson(
    { target: 'es2022', module: 'nodenext', strict: true, lib: ['es2023', 'dom', 'dom.asynciterable'], types: [] },
    folder,
  );
  const compiled = ts.createProgram(files, options);
  expect(ts.getPreEmitDiagnostics(compiled).map(({ messageText }) => messageText)).toEqual([]);
  compiled.emit();
  for (const file of files) {
    await runAgain(() => run(process.execPath, [file.replace(/ts$/, 'js')], { cwd: folder }));
  }
});

test.skipIf(!HAS_BROWSER)('the page of the examples moves an arm from its button, and shows its joints', async () => {
  const source = readFileSync(join(ROOT, 'examples/button.html'), 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${origin}/examples/button.html?bridge=${encodeURIComponent(bridge.url)}`);
    const said = () => page.locator('#said').textContent();
    await expect.poll(() => page.locator('#joints').textContent()).toMatch(/^-?\d\.\d\d( {2}-?\d\.\d\d){5}$/);
    await runAgain(async () => {
      await page.locator('#wave').click();
      await expect.poll(said).not.toBe('Moving...');
      if ((await said()) !== 'Done.') throw new Error((await said())!);
    });
    const { y } = await new client.Bridge(bridge.url).arm('follower').position();
    expect(y).toBeCloseTo(-3, 0);
    await page.locator('#stop').click();
    await expect.poll(said).toMatch(/^Stopped/);
  } finally {
    await browser.close();
  }
});
