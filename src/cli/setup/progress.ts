import { z } from 'zod';
import { fileDisk } from '../../disk.ts';

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
      return progress.parse(JSON.parse(fileDisk.read(this.#path) ?? ''));
    } catch {
      return null;
    }
  }

  write(content: Progress): void {
    fileDisk.write(this.#path, `${JSON.stringify(content)}\n`);
  }

  remove(): void {
    fileDisk.remove(this.#path);
  }
}
