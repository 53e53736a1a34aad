import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from './schema.ts';

/** Folder of the recordings. */
export function recordingsFolder({ recording }: Config): string {
  const { XDG_DATA_HOME: data } = process.env;
  // The XDG specification says that a relative path counts as unset.
  const base = data?.startsWith('/') ? data : join(homedir(), '.local', 'share');
  return recording.folder ?? join(base, 'arm-bridge', 'recordings');
}
