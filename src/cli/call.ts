import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { dirname, join, resolve } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { type Command, InvalidArgumentError } from 'commander';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { systemClock } from '../clock.ts';
import { loadConfig, usualConfigFile } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../message-of.ts';
import { EVERYWHERE } from './health.ts';
import { portNumber } from './port-number.ts';
import { carryOut, EXIT, UsageError } from './servo-access.ts';

const METHODS = ['GET', 'POST', 'DELETE', 'HEAD'];
/** Requests that the bridge answers at once: motions, which are begun by POST, are answered when they have ended. */
const AT_ONCE = ['GET', 'HEAD'];
/** Longest time until such an answer begins, s. */
const LIMIT = 10;

interface Options {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
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

/**
 * The token of the bridge that runs with a configuration file; null if it has none.
 * @throws {UsageError} naming the token file, if that cannot be read
 */
function tokenOf(config: Config, file: string): string | null {
  const { token } = tokenFilesOf(config, file);
  try {
    return readFileSync(token, 'utf8').split('\n', 1)[0]!.trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (config.http.token_file === null && code === 'ENOENT') return null;
    const step = code === 'EACCES' ? ': run this as the user of the bridge, or with sudo' : '';
    throw new UsageError(`the token file ${token} cannot be read (${message})${step}`);
  }
}

/**
 * Sends a request to the bridge of a configuration. Its certificate must be the configured one, because the request
 * carries the token.
 * @returns its answer, once that has begun
 * @throws {Error} if there is none; to a request that only reads, within 10 s
 */
function ask(
  config: Config,
  token: string | null,
  method: string,
  path: string,
  body: string | undefined,
): Promise<IncomingMessage> {
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
    const plain = tls === null || tls === 'off';
    const request = plain ? requestPlain(options) : requestTls({ ...options, rejectUnauthorized: false });
    request.on('response', resolve);
    request.on('error', reject);
    if (AT_ONCE.includes(method)) {
      const limit = systemClock.after(LIMIT, () => request.destroy(new Error(`none within ${LIMIT} s`)));
      for (const event of ['response', 'close']) request.once(event, () => limit.cancel());
    }
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

/** Prints an answer as it comes, because a live stream has no end. @returns whether it reports a failure */
async function print(answer: IncomingMessage): Promise<boolean> {
  const { 'content-type': type = '' } = answer.headers;
  const json: Buffer[] = [];
  let last: number | undefined;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (type.includes('json')) json.push(chunk);
    last = chunk.at(-1);
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
  const isText = /json|text/.test(type);
  if (isText && last !== undefined && last !== NEWLINE) process.stdout.write('\n');
  return isFailure(Buffer.concat(json).toString());
}

const NEWLINE = '\n'.charCodeAt(0);

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
    .action((method: string, path: string, body: string | undefined, options: Options) =>
      carryOut('call', async () => {
        const config = loadConfig(options.config, process.env, options);
        const token = tokenOf(config, options.config);
        const { host, port } = config.http;
        let answer: IncomingMessage;
        try {
          answer = await ask(config, token, method, `/${path.replace(/^\//, '')}`, body);
        } catch (error) {
          process.stderr.write(
            `arm-bridge: no answer from the bridge on ${host}:${port} (${messageOf(error)}): is it running, with this ` +
              'configuration? If it was started with --port or --host, give these here too.\n',
          );
          return EXIT.failed;
        }
        process.stdout.once('error', (error: NodeJS.ErrnoException) => {
          // Whoever reads the output has seen enough, like head.
          if (error.code === 'EPIPE') process.exit(EXIT.ok);
          throw error;
        });
        try {
          const hasFailed = await print(answer);
          return hasFailed || answer.statusCode! >= 400 ? EXIT.failed : EXIT.ok;
        } catch (error) {
          process.stderr.write(`arm-bridge: the answer of the bridge broke off (${messageOf(error)})\n`);
          return EXIT.failed;
        }
      }),
    );
}
