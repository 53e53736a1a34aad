import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { discoverPorts } from '../../src/servo/port/discovery.ts';
import { parseBusUrl } from '../../src/servo/port/url.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

it('arm-bridge ports lists what discovery finds, each with a bus that the configuration takes', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [MAIN, 'ports', '--json']);
  const rows: { bus: string; path: string }[] = JSON.parse(stdout);
  const known = await discoverPorts();
  expect(rows.map((row) => row.path)).toEqual(known.map((port) => port.path));
  for (const row of rows) expect(parseBusUrl(row.bus).kind).toBe('serial');
  const { stdout: text } = await run(process.execPath, [MAIN, 'ports']);
  for (const port of known) expect(text).toContain(port.path);
  if (known.length === 0) expect(text).toContain('no serial port');
});
