import { readFileSync, statSync } from 'node:fs';
import { ConfigError } from '../config/load.ts';
import { messageOf } from '../message-of.ts';

/** A file that `fleet` of the configuration names, and that may be renewed while the bridge runs. */
export class RenewedFile<T> {
  readonly #path: string;
  readonly #field: string;
  readonly #parse: (text: string) => T;
  #stamp: string;
  #value: T;

  /**
   * @param field its key in `fleet`
   * @param parse throws an error that says what is wrong with the text, as an ending of a sentence about the file
   * @throws {ConfigError} if the file cannot be read or parsed
   */
  constructor(path: string, field: string, parse: (text: string) => T) {
    this.#path = path;
    this.#field = field;
    this.#parse = parse;
    this.#stamp = this.#stampNow();
    this.#value = this.#read();
  }

  get value(): T {
    return this.#value;
  }

  /**
   * Reads the file again if it has changed since it was read last.
   * @throws {ConfigError} once for each change that cannot be used; the former value stays
   */
  refresh(): void {
    const stamp = this.#stampNow();
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#value = this.#read();
  }

  /** Changes when the file does. Empty without a file, and for a pipe, which can be read only once. */
  #stampNow(): string {
    try {
      const found = statSync(this.#path);
      return found.isFile() ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
    } catch {
      return '';
    }
  }

  #read(): T {
    let text: string;
    try {
      text = readFileSync(this.#path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new ConfigError(`fleet.${this.#field}: ${this.#path} cannot be read (${code}).`);
    }
    try {
      return this.#parse(text);
    } catch (error) {
      throw new ConfigError(`fleet.${this.#field}: ${this.#path} ${messageOf(error)}.`);
    }
  }
}
