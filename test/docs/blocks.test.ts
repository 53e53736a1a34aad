import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Block, bashBlocks, commands, ROOT } from './support/blocks.ts';

/** Documents whose unmarked blocks are run by commands.test.ts, each against a bridge. */
const RUN = ['README.md', 'docs/getting-started.md'];
const DOCUMENTS = [
  ...RUN,
  'CONTRIBUTING.md',
  'bench/README.md',
  'robots/README.md',
  'scenes/README.md',
  ...readdirSync(`${ROOT}docs`)
    .filter((name) => name.endsWith('.md') && name !== 'getting-started.md')
    .map((name) => `docs/${name}`),
];
const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> };
const program = ['program.ts', ...readdirSync(`${ROOT}src/cli`).map((name) => `cli/${name}`)]
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`${ROOT}src/${name}`, 'utf8'))
  .join('\n');

/** Why nobody looks after a command of an unmarked block; null where somebody does. */
function unguarded(document: string, command: string): string | null {
  const [, script] = /^npm run ([\w:]+)/.exec(command) ?? [];
  if (script !== undefined) return Object.hasOwn(scripts, script) ? null : 'package.json has no such script';
  // test/http/docs.test.ts and test/e2e/typed-client.test.ts run them.
  if (document === 'docs/http.md' && /^(curl |npx openapi-typescript@)/.test(command)) return null;
  // test/recording/episode.test.ts runs them.
  if (document === 'docs/recording.md' && command.startsWith('curl ')) return null;
  // test/cli/docs.edge.test.ts knows the options of sub-commands.
  const [, rest] = /^npm start -- (.*)$/.exec(command) ?? [];
  if (rest === undefined) return 'mark the block with a kind: test/docs/support/blocks.ts';
  const own = rest.split(' --ros-args')[0]!;
  const missing = (own.match(/--[a-z-]+/g) ?? []).find((option) => option !== '--help' && !program.includes(option));
  return missing === undefined ? null : `the program has no option ${missing}`;
}

test.each(DOCUMENTS)('every shell block of %s is run by a test, or says why not', (document) => {
  const left = (block: Block): string[] =>
    commands(block).flatMap((command) => {
      const why = unguarded(document, command);
      return why === null ? [] : [`${document}:${block.line}: ${command}: ${why}`];
    });
  const unmarked = bashBlocks(document).filter(({ kind }) => kind === '' && !RUN.includes(document));
  expect(unmarked.flatMap(left)).toEqual([]);
});
