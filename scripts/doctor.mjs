// npm run doctor: what this machine has, what of it will be used, and how to install what is missing. Changes nothing.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './lib/report.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.stdout.write(`${report(root).join('\n')}\n`);
