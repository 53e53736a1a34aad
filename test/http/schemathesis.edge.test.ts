import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listen } from '../../src/http/app.ts';
import { buildApp, fakeServices } from './fakes.ts';

const PYTHON = process.env.ARM_BRIDGE_WITNESS_PYTHON ?? '';
const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
const HAS_SCHEMATHESIS = PYTHON !== '' && spawnSync(PYTHON, ['-c', 'import schemathesis']).status === 0;
if (!HAS_SCHEMATHESIS) console.warn('SKIPPED: schemathesis does not try the interface. npm test installs it.');

test.skipIf(!HAS_SCHEMATHESIS)(
  'schemathesis finds no answer that the description does not tell of, for requests right and wrong',
  async () => {
    const services = fakeServices({ config: { rate_limit: 100_000 } });
    for (const arm of services.arms.all) arm.initialised = true;
    services.log.add('{"level":30,"time":"2026-01-02T03:04:05.500Z","msg":"follower is ready"}');
    const app = buildApp(services);
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-schemathesis-'));
    try {
      const { port } = await listen(app, services.config, null);
      const args = ['--config-file', CONFIG, 'run', `http://127.0.0.1:${port}/openapi.json`];
      const child = spawn(PYTHON, ['-m', 'schemathesis.cli', ...args], { cwd: folder });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect(code, output).toBe(0);
      expect(output).toMatch(/\d+ generated/);
    } finally {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  900_000,
);
