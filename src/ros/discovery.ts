import type { RosConfig } from '../config/schema.ts';

/** Environment variables by which ROS 2 itself says how far discovery reaches. */
const ROS_VARIABLES = ['ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'] as const;

const RANGES = { localhost: 'LOCALHOST', subnet: 'SUBNET', off: 'OFF' } as const;

/**
 * Sets the discovery range in `environment` unless ROS variables there say it already. rcl reads it when a context is
 * initialised; Humble, which knows no range, has only the switch for localhost.
 * @returns where the range comes from, for the log
 */
export function setDiscovery(range: RosConfig['discovery'], environment: NodeJS.ProcessEnv): string {
  const given = ROS_VARIABLES.filter((name) => environment[name]);
  if (given.length > 0) return given.map((name) => `${name}=${environment[name]}`).join(' ');
  if (environment.ROS_DISTRO === 'humble') {
    environment.ROS_LOCALHOST_ONLY = range === 'subnet' ? '0' : '1';
  } else {
    environment.ROS_AUTOMATIC_DISCOVERY_RANGE = RANGES[range];
  }
  return `ros.discovery: ${range}`;
}

/**
 * Whether other nodes may drive the arms: as configured, or, by `auto`, only where no other machine finds the bridge. To
 * be asked after `setDiscovery`.
 */
export function acceptsCommands(wish: RosConfig['accept_commands'], environment: NodeJS.ProcessEnv): boolean {
  if (wish !== 'auto') return wish;
  if (environment.ROS_STATIC_PEERS) return false;
  const range = environment.ROS_AUTOMATIC_DISCOVERY_RANGE;
  if (range) return range === RANGES.localhost || range === RANGES.off;
  return environment.ROS_LOCALHOST_ONLY === '1';
}
