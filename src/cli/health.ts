import { type IncomingMessage, get as plainGet, type RequestOptions } from 'node:http';
import { get as tlsGet } from 'node:https';
import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { loadConfig, usualConfigFile } from '../config/load.ts';
import type { HttpConfig } from '../config/schema.ts';
import { messageOf } from '../message-of.ts';
import { portNumber } from './port-number.ts';
import { EXIT } from './servo-access.ts';

interface Options {
  readonly config: string;
  readonly port?: number;
  readonly host?: string;
}

/** Response timeout, s. */
const LIMIT = 4;
/** Wildcard listen addresses, each with the loopback address to connect to instead. */
export const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Status of GET /healthz. The request carries no token, so the server's certificate need not be checked. */
function statusOf({ host, port, tls }: HttpConfig): Promise<number> {
  const plain = tls === null || tls === 'off';
  const options: RequestOptions = {
    host: EVERYWHERE[host] ?? host,
    port,
    path: '/healthz',
  };
  return new Promise((resolve, reject) => {
    const take = (response: IncomingMessage): void => {
      response.resume();
      resolve(response.statusCode ?? 0);
    };
    const request = plain ? plainGet(options, take) : tlsGet({ ...options, rejectUnauthorized: false }, take);
    request.on('error', reject);
    const limit = systemClock.after(LIMIT, () => request.destroy(new Error(`no response within ${LIMIT} s`)));
    request.on('close', () => limit.cancel());
  });
}

/**
 * Adds `arm-bridge health` to the program: asks the bridge of a configuration whether it works. In images and under
 * systemd docker/arm-bridge answers instead, from the beats of src/watchdog.ts and without starting Node.
 */
export function addHealth(program: Command): void {
  program
    .command('health')
    .description('Asks the bridge that runs with this configuration whether its control loop runs. Ends with 0 if so.')
    .option('--config <file>', 'its configuration', usualConfigFile())
    .option('--port <number>', 'its HTTP port, if it was started with that option', portNumber)
    .option('--host <address>', 'the same for the address on which it listens')
    .action(async ({ config, ...started }: Options) => {
      const { http } = loadConfig(config, process.env, started);
      try {
        const status = await statusOf(http);
        if (status === 200) return;
        process.stderr.write(`arm-bridge: GET /healthz was answered with ${status}: the control loop does not run\n`);
      } catch (error) {
        const why = messageOf(error);
        process.stderr.write(`arm-bridge: no bridge answers on ${http.host}:${http.port} (${why})\n`);
      }
      process.exitCode = EXIT.failed;
    });
}
