import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { write } from './arguments.ts';

const DOCUMENT = fileURLToPath(new URL('../../../docs/benchmarks.md', import.meta.url));

/** The result of one benchmark program: says where it was measured, and goes to its section of docs/benchmarks.md. */
export class Report {
  readonly #section: string;
  readonly #load = loadavg()[0]!;

  readonly #document: string;

  /**
   * To be made before anything is measured.
   * @param section name in the document's markers, as in `bench moves`
   * @param document left out: as it lies from the compiled program
   */
  constructor(section: string, document = DOCUMENT) {
    this.#section = section;
    this.#document = document;
  }

  /** The machine, and what else it did. */
  machine(): string {
    return (
      `Machine: ${cpus()[0]!.model}, ${availableParallelism()} cores, Linux, Node ${process.version}; load average ` +
      `${this.#load.toFixed(1)} before and ${loadavg()[0]!.toFixed(1)} after. ${new Date().toISOString().slice(0, 10)}.`
    );
  }

  /** Prints the text, and with `--write` puts it between the section's markers. */
  publish(text: string): void {
    process.stdout.write(text);
    if (!write) return;
    const document = readFileSync(this.#document, 'utf8');
    const begin = `<!-- ${this.#section}: begin -->\n`;
    const from = document.indexOf(begin) + begin.length;
    const to = document.indexOf(`<!-- ${this.#section}: end -->`);
    writeFileSync(this.#document, `${document.slice(0, from)}\n${text}\n${document.slice(to)}`);
  }
}
