import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { afterAll } from 'vitest';
import type { Bridge, BridgeOptions } from '../../src/bridge.ts';
import type { Config } from '../../src/config/schema.ts';
import type { Host } from '../../src/host.ts';

// The compiled bridge: its threads are compiled too, and run as they do in the field.
const load = (file: string) => import(new URL(`../../dist/${file}`, import.meta.url).href);
const compiled = (await load('bridge.js')) as typeof import('../../src/bridge.ts');
const { thisMachine } = (await load('host.js')) as typeof import('../../src/host.ts');
const { systemClock } = (await load('clock.js')) as typeof import('../../src/clock.ts');

/** Starts the compiled bridge in this process. @param differs in what its host differs from this machine */
export function startBridge(
  config: Config,
  logger: Logger,
  options?: BridgeOptions,
  differs: Partial<Host> = {},
): Promise<Bridge> {
  // A stop outlives its bridge, and is not to meet the next test.
  const state = config.state_folder ?? mkdtempSync(join(tmpdir(), 'arm-bridge-state-'));
  if (config.state_folder === null) afterAll(() => rmSync(state, { recursive: true, force: true }));
  const own = { ...config, state_folder: state };
  return compiled.Bridge.start(own, logger, { ...thisMachine(systemClock), ...differs }, options);
}
