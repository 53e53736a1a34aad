import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from './schema.ts';

/** Where a bridge with this configuration keeps its recordings. */
export function recordingsFolder({ recording }: Config): string {
  const { XDG_DATA_HOME: data } = process.env;
  // By the XDG specification a relative path counts as unset.
  const base = data?.startsWith('/') ? data : join(homedir(), '.local', 'share');
  return recording.folder ?? join(base, 'arm-bridge', 'recordings');
}
