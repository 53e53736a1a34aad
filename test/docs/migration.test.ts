import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildApp, fakeServices } from '../http/fakes.ts';
import { ROOT } from './support/blocks.ts';

const text = readFileSync(join(ROOT, 'docs/migration.md'), 'utf8');

test('the routes that it says are the same are here', async () => {
  const app = buildApp(fakeServices());
  const { paths } = (await app.inject({ method: 'GET', url: '/openapi.json' })).json() as { paths: object };
  await app.close();
  const rows = [...text.matchAll(/^\| (`\/.*?) \| the same path.* \|$/gm)];
  const routes = rows.flatMap(([, cell]) => [...cell!.matchAll(/`(\/[^`]*)`/g)].map((match) => match[1]!));
  expect(routes.length).toBeGreaterThan(15);
  for (const route of routes) expect(Object.keys(paths)).toContain(route);
});
