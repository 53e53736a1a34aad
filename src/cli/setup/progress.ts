import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const progress = z.strictObject({
  bus: z.string(),
  model: z.string(),
  variant: z.string(),
  role: z.enum(['leader', 'follower']).nullable(),
  name: z.string(),
  config: z.string(),
  done: z.array(z.int()),
});

/** How far setting up an arm has come: what was answered, and the ids of the servos that have theirs. */
export type Progress = z.output<typeof progress>;

/** Where that is kept until the arm is set up, so that an interrupted set-up goes on from there. */
export class ProgressFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null when nothing is under way, or nothing that can be read. */
  read(): Progress | null {
    try {
      return progress.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return null;
    }
  }

  write(content: Progress): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    const draft = `${this.#path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(content)}\n`);
    renameSync(draft, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}
