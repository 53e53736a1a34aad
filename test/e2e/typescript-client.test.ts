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
import { bashBlocks, commands } from '../docs/support/blocks.ts';
import { HAS_BROWSER, launch } from '../page/support/browser.ts';
import { BridgeProcess } from './support/bridge.ts';

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

test('the client moves arms, mirrors, records, and throws what is refused or not done', async () => {
  const { Bridge, BridgeError } = client;
  const here = new Bridge(bridge.url, { name: 'typescript-test' });
  const arm = here.arm('follower');
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'done',
      (error: unknown) => (error instanceof BridgeError ? [error.code, error.remedy] : error),
    );
  expect(await codeOf(arm.move({ x: 1 }))).toEqual(['not_initialised', 'init']);
  await Promise.all([arm.init(), here.arm(0).init()]);
  expect((await arm.move({ x: 2, y: 3 })).status).toBe('ok');
  const { x, y } = await arm.position(true);
  expect(Math.hypot(x! - 2, y! - 3)).toBeLessThan(0.6);
  expect(await codeOf(arm.move({ x: 90 }))).toEqual(['not_done', null]);
  expect(await codeOf(arm.gripper(7))).toEqual(['invalid', null]);
  expect(await codeOf(here.arm('nobody').init())).toEqual(['unknown_arm', null]);
  expect(await codeOf(new Bridge('http://127.0.0.1:9').status())).toEqual(['unreachable', null]);
  await arm.startRecording({ name: 'typescript-client' });
  await arm.writeJoints({ 0: 10 }, 'degrees');
  expect((await arm.stopRecording()).name).toBe('typescript-client');
  // The way to the joint's goal has not ended yet.
  await here.mirror(here.arm('leader'), arm, { take_over: true });
  expect((await here.status()).leader_follower_status).toBe(true);
  await here.stopMirroring();
  expect((await here.call('get', '/api/v1/arms/{name}/motion', { path: { name: 'follower' } })).motion).toBeNull();
  expect(await arm.urdf()).toContain('<robot');
  await here.stop();
  expect(await codeOf(arm.init())).toEqual(['stopped', 'reset']);
  await here.reset();
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

test('the programs of docs/typescript.md compile and run, and its commands are those that are tried', async () => {
  const text = readFileSync(join(ROOT, 'docs/typescript.md'), 'utf8');
  expect(bashBlocks('docs/typescript.md').flatMap(commands)).toEqual([
    'npm run build:client',
    'npm install ./clients/typescript',
    'python3 -m http.server 3000',
  ]);
  const programs = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  expect(programs).toHaveLength(2);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const files = programs.map((program, i) => {
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
  for (const file of files) await run(process.execPath, [file.replace(/ts$/, 'js')], { cwd: folder });
});

test.skipIf(!HAS_BROWSER)('the page of the examples moves an arm from its button, and shows its joints', async () => {
  const source = readFileSync(join(ROOT, 'examples/button.html'), 'utf8');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(45);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(`${origin}/examples/button.html?bridge=${encodeURIComponent(bridge.url)}`);
    const said = () => page.locator('#said').textContent();
    await expect.poll(() => page.locator('#joints').textContent()).toMatch(/^-?\d\.\d\d( {2}-?\d\.\d\d){5}$/);
    await page.locator('#wave').click();
    await expect.poll(said).toBe('Done.');
    const { y } = await new client.Bridge(bridge.url).arm('follower').position();
    expect(y).toBeCloseTo(-3, 0);
    await page.locator('#stop').click();
    await expect.poll(said).toMatch(/^Stopped/);
  } finally {
    await browser.close();
  }
});
