// npm run build:page: builds the control page and the page of the interface to dist/page, where a bridge serves them from.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from './lib/page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const size = await buildPage(root, join(root, 'dist', 'page'));
process.stdout.write(`dist/page: ${(size / 1000).toFixed(0)} kB compressed\n`);
