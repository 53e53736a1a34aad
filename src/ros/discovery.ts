import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RosConfig } from '../config/schema.ts';
import { RELEASES, releaseOf } from './releases.ts';

/** Environment variables by which ROS 2 itself says how far discovery reaches. */
const ROS_VARIABLES = ['ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'] as const;

const RANGES = { localhost: 'LOCALHOST', subnet: 'SUBNET', off: 'OFF' } as const;

/** The profile for programs of this machine, of whatever user they are. */
const PROFILE = fileURLToPath(new URL('../../config/fastdds-this-host.xml', import.meta.url));
/** Variables that name a profile. */
const PROFILE_VARIABLES = [
  ...new Set(Object.values(RELEASES).flatMap(({ profile }) => (profile === null ? [] : [profile]))),
];
/** With this range ROS 2 adds nothing to a profile; with `LOCALHOST` it would add shared memory and every interface. */
const AS_IN_PROFILE = 'SYSTEM_DEFAULT';
/** Variables by which people set Fast DDS up: what they say stands. */
const OWN_SETUP = [...PROFILE_VARIABLES, 'ROS_DISCOVERY_SERVER'] as const;

export interface Discovery {
  /** Where the range comes from, for the log. */
  readonly source: string;
  /** Whether the profile for this machine is in use: if Fast DDS does not take it, the graph is open to the network. */
  readonly byProfile: boolean;
}

/**
 * Sets the discovery range in `environment` unless ROS variables there say it already. rcl reads it when a context is
 * initialised; a release that knows no range has only the switch for localhost (`releases.ts`).
 *
 * Programs of other users are reached too, unless people have set Fast DDS up themselves: shared memory, which Fast DDS
 * prefers on one machine, belongs to one user, and with the range `LOCALHOST` ROS 2 always adds it. Releases on which that
 * has not been tried, and other middlewares, keep the range of ROS 2.
 */
export function setDiscovery(range: RosConfig['discovery'], environment: NodeJS.ProcessEnv): Discovery {
  if (isThisHostByProfile(environment)) return { source: `the profile ${PROFILE}`, byProfile: true };
  const given = ROS_VARIABLES.filter((name) => environment[name]);
  const source =
    given.length > 0 ? given.map((name) => `${name}=${environment[name]}`).join(' ') : `ros.discovery: ${range}`;
  if (given.length === 0) {
    const variable = releaseOf(environment.ROS_DISTRO).discovery;
    environment[variable] = variable === 'ROS_LOCALHOST_ONLY' ? (range === 'subnet' ? '0' : '1') : RANGES[range];
  }
  const variable = profileVariable(environment);
  if (variable === null) return { source, byProfile: false };
  if (environment.ROS_AUTOMATIC_DISCOVERY_RANGE === RANGES.subnet) environment.FASTDDS_BUILTIN_TRANSPORTS ??= 'UDPv4';
  if (!isThisHostAlone(environment)) return { source, byProfile: false };
  delete environment.ROS_LOCALHOST_ONLY;
  environment.ROS_AUTOMATIC_DISCOVERY_RANGE = AS_IN_PROFILE;
  environment[variable] = PROFILE;
  return { source, byProfile: true };
}

/**
 * Whether other nodes may drive the arms: as configured, or, by `auto`, only where no other machine finds the bridge. To
 * be asked after `setDiscovery`.
 */
export function acceptsCommands(wish: RosConfig['accept_commands'], environment: NodeJS.ProcessEnv): boolean {
  return wish === 'auto' ? !reachesNetwork(environment) : wish;
}

/** Whether other machines find the bridge. To be asked after `setDiscovery`. */
export function reachesNetwork(environment: NodeJS.ProcessEnv): boolean {
  if (isThisHostByProfile(environment)) return false;
  if (environment.ROS_STATIC_PEERS) return true;
  return environment.ROS_AUTOMATIC_DISCOVERY_RANGE !== RANGES.off && !isThisHostAlone(environment);
}

/** The variable that names a profile to this release of ROS 2; null where the profile is of no use, or not tried. */
function profileVariable(environment: NodeJS.ProcessEnv): string | null {
  const { ROS_DISTRO: distro, RMW_IMPLEMENTATION: middleware } = environment;
  if (middleware && !middleware.startsWith('rmw_fastrtps')) return null;
  if (OWN_SETUP.some((name) => environment[name] && environment[name] !== PROFILE)) return null;
  return existsSync(PROFILE) ? releaseOf(distro).profile : null;
}

function isThisHostAlone(environment: NodeJS.ProcessEnv): boolean {
  const { ROS_AUTOMATIC_DISCOVERY_RANGE: range, ROS_LOCALHOST_ONLY: only, ROS_STATIC_PEERS: peers } = environment;
  if (peers) return false;
  return range ? range === RANGES.localhost : only === '1';
}

function isThisHostByProfile(environment: NodeJS.ProcessEnv): boolean {
  const named = PROFILE_VARIABLES.some((name) => environment[name] === PROFILE);
  return named && environment.ROS_AUTOMATIC_DISCOVERY_RANGE === AS_IN_PROFILE && !environment.ROS_STATIC_PEERS;
}

/** Whether this process has a UDP socket that other machines reach. False where that cannot be told (not on Linux). */
export function listensToNetwork(): boolean {
  try {
    const own = new Set(readdirSync('/proc/self/fd').flatMap((fd) => socketOf(`/proc/self/fd/${fd}`)));
    return ['udp', 'udp6'].some((table) =>
      readFileSync(`/proc/self/net/${table}`, 'latin1')
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        // Addresses are hexadecimal, of the machine's byte order: 127.0.0.1 is 0100007F.
        .some(([, local, , , , , , , , inode]) => own.has(inode ?? '') && !/7F:|^0{24}01000000:/.test(local!)),
    );
  } catch {
    return false;
  }
}

/** The inode of the socket behind a file descriptor, as an array of none or one. */
function socketOf(path: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [];
  } catch {
    return [];
  }
}
