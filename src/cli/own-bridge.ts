import type { ArmConfig, Config, PairConfig } from '../config/schema.ts';

/**
 * What a command of this program needs of a bridge of its own: some arms of a configuration, without ROS, on a port that nobody
 * knows. Every motion passes the gate, as always.
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
