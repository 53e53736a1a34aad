import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../src/http/routes/index.ts';
import { BridgeProcess } from './support/bridge.ts';

/**
 * A program as a user writes it with types that were made of the interface's own description. The lines that must not
 * compile are part of it: where one does, the type check complains.
 */
const CLIENT = `
import type { components, paths } from './api.js';

type Post = { [P in keyof paths]: paths[P] extends { post: object } ? P : never }[keyof paths];
type Operation<P extends Post> = paths[P] extends { post: infer O } ? O : never;
type Body<P extends Post> = Operation<P> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined;
type Answer<P extends Post> = Operation<P> extends { responses: { 200: { content: { 'application/json': infer A } } } } ? A : never;

const url = process.argv[2]!;
async function post<P extends Post>(path: P, body?: Body<P>, query = ''): Promise<Answer<P>> {
  const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const reply = await fetch(url + path + query, { method: 'POST', ...init });
  if (reply.status !== 200) throw new Error(path + ': ' + (await reply.text()));
  return (await reply.json()) as Answer<P>;
}

const robot = '?robot_id=1';
const init: components['schemas']['StatusResponse'] = await post('/move/init', undefined, robot);
const before = await post('/end-effector/read', { sync: true }, robot);
const moved = await post('/move/absolute', { z: -4, rx: null, path: 'line', position_tolerance: 0.4 }, robot);
const after = await post('/end-effector/read', {}, robot);
const height: number | null = after.z;
const { angles, unit } = await post('/joints/read', { unit: 'degrees' }, robot);
const pan: number | null | undefined = angles[0];

export async function neverCalled(): Promise<void> {
  // @ts-expect-error no such route
  await post('/move/nowhere');
  // @ts-expect-error text is no number
  await post('/move/absolute', { x: '1' });
  // @ts-expect-error no such field
  await post('/move/absolute', { xx: 1 });
  // @ts-expect-error no such word
  await post('/joints/read', { unit: 'turns' });
  // @ts-expect-error the pairs are missing
  await post('/move/leader/start', {});
  // @ts-expect-error a height may be null
  const sure: number = after.z;
  void sure;
}

console.log(JSON.stringify({ statuses: [init.status, moved.status], before: before.z, height, pan, unit }));
`;

/** A program as a user writes it with the client that @hey-api/openapi-ts makes. */
const SDK_CLIENT = `
import { type AbsoluteMoveRequest, endEffectorRead, jointsRead, moveAbsolute, moveInit, moveLeaderStart } from './api';
import { client } from './api/client.gen';

client.setConfig({ baseUrl: process.argv[2]! });
const robot = { query: { robot_id: 1 }, throwOnError: true } as const;
const init = await moveInit(robot);
const before = await endEffectorRead({ ...robot, body: { sync: true } });
const target: AbsoluteMoveRequest = { z: -4, rx: null, path: 'line', position_tolerance: 0.4 };
const moved = await moveAbsolute({ ...robot, body: target });
const after = await endEffectorRead(robot);
const height: number | null = after.data.z;
const { angles, unit } = (await jointsRead({ ...robot, body: { unit: 'degrees' } })).data;
const pan: number | null | undefined = angles[0];
const { error } = await moveAbsolute({ body: {}, query: { robot_id: 7 } });
const refused: unknown = error?.detail;

export async function neverCalled(): Promise<void> {
  // @ts-expect-error text is no number
  await moveAbsolute({ body: { x: '1' } });
  // @ts-expect-error no such field
  await moveAbsolute({ body: { xx: 1 } });
  // @ts-expect-error no such word
  await jointsRead({ body: { unit: 'turns' } });
  // @ts-expect-error the pairs are missing
  await moveLeaderStart({ body: {} });
  // @ts-expect-error a height may be null
  const sure: number = after.data.z;
  void sure;
}

const statuses = [init.data.status, moved.data.status];
console.log(JSON.stringify({ statuses, before: before.data.z, height, pan, unit, refused }));
`;

const PROGRAMS = join(import.meta.dirname, '../../node_modules/.bin');

let bridge: BridgeProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-client-'));
  bridge = await BridgeProcess.start('--no-ros');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bridge.endStopped();
});

/** What the type checker says of a program. @param options beside the usual strict ones */
function complaints(file: string, options: ts.CompilerOptions): string[] {
  const program = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: ['node'],
    typeRoots: [join(import.meta.dirname, '../../node_modules/@types')],
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    ...options,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file: where, messageText }) => `${where?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

test('a client with types made of /openapi.json compiles, refuses what is no request, and drives an arm', async () => {
  const { body: description } = await bridge.get('/openapi.json');
  const types = astToString(await openapiTS(description, { defaultNonNullable: false }));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'api.ts'), types);
  writeFileSync(join(folder, 'client.ts'), CLIENT);
  const modules = { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext };
  expect(complaints(join(folder, 'client.ts'), { ...modules, exactOptionalPropertyTypes: true })).toEqual([]);

  const { outputText } = ts.transpileModule(CLIENT, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  writeFileSync(join(folder, 'client.js'), outputText);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'client.js'), bridge.url]);
  const said = JSON.parse(stdout);
  expect(said).toMatchObject({ statuses: ['ok', 'ok'], unit: 'degrees', pan: expect.any(Number) });
  expect(said.height - said.before).toBeCloseTo(-4, 0);
}, 300_000);

test('@hey-api/openapi-ts makes a whole client without a warning, and a program drives an arm by it', async () => {
  const run = promisify(execFile);
  const home = join(folder, 'hey-api');
  mkdirSync(home);
  const args = ['-i', `${bridge.url}/openapi.json`, '-o', 'api'];
  const made = await run(join(PROGRAMS, 'openapi-ts'), args, { cwd: home });
  expect(made.stdout).toContain('Done!');
  expect(made.stdout + made.stderr).not.toMatch(/warn|error|skip|fail|invalid/i);
  const operations = readFileSync(join(home, 'api/sdk.gen.ts'), 'utf8').match(/^export const /gm);
  expect(operations).toHaveLength(ROUTES.length);

  const file = join(home, 'client.ts');
  writeFileSync(file, SDK_CLIENT);
  const modules = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  expect(complaints(file, modules)).toEqual([]);
  const bundle = ['--bundle', '--platform=node', '--format=esm', '--outfile=client.mjs'];
  await run(join(PROGRAMS, 'esbuild'), ['client.ts', ...bundle], { cwd: home });
  const { stdout } = await run(process.execPath, [join(home, 'client.mjs'), bridge.url]);
  const said = JSON.parse(stdout);
  expect(said).toMatchObject({ statuses: ['ok', 'ok'], unit: 'degrees', pan: expect.any(Number) });
  expect(said.height - said.before).toBeCloseTo(-4, 0);
  expect(said.refused).toBe('Robot ID 7 is unknown. Known ids: 0, 1.');
}, 300_000);
