import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/load.ts';
import type { HttpConfig } from '../config/schema.ts';
import { newToken } from '../named-tokens.ts';
import { isLoopback } from './addresses.ts';

/** A token shorter than this can be guessed over a network. */
export const MIN_TOKEN_LENGTH = 16;
/** The bearer tokens, by what they allow. */
export interface Tokens {
  readonly control: string;
  /** Null: there is none that may only read. */
  readonly read: string | null;
}

export interface TokenFiles {
  /** Null: no request needs a token. */
  readonly tokens: Tokens | null;
  /** File that was made because there was none; null: none was. */
  readonly made: string | null;
}

/**
 * The tokens of `http.token_file` and `http.read_token_file`: their first lines. An address that other computers reach
 * needs one: where its file does not exist it is made, readable by its owner alone.
 * @param folder where the token goes when no file is configured
 * @throws {ConfigError} when a file cannot be read or made, or its first line is no token
 */
export function readTokens(config: HttpConfig, folder: string): TokenFiles {
  const exposed = !isLoopback(config.host);
  const file = config.token_file ?? (exposed ? join(folder, 'token') : null);
  if (file === null) {
    if (config.read_token_file === null) return { tokens: null, made: null };
    throw new ConfigError(
      'http.read_token_file: without http.token_file nobody needs a token, so nobody can be kept from moving arms. Set both.',
    );
  }
  const made = exposed && makeToken(file, config.token_file === null) ? file : null;
  const control = tokenIn(file, 'token_file');
  const read = config.read_token_file === null ? null : tokenIn(config.read_token_file, 'read_token_file');
  if (read === control) {
    throw new ConfigError('http.read_token_file: it holds the same token as http.token_file, which moves arms.');
  }
  return { tokens: { control, read }, made };
}

/** Writes a new token, unless the file exists. @returns whether it has been made */
function makeToken(file: string, withFolder: boolean): boolean {
  try {
    if (withFolder) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${newToken()}\n`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new ConfigError(`http.token_file: ${file} does not exist and cannot be made (${code ?? error}).`);
  }
}

function tokenIn(file: string, key: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `http.${key}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? error}). ` +
        `Make one with: openssl rand -hex 32 > ${file}`,
    );
  }
  const token = (text.split('\n', 1)[0] ?? '').trim();
  if (token.length < MIN_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError(
      `http.${key}: the first line of ${file} is no token: at least ${MIN_TOKEN_LENGTH} visible ASCII characters ` +
        `without spaces are needed. Make one with: openssl rand -hex 32 > ${file}`,
    );
  }
  return token;
}

/** Certificate and key of `http.tls`, as PEM; null: plain HTTP. @throws {ConfigError} when a file cannot be read */
export function readCertificate({ tls }: HttpConfig): { readonly cert: Buffer; readonly key: Buffer } | null {
  if (tls === null || tls === 'off') return null;
  const read = (name: 'certificate' | 'key'): Buffer => {
    try {
      return readFileSync(tls[name]);
    } catch (error) {
      throw new ConfigError(
        `http.tls.${name}: ${tls[name]} cannot be read (${(error as NodeJS.ErrnoException).code ?? error}).`,
      );
    }
  };
  return { cert: read('certificate'), key: read('key') };
}

/**
 * Whoever reaches the port can move an arm, and whoever hears a token has it: an address that other computers reach needs
 * a token and encryption, or the word that there is none.
 * @throws {ConfigError} naming http.host and what is missing
 */
export function checkBind(config: HttpConfig, tokens: Tokens | null): void {
  if (isLoopback(config.host)) return;
  const reached = `http.host: ${config.host} can be reached from other computers, so`;
  if (tokens === null) {
    throw new ConfigError(`${reached} every request must carry a token: name a file with one in http.token_file.`);
  }
  if (config.tls === null) {
    throw new ConfigError(
      `${reached} http.tls must name the files of a certificate and its key. Where something else encrypts (a proxy, a ` +
        'VPN), or everybody on this network may read the token, say http.tls: off.',
    );
  }
}
