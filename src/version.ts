import { readFileSync } from 'node:fs';
import { PROJECT } from './home.ts';

/** Version of the package, from its package.json. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('package.json', PROJECT), 'utf8')) as { version: string }
).version;
