import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from './disk.ts';

/** What a client may do: only look, or also move arms. */
export const SCOPES = ['read', 'control'] as const;
export type Scope = (typeof SCOPES)[number];

/** Pattern of token names, which appear in logs and refusals. */
export const TOKEN_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** Most named tokens at once. */
const MOST_TOKENS = 256;
/** Random bytes of a token. */
const TOKEN_BYTES = 32;

export interface NamedToken {
  readonly name: string;
  readonly scope: Scope;
  /** SHA-256 of the token, hexadecimal: the token itself is stored nowhere. */
  readonly digest: string;
  /** Seconds since the epoch. */
  readonly made: number;
}

/**
 * Whether this is an entry of the file. Checked by hand: the stop thread reads the file too, without a schema library.
 */
function isToken(entry: Partial<Record<keyof NamedToken, unknown>> | null): entry is NamedToken {
  return (
    TOKEN_NAME.test(String(entry?.name)) &&
    SCOPES.some((scope) => scope === entry?.scope) &&
    /^[0-9a-f]{64}$/.test(String(entry?.digest)) &&
    Number.isFinite(entry?.made)
  );
}

/** @throws {Error} when it is not the text of a token file */
function tokensIn(text: string): NamedToken[] {
  const { tokens } = JSON.parse(text);
  if (!Array.isArray(tokens) || tokens.length > MOST_TOKENS || !tokens.every(isToken)) throw new Error('no tokens');
  return tokens;
}

/** A new token. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/** SHA-256 of a token. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * Named tokens in one file, written by the command line and read by a running bridge. The file holds only digests, so
 * no token can be read from it.
 */
export class NamedTokens {
  readonly path: string;
  readonly #disk: Disk;
  #text: string | null = null;
  #tokens: readonly NamedToken[] = [];

  /** @param folder where the bridge keeps its state */
  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.path = join(folder, 'tokens.json');
  }

  /** As of the last `refresh`. */
  get all(): readonly NamedToken[] {
    return this.#tokens;
  }

  /** Reads the file again. @returns whether it has changed @throws {Error} when its content is invalid */
  refresh(): boolean {
    const text = this.#disk.read(this.path);
    if (text === this.#text) return false;
    // An unreadable file lets no one in, because the old list could admit revoked tokens.
    this.#tokens = [];
    this.#text = text;
    try {
      if (text !== null) this.#tokens = tokensIn(text);
    } catch {
      throw new Error(`${this.path} is damaged, so that no token with a name is valid: remove it and add them anew`);
    }
    return true;
  }

  /**
   * Makes a token. @param now seconds since the epoch
   * @returns the token, shown only this once @throws {Error} for a name that is invalid or taken
   */
  add(name: string, scope: Scope, now: number): string {
    this.refresh();
    if (!TOKEN_NAME.test(name)) {
      throw new Error(
        `"${name}" is no name of a token: 1 to 64 letters, digits, "_", "." and "-", a letter or digit first`,
      );
    }
    if (this.#tokens.some((one) => one.name === name)) {
      throw new Error(`there is a token ${name} already: revoke it first, or choose another name`);
    }
    if (this.#tokens.length >= MOST_TOKENS) throw new Error(`there are ${MOST_TOKENS} tokens already: revoke some`);
    const token = newToken();
    this.#keep([...this.#tokens, { name, scope, digest: digestOf(token).toString('hex'), made: now }]);
    return token;
  }

  /** @throws {Error} when there is no token of this name */
  revoke(name: string): void {
    this.refresh();
    const left = this.#tokens.filter((one) => one.name !== name);
    if (left.length === this.#tokens.length) throw new Error(`there is no token ${name}`);
    this.#keep(left);
  }

  #keep(tokens: readonly NamedToken[]): void {
    this.#disk.write(this.path, `${JSON.stringify({ tokens }, null, 1)}\n`);
    this.refresh();
  }
}
