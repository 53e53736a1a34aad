import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RosConfig } from '../config/schema.ts';
import { PROJECT } from '../home.ts';
import { RELEASES, releaseOf } from './releases.ts';

/** Environment variables by which ROS 2 itself sets the discovery range. A release with the switch knows no other. */
const ROS_VARIABLES = {
  ROS_LOCALHOST_ONLY: ['ROS_LOCALHOST_ONLY'],
  ROS_AUTOMATIC_DISCOVERY_RANGE: ['ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_LOCALHOST_ONLY', 'ROS_STATIC_PEERS'],
} as const;

const RANGES = { localhost: 'LOCALHOST', subnet: 'SUBNET', off: 'OFF' } as const;

/** The Fast DDS profile for programs on this machine, of any user. */
const PROFILE = fileURLToPath(new URL('config/fastdds-this-host.xml', PROJECT));
/** Variables that name a profile. */
const PROFILE_VARIABLES = [
  ...new Set(Object.values(RELEASES).flatMap(({ profile }) => (profile === null ? [] : [profile]))),
];
/** Variable that names a discovery server of Fast DDS. */
const SERVER_VARIABLE = 'ROS_DISCOVERY_SERVER';
/**
 * With this range ROS 2 leaves discovery to the middleware: it adds nothing to a profile. With `LOCALHOST` it would add
 * shared memory and every interface.
 */
const AS_IN_PROFILE = 'SYSTEM_DEFAULT';

export interface Discovery {
  /** Source of the range, for the log. */
  readonly source: string;
  /** Whether the profile for this machine is in use: if Fast DDS ignores it, the graph is open to the network. */
  readonly byProfile: boolean;
}

/**
 * Whether programs of other users on this machine do not hear the bridge: on this release no profile keeps Fast DDS from shared
 * memory, which belongs to one user. Call after `setDiscovery`.
 */
export function isHeardByOneUser(environment: NodeJS.ProcessEnv): boolean {
  if (!isFastDds(environment) || hasOwnProfile(environment) || hasDiscoveryServer(environment)) return false;
  return releaseOf(environment.ROS_DISTRO).profile === null && inForce(environment).range !== RANGES.off;
}

/**
 * Sets the discovery range in `environment` unless ROS variables there set it already. rcl reads it when a context is
 * initialised. A release without a discovery range has only the localhost switch (`releases.ts`): a range in the
 * environment, which docker/compose.yaml sets for every release, is translated for it. A discovery server that
 * `ROS_DISCOVERY_SERVER` names takes the place of the configured range.
 *
 * Unless people have configured Fast DDS themselves, a profile makes programs of other users reachable too. Without it
 * Fast DDS prefers shared memory on one machine, which belongs to one user, and the range `LOCALHOST` always adds
 * shared memory. Releases on which the profile is untested, and other middlewares, keep the range of ROS 2.
 */
export function setDiscovery(range: RosConfig['discovery'], environment: NodeJS.ProcessEnv): Discovery {
  if (isThisHostByProfile(environment)) return { source: `the profile ${PROFILE}`, byProfile: true };
  const hasServer = hasDiscoveryServer(environment);
  const variable = releaseOf(environment.ROS_DISTRO).discovery;
  const { ROS_AUTOMATIC_DISCOVERY_RANGE: rangeGiven } = environment;
  if (variable === 'ROS_LOCALHOST_ONLY' && rangeGiven && !hasServer) environment[variable] ||= switchFor(rangeGiven);
  const given = ROS_VARIABLES[variable].filter((name) => environment[name]);
  const variables = [...(hasServer ? [SERVER_VARIABLE] : []), ...given];
  const source =
    variables.length > 0
      ? variables.map((name) => `${name}=${environment[name]}`).join(' ')
      : `ros.discovery: ${range}`;
  if (given.length === 0) {
    const reach = RANGES[hasServer ? 'subnet' : range];
    environment[variable] = variable === 'ROS_LOCALHOST_ONLY' ? switchFor(reach) : reach;
  }
  if (hasServer) {
    if (!hasOwnProfile(environment)) environment.FASTDDS_BUILTIN_TRANSPORTS ??= 'UDPv4';
    // An ordinary client is told only of topics that it uses itself: it would not notice an arm of the same name.
    environment.ROS_SUPER_CLIENT ??= 'TRUE';
    return { source, byProfile: false };
  }
  const profile = profileVariable(environment);
  if (profile === null) return { source, byProfile: false };
  if (environment.ROS_AUTOMATIC_DISCOVERY_RANGE === RANGES.subnet) environment.FASTDDS_BUILTIN_TRANSPORTS ??= 'UDPv4';
  if (!isThisHostAlone(environment)) return { source, byProfile: false };
  delete environment.ROS_LOCALHOST_ONLY;
  environment.ROS_AUTOMATIC_DISCOVERY_RANGE = AS_IN_PROFILE;
  environment[profile] = PROFILE;
  return { source, byProfile: true };
}

/** What `ROS_LOCALHOST_ONLY` must be for a range. A misspelt range stays on this machine. */
function switchFor(range: string): '0' | '1' {
  return range === RANGES.subnet || range === AS_IN_PROFILE ? '0' : '1';
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
  const { range, peers } = inForce(environment);
  if (peers || hasDiscoveryServer(environment)) return true;
  return range !== RANGES.off && !isThisHostAlone(environment);
}

/** The variable that names a profile in this ROS 2 release; null where the profile is useless or untested. */
function profileVariable(environment: NodeJS.ProcessEnv): string | null {
  if (!isFastDds(environment) || hasOwnProfile(environment)) return null;
  return existsSync(PROFILE) ? releaseOf(environment.ROS_DISTRO).profile : null;
}

function isFastDds({ RMW_IMPLEMENTATION: middleware }: NodeJS.ProcessEnv): boolean {
  return !middleware || middleware.startsWith('rmw_fastrtps');
}

/** Whether people have configured Fast DDS themselves; their settings are kept. */
function hasOwnProfile(environment: NodeJS.ProcessEnv): boolean {
  return PROFILE_VARIABLES.some((name) => environment[name] && environment[name] !== PROFILE);
}

/** Whether a server of Fast DDS tells machines of each other, of whatever network. */
function hasDiscoveryServer(environment: NodeJS.ProcessEnv): boolean {
  return isFastDds(environment) && Boolean(environment[SERVER_VARIABLE]);
}

/** The settings of ROS 2 that its release obeys. */
function inForce(environment: NodeJS.ProcessEnv): Record<'range' | 'only' | 'peers', string | undefined> {
  const known = ROS_VARIABLES[releaseOf(environment.ROS_DISTRO).discovery] as readonly string[];
  const read = (name: string) => (known.includes(name) ? environment[name] : undefined);
  return {
    range: read('ROS_AUTOMATIC_DISCOVERY_RANGE'),
    only: read('ROS_LOCALHOST_ONLY'),
    peers: read('ROS_STATIC_PEERS'),
  };
}

function isThisHostAlone(environment: NodeJS.ProcessEnv): boolean {
  const { range, only, peers } = inForce(environment);
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
