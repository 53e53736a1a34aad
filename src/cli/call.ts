import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { type Command, InvalidArgumentError } from 'commander';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { loadConfig, usualConfigFile } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../message-of.ts';
import { EVERYWHERE } from './health.ts';
import { portNumber } from './port-number.ts';
import { EXIT } from './servo-access.ts';

const METHODS = ['GET', 'POST', 'DELETE', 'HEAD'];

interface Options {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Token files of the bridge that runs with a configuration file: those that it names or, for a service of systemd, those
 * beside it.
 */
export function tokenFilesOf({ http, state_folder: folder }: Config, file: string) {
  const beside = (name: string): string | null => {
    const path = join(dirname(resolve(file)), name);
    return existsSync(path) ? path : null;
  };
  return {
    token: http.token_file ?? beside('token') ?? join(folder ?? defaultStateFolder(), 'token'),
    read_token: http.read_token_file ?? beside('read_token'),
  };
}

/** The token of the bridge that runs with a configuration file; null if it has none. */
function tokenOf(config: Config, file: string): string | null {
  try {
    return readFileSync(tokenFilesOf(config, file).token, 'utf8').split('\n', 1)[0]!.trim();
  } catch (error) {
    if (config.http.token_file === null && (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Sends a request to the bridge of a configuration. Its certificate must be the configured one, because the request
 * carries the token.
 */
function ask(
  config: Config,
  token: string | null,
  method: string,
  path: string,
  body: string | undefined,
): Promise<Answer> {
  const { host, port, tls } = config.http;
  const options: RequestOptions = {
    host: EVERYWHERE[host] ?? host,
    port,
    method,
    path,
    headers: {
      accept: 'application/problem+json, */*',
      'x-arm-bridge-client': 'arm-bridge call',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  };
  return new Promise((resolve, reject) => {
    const take = (response: IncomingMessage): void => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    };
    const plain = tls === null || tls === 'off';
    const request = plain ? requestPlain(options, take) : requestTls({ ...options, rejectUnauthorized: false }, take);
    request.on('error', reject);
    if (plain) {
      request.end(body);
      return;
    }
    // Send nothing before the server's certificate has been checked.
    const own = new X509Certificate(readFileSync(tls.certificate)).fingerprint256;
    request.once('socket', (socket) =>
      (socket as TLSSocket).once('secureConnect', () => {
        if ((socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 === own) request.end(body);
        else request.destroy(new Error('another program answers there: its certificate is not that of http.tls'));
      }),
    );
  });
}

function methodOf(word: string): string {
  const method = word.toUpperCase();
  if (METHODS.includes(method)) return method;
  throw new InvalidArgumentError(`one of ${METHODS.join(', ')} is expected.`);
}

/** Whether a body with a status reports a failure. */
function isFailure(body: string): boolean {
  try {
    return (JSON.parse(body) as { readonly status?: unknown } | null)?.status === 'error';
  } catch {
    return false;
  }
}

/** Adds `arm-bridge call` to the program: one request to the bridge that runs with a configuration, with its token. */
export function addCall(program: Command): void {
  program
    .command('call')
    .description(
      'Sends one request to the bridge that runs with this configuration, with its token, and prints the answer.',
    )
    .argument('<method>', METHODS.join(', '), methodOf)
    .argument('<path>', 'such as /status or /move/init?robot_id=1')
    .argument('[body]', 'JSON')
    .option('--config <file>', 'its configuration', usualConfigFile())
    .option('--port <number>', 'its HTTP port, if it was started with that option', portNumber)
    .option('--host <address>', 'the same for the address on which it listens')
    .action(async (method: string, path: string, body: string | undefined, options: Options) => {
      const config = loadConfig(options.config, process.env, options);
      const { host, port } = config.http;
      try {
        const answer = await ask(config, tokenOf(config, options.config), method, `/${path.replace(/^\//, '')}`, body);
        if (answer.body !== '') process.stdout.write(`${answer.body.trimEnd()}\n`);
        if (answer.status < 400 && !isFailure(answer.body)) return;
      } catch (error) {
        const why = messageOf(error);
        process.stderr.write(
          `arm-bridge: no answer from the bridge on ${host}:${port} (${why}): is it running, with this configuration? ` +
            'If it was started with --port or --host, give these here too.\n',
        );
      }
      process.exitCode = EXIT.failed;
    });
}
