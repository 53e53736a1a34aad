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

/** Progress of setting up an arm: the answers so far, and the ids of the servos that are done. */
export type Progress = z.output<typeof progress>;

/** File with the progress, kept until the arm is set up, so that an interrupted set-up can resume. */
export class ProgressFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null if no set-up is in progress, or the file cannot be read. */
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
