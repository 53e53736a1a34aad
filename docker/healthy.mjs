// node docker/healthy.mjs FILE
// Ends with 0 when the bridge that runs with this configuration file, and with this environment, answers on HTTP.

import { readFileSync } from 'node:fs';
import { loadConfig } from '../dist/config/load.js';

/** An answer later than this is none, ms. */
const LIMIT = 4000;

try {
  const { http } = loadConfig(process.argv[2], process.env);
  const everywhere = ['0.0.0.0', '::'].includes(http.host);
  const host = everywhere ? '127.0.0.1' : http.host.includes(':') ? `[${http.host}]` : http.host;
  const token = http.token_file === null ? null : readFileSync(http.token_file, 'utf8').split('\n', 1)[0].trim();
  const answer = await fetch(`http://${host}:${http.port}/status`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(LIMIT),
  });
  if (!answer.ok) throw new Error(`GET /status was answered with ${answer.status}`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
