/** How npm starts this program, by the name that it gives the script. */
const BY_NPM: Readonly<Record<string, string>> = { start: 'npm start --', npx: 'npx arm-bridge' };

/**
 * A command of this program as the person who has started it types it: with npm, or as the launcher of the service and the
 * images (docker/arm-bridge) says.
 */
export function typed(...words: readonly string[]): string {
  const { ARM_BRIDGE_COMMAND: launched, npm_lifecycle_event: script = '' } = process.env;
  return [launched ?? BY_NPM[script] ?? 'arm-bridge', ...words].join(' ');
}

/** The start of the bridge with a configuration, as that person types it. systemd or Docker start a launched one. */
export function typedStart(config: string): string {
  return process.env.ARM_BRIDGE_COMMAND === undefined ? typed('--config', config) : 'start the bridge';
}
