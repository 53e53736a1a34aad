import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';

/** Where a bridge with this configuration keeps its recordings. */
export function recordingsFolder({ recording }: Config): string {
  const { XDG_DATA_HOME: data } = process.env;
  return (
    recording.folder ??
    join(data?.startsWith('/') ? data : join(homedir(), '.local', 'share'), 'arm-bridge', 'recordings')
  );
}
