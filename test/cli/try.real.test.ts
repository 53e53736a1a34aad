import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Asker } from '../../src/cli/setup/asker.ts';
import { tryPair } from '../../src/cli/setup/try.ts';
import { arm } from './support/program.ts';

/** A machine that is too busy for two arms says so before anything is followed: then a person tries again. */
const TRIES = 6;

let folder: string;
let config: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-try-'));
  config = join(folder, 'my.yaml');
  const text = `state_folder: ${join(folder, 'state')}
control: { rate: 50 }
arms:
  - { name: held, id: 4, variant: leader, bus: "sim:so101" }
  - { name: other, id: 6, bus: "tcp://127.0.0.1:9" }
  - { name: follows, id: 5, model: koch, bus: "sim:koch" }
pairs:
  - { leader: held, follower: follows, autostart: true }
`;
  writeFileSync(config, text);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A person who has seen one thing. */
class Witness implements Asker {
  readonly questions: string[] = [];
  readonly told: string[] = [];
  readonly #seen: string;

  constructor(seen: string) {
    this.#seen = seen;
  }

  async choose(question: string, choices: readonly { readonly value: string }[]): Promise<string> {
    this.questions.push(question);
    return choices.find(({ value }) => value === this.#seen)?.value ?? choices[0]!.value;
  }
  async text(): Promise<string> {
    throw new Error('no text is expected');
  }
  async confirm(question: string): Promise<boolean> {
    this.questions.push(question);
    return true;
  }
  tell(_: string, message: string): void {
    this.told.push(message);
  }
}

it('the first teleoperation says what to do about what was seen, and takes two arms apart that were taken for each other', async () => {
  for (const [seen, code, words] of [
    ['turned', 1, /calibrate --config .*my\.yaml --arm held\n.* --arm follows$/],
    ['swapped', 1, /^Each has the port of the other now/],
  ] as const) {
    let person = new Witness(seen);
    let ended = -1;
    for (let tries = 0; tries < TRIES && person.questions.length < 2; tries++) {
      person = new Witness(seen);
      ended = await tryPair({ config }, person);
    }
    expect(ended, seen).toBe(code);
    expect(person.questions.slice(0, 2)).toEqual([
      'Is the way clear?',
      expect.stringContaining('Does follows go the right way?'),
    ]);
    expect(person.told.at(-2)).toMatch(words);
    expect(person.told.at(-1)).toContain('Keep clear of follows');
  }
  const [held, , follows] = readFileSync(config, 'utf8').split('\n').slice(3);
  expect([held, follows]).toEqual([expect.stringContaining('sim:koch'), expect.stringContaining('sim:so101')]);
});

it('says what it needs', async () => {
  const blind = await arm('setup', 'try', '--config', config);
  expect([blind.code, blind.errors]).toEqual([2, expect.stringContaining('run it in a terminal')]);
  const person = new Witness('right');
  await expect(tryPair({ config, follower: 'other' }, person)).rejects.toThrow('no pair of');
  const lonely = join(folder, 'lonely.yaml');
  writeFileSync(lonely, 'arms:\n  - { name: held, bus: "sim:so101" }\n');
  await expect(tryPair({ config: lonely }, person)).rejects.toThrow('has no pair');
  expect(person.told).toEqual([]);
});
