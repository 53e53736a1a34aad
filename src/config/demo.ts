import { ConfigError } from './load.ts';
import type { Config } from './schema.ts';

/**
 * Refuses a configuration unfit for the demo: with nothing to show, or with real arms that a visitor could damage.
 * @throws {ConfigError} if an arm is not simulated, or there is no pair or no scene
 */
export function requireDemo({ arms, pairs, sim }: Config): void {
  const way = 'Leave out --demo, or --config and ARM_BRIDGE_CONFIG_FILE: the simulated pair is there without a file';
  const real = arms.find(({ bus }) => !bus.startsWith('sim:'));
  if (real !== undefined)
    throw new ConfigError(
      `--demo moves simulated arms alone, but the bus of arm "${real.name}" is ${real.bus}. ${way}.`,
    );
  if (pairs.length === 0 || sim.scene === null)
    throw new ConfigError(`--demo shows a pair and a cube, so it needs \`pairs\` and \`sim.scene: pick\`. ${way}.`);
}
