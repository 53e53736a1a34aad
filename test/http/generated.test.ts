import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { componentSchemas, openApi } from '../../src/http/openapi.ts';
import { pythonTypes } from './python-types.ts';
import { toldSchemas, withTables } from './tables.ts';

/**
 * Files that are made of the declarations of the routes. After a change of those
 * `npx vitest run test/http/generated.test.ts -u` writes them anew.
 */

const HEAD =
  '// Made of src/http by test/http/generated.test.ts: do not edit.\n' +
  '// biome-ignore-all format: the generator has its own\n// biome-ignore-all lint: likewise\n\n';

const root = new URL('../../', import.meta.url);
const path = (name: string): string => fileURLToPath(new URL(name, root));

test('the tables of docs/http.md are those of the declared routes', async () => {
  const text = readFileSync(path('docs/http.md'), 'utf8');
  await expect(withTables(text)).toMatchFileSnapshot(path('docs/http.md'));
  expect(toldSchemas(text).length).toBeGreaterThan(10);
});

test('the types of the TypeScript client, which the control page has too, are those of the declared routes and messages', async () => {
  const types = astToString(
    await openapiTS(openApi({ token: false, dialect: 'standard' }) as unknown as OpenAPI3, {
      defaultNonNullable: false,
      arrayLength: true,
    }),
  );
  await expect(`${HEAD}${types}`).toMatchFileSnapshot(path('clients/typescript/src/interface.ts'));
});

test('the types of the Python client are those of the declared routes and messages', async () => {
  const types = pythonTypes(componentSchemas('standard'));
  await expect(types).toMatchFileSnapshot(path('clients/python/src/arm_bridge_client/types.py'));
});
