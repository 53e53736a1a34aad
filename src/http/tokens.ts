import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../config/load.ts';
import type { HttpConfig } from '../config/schema.ts';
import { messageOf } from '../message-of.ts';
import { newToken } from '../named-tokens.ts';
import { isLoopback } from './addresses.ts';

/** Minimum length of a token, characters: a shorter one could be guessed over a network. */
export const MIN_TOKEN_LENGTH = 16;
/** Bearer tokens by scope. */
export interface Tokens {
  readonly control: string;
  /** Null: there is no read-only token. */
  readonly read: string | null;
}

export interface TokenFiles {
  /** Null: no request needs a token. */
  readonly tokens: Tokens | null;
  /** Token file that was created because it was missing; null: none. */
  readonly made: string | null;
}

/**
 * Reads the tokens: the first lines of `http.token_file` and `http.read_token_file`. An address that other computers
 * reach needs a token, so a missing token file is created then, readable by its owner only.
 * @param folder folder of the token file if none is configured
 * @throws {ConfigError} if a file cannot be read or created, or its first line is not a token
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

/** Writes a new token, unless the file exists. @returns whether it was written */
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

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The certificate of `http.tls`; null: plain HTTP. @throws {ConfigError} if a file cannot be read, or is not what it should be */
export function readCertificate({ tls }: HttpConfig): Certificate | null {
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
  const made = { cert: read('certificate'), key: read('key') };
  try {
    createSecureContext(made);
  } catch (error) {
    throw new ConfigError(
      `http.tls: ${tls.certificate} and ${tls.key} are no certificate and its key in PEM form (${messageOf(error)}).`,
    );
  }
  return made;
}

/**
 * Checks that an address reachable from other computers has a token, and either encryption or an explicit `http.tls:
 * off`: whoever reaches the port can move an arm, and a token sent unencrypted can be read.
 * @throws {ConfigError} with http.host and the missing setting
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
