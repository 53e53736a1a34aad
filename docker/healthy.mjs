// node docker/healthy.mjs FILE
// Ends with 0 when the bridge that runs with this configuration file, and with this environment, says on HTTP that its
// control loop runs. It sends no token and needs none, so whom it speaks to need not be proved.

import { get as plainGet } from 'node:http';
import { get as tlsGet } from 'node:https';
import { loadConfig } from '../dist/config/load.js';

/** An answer later than this is none, ms. */
const LIMIT = 4000;
/** What stands for all addresses, and the one of this computer by which it is reached. */
const EVERYWHERE = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function status({ host: bound, port, tls }) {
  const options = { host: EVERYWHERE[bound] ?? bound, port, path: '/healthz', signal: AbortSignal.timeout(LIMIT) };
  return new Promise((resolve, reject) => {
    const take = (response) => {
      response.resume();
      resolve(response.statusCode);
    };
    const request =
      tls === null || tls === 'off' ? plainGet(options, take) : tlsGet({ ...options, rejectUnauthorized: false }, take);
    request.on('error', reject);
  });
}

try {
  const code = await status(loadConfig(process.argv[2], process.env).http);
  if (code !== 200) throw new Error(`GET /healthz was answered with ${code}`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
