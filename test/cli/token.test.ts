import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addToken } from '../../src/cli/token.ts';
import { ConfigError } from '../../src/config/load.ts';
import { fileDisk } from '../../src/disk.ts';
import { NamedTokens } from '../../src/named-tokens.ts';

test('tokens are made, listed and revoked where the bridge of a configuration looks for them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-token-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'config.yaml');
  writeFileSync(config, `state_folder: ${folder}\narms:\n  - { name: arm, bus: "sim:so101" }\n`);
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const run = async (...words: string[]): Promise<string> => {
    written.mockClear();
    const program = new Command();
    addToken(program, '/nowhere.yaml');
    await program.parseAsync(['token', ...words, '--config', config], { from: 'user' });
    return written.mock.calls.map(([text]) => String(text)).join('');
  };

  expect(await run('list')).toContain('no token');
  expect(await run('add', 'bench-2', '--scope', 'read')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(await run('add', 'bench-3')).toMatch(/^[0-9a-f]{64}\n$/);
  expect(await run('list')).toMatch(/NAME +SCOPE +MADE\nbench-2 +read +20.*\nbench-3 +control +20/);
  await expect(run('add', 'bench-2')).rejects.toThrow(ConfigError);
  expect(await run('revoke', 'bench-2')).toContain('bench-2 is of no use any more');
  await expect(run('revoke', 'bench-2')).rejects.toThrow('there is no token bench-2');
  const tokens = new NamedTokens(fileDisk, folder);
  tokens.refresh();
  expect(tokens.all.map(({ name }) => name)).toEqual(['bench-3']);
});
