import { afterEach, expect, test, vi } from 'vitest';
import { typed, typedStart } from '../../src/cli/typed.ts';

afterEach(() => vi.unstubAllEnvs());

test('a next step is named as the person who started the program types it', () => {
  const named = (launched: string | undefined, script: string | undefined): string[] => {
    vi.stubEnv('ARM_BRIDGE_COMMAND', launched);
    vi.stubEnv('npm_lifecycle_event', script);
    return [typed('setup', 'try'), typedStart('my.yaml')];
  };
  expect(named(undefined, 'start')).toEqual(['npm start -- setup try', 'npm start -- --config my.yaml']);
  expect(named(undefined, 'npx')).toEqual(['npx arm-bridge setup try', 'npx arm-bridge --config my.yaml']);
  expect(named(undefined, undefined)).toEqual(['arm-bridge setup try', 'arm-bridge --config my.yaml']);
  // Docker starts the bridge itself.
  expect(named('docker compose run --rm setup', undefined)).toEqual([
    'docker compose run --rm setup setup try',
    'start the bridge',
  ]);
});
