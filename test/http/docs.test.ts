import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApi } from '../../src/http/openapi.ts';
import { buildApp, fakeServices } from './fakes.ts';

const text = readFileSync(new URL('../../docs/http.md', import.meta.url), 'utf8');

test('every curl command of the documentation is answered with success', async () => {
  const services = fakeServices();
  // The reader has initialised the arms by then.
  for (const arm of services.arms.all) arm.initialised = true;
  const app = buildApp(services);
  const commands = [...text.replaceAll('\\\n', ' ').matchAll(/^curl .*$/gm)]
    .map(([line]) => line.replace(/ # .*/, ''))
    // A stream has no end; live.test.ts reads it.
    .filter((line) => !line.startsWith('curl -N '));
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const url = /(?:localhost|bridge\.lab):802[01](\/[^\s']*)/.exec(command)![1]!;
    const body = /-d '([^']*)'/.exec(command)?.[1] ?? (command.includes('--data-binary') ? 'a file' : undefined);
    const reply = await app.inject({
      method: (/-X (POST|DELETE)/.exec(command)?.[1] ?? 'GET') as 'GET',
      url,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { payload: body }),
    });
    expect([command, reply.statusCode]).toEqual([command, 200]);
  }
  await app.close();
});

test('every path and every field of a request is documented', () => {
  const { paths, components } = openApi({ token: false, dialect: 'standard' }) as {
    paths: Record<string, unknown>;
    components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
  };
  for (const path of Object.keys(paths)) expect(text).toContain(path);
  for (const [name, { properties }] of Object.entries(components.schemas)) {
    if (!name.endsWith('Request')) continue;
    for (const field of Object.keys(properties!)) expect(text).toMatch(new RegExp(`\\b${field}\\b`));
  }
});

test('the generators that the documentation names are those that the tests run', () => {
  const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  for (const name of ['openapi-typescript', '@hey-api/openapi-ts'])
    expect(text).toContain(`${name}@${devDependencies[name]} `);
  const lock = read('scripts/locks/witness.lock');
  for (const name of ['openapi-python-client', 'openapi-generator-cli']) {
    const [pin] = new RegExp(`^${name}==[\\d.]+`, 'm').exec(lock)!;
    expect(text).toContain(`pipx run ${pin} `);
  }
});
