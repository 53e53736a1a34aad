import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RosConfig } from '../config/schema.ts';
import { RELEASES, releaseOf } from './releases.ts';

/** Environment variables by which ROS 2 itself sets the discovery range. */
const ROS_VARIABLES = ['ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'] as const;

const RANGES = { localhost: 'LOCALHOST', subnet: 'SUBNET', off: 'OFF' } as const;

/** The Fast DDS profile for programs on this machine, of any user. */
const PROFILE = fileURLToPath(new URL('../../config/fastdds-this-host.xml', import.meta.url));
/** Variables that name a profile. */
const PROFILE_VARIABLES = [
  ...new Set(Object.values(RELEASES).flatMap(({ profile }) => (profile === null ? [] : [profile]))),
];
/** With this range ROS 2 adds nothing to a profile; with `LOCALHOST` it would add shared memory and every interface. */
const AS_IN_PROFILE = 'SYSTEM_DEFAULT';
/** Variables by which people configure Fast DDS themselves; their settings are kept. */
const OWN_SETUP = [...PROFILE_VARIABLES, 'ROS_DISCOVERY_SERVER'] as const;

export interface Discovery {
  /** Source of the range, for the log. */
  readonly source: string;
  /** Whether the profile for this machine is in use: if Fast DDS ignores it, the graph is open to the network. */
  readonly byProfile: boolean;
}

/**
 * Sets the discovery range in `environment` unless ROS variables there set it already. rcl reads it when a context is
 * initialised. A release without a discovery range has only the localhost switch (`releases.ts`).
 *
 * Unless people have configured Fast DDS themselves, a profile makes programs of other users reachable too. Without it
 * Fast DDS prefers shared memory on one machine, which belongs to one user, and the range `LOCALHOST` always adds
 * shared memory. Releases on which the profile is untested, and other middlewares, keep the range of ROS 2.
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
 * Whether other nodes may drive the arms: as configured, or with `auto` only if no other machine can discover the
 * bridge. Call after `setDiscovery`.
 */
export function acceptsCommands(wish: RosConfig['accept_commands'], environment: NodeJS.ProcessEnv): boolean {
  return wish === 'auto' ? !reachesNetwork(environment) : wish;
}

/** Whether other machines can discover the bridge. Call after `setDiscovery`. */
export function reachesNetwork(environment: NodeJS.ProcessEnv): boolean {
  if (isThisHostByProfile(environment)) return false;
  if (environment.ROS_STATIC_PEERS) return true;
  return environment.ROS_AUTOMATIC_DISCOVERY_RANGE !== RANGES.off && !isThisHostAlone(environment);
}

/** The variable that names a profile in this ROS 2 release; null where the profile is useless or untested. */
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

/** Whether this process has a UDP socket that other machines can reach. False where that is unknown (not on Linux). */
export function listensToNetwork(): boolean {
  try {
    const own = new Set(readdirSync('/proc/self/fd').flatMap((fd) => socketOf(`/proc/self/fd/${fd}`)));
    return ['udp', 'udp6'].some((table) =>
      readFileSync(`/proc/self/net/${table}`, 'latin1')
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        // Addresses are hexadecimal, in the machine's byte order: 127.0.0.1 is 0100007F.
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
