import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * What the word after ```bash says of a block: nothing, the commands succeed against a running bridge; `error`, they are
 * answered with 200 and status "error"; `refused`, with a 4xx; `ros`, they need a ROS 2; `full-ros`, one with its command
 * line tools; `ros2`, they are run by test/e2e/ros-tool.test.ts; `bridge`, they start a bridge; `test` and `install` are not run;
 * `clients`, they are run by test/e2e/python-client.test.ts and test/e2e/typescript-client.test.ts; `machine`, not run either: they
 * need a container engine or change the machine; `hardware`: they need an arm.
 */
export const KINDS = [
  '',
  'error',
  'refused',
  'ros',
  'ros2',
  'full-ros',
  'bridge',
  'test',
  'install',
  'clients',
  'machine',
  'hardware',
] as const;
export type Kind = (typeof KINDS)[number];

export interface Block {
  readonly kind: Kind;
  readonly text: string;
  /** Line of the file at which the block begins. */
  readonly line: number;
}

/** The shell blocks of a document, in order. @throws when one has an unknown kind */
export function bashBlocks(file: string): Block[] {
  const text = readFileSync(`${ROOT}${file}`, 'utf8');
  return [...text.matchAll(/^```(?:bash|sh) *(\S*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    const kind = KINDS.find((known) => known === match[1]);
    if (kind === undefined) throw new Error(`${file}:${line}: unknown kind of bash block "${match[1]}"`);
    return { kind, text: match[2]!, line };
  });
}

/** The programs of documents in a language, in order. */
export function programs(language: string, ...files: readonly string[]): string[] {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return files.flatMap((file) => [...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(block)].map((match) => match[1]!));
}

/** Commands of a block without comments and line continuations. */
export function commands(block: Block): string[] {
  return block.text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#\s.*$/, '').trim())
    .filter((line) => line !== '');
}
