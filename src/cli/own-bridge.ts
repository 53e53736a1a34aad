import type { BridgeOptions } from '../bridge.ts';
import type { ArmConfig, Config, PairConfig } from '../config/schema.ts';

/** Options of a command's own bridge: the arms alone. */
export const OWN: BridgeOptions = { recover: false };

/**
 * Configuration of a command's own bridge: some arms of a configuration, without ROS, on an unannounced local port. All
 * motion still passes the gate.
 */
export function ownConfig(config: Config, arms: readonly ArmConfig[], pairs: readonly PairConfig[] = []): Config {
  return {
    ...config,
    http: { ...config.http, host: '127.0.0.1', port: 0, token_file: null, read_token_file: null, tls: null },
    ros: { ...config.ros, enabled: false },
    arms: arms.map((arm, id) => ({ ...arm, id })),
    pairs: [...pairs],
  };
}
