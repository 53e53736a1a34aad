import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { write } from './arguments.ts';

/** Below the folder in which npm runs the benchmarks. */
const RESULTS = 'bench/results';

/** The result of one benchmark program: says where it was measured, and is kept in a file of its own. */
export class Report {
  readonly #name: string;
  readonly #title: string;
  readonly #command: string;
  readonly #load = loadavg()[0]!;

  /**
   * To be made before anything is measured.
   * @param name of its file in bench/results
   * @param command that measures it, as `npm run` takes it
   */
  constructor(name: string, title: string, command = `bench:${name}`) {
    this.#name = name;
    this.#title = title;
    this.#command = command;
  }

  /** The machine, and what else it did. */
  machine(): string {
    return (
      `Machine: ${cpus()[0]!.model}, ${availableParallelism()} cores, Linux, Node ${process.version}; load average ` +
      `${this.#load.toFixed(1)} before and ${loadavg()[0]!.toFixed(1)} after. ${new Date().toISOString().slice(0, 10)}.`
    );
  }

  /** Prints the text, and keeps it with `--write`. */
  publish(text: string): void {
    process.stdout.write(text);
    if (!write) return;
    const written = `Written by \`npm run ${this.#command} -- --write\`; [how it is measured](../README.md).`;
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(`${RESULTS}/${this.#name}.md`, `# ${this.#title}\n\n${written}\n\n${text.trim()}\n`);
  }
}
