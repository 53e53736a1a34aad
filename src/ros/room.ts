import type { Logger } from 'pino';
import type { JointStreams } from '../arm/streams.ts';
import type { Arms } from '../arm/types.ts';
import type { RosConfig } from '../config/schema.ts';
import type { Mirror } from '../mirror/types.ts';
import type { Motion } from '../motion/types.ts';
import { NODE_NAME, parseRosArguments, RosArgumentError } from './arguments.ts';
import { setDiscovery } from './discovery.ts';
import { LocalArm, offerStop } from './local-arm.ts';
import { MirrorState } from './mirror-state.ts';
import { makeQualities } from './qos.ts';
import { loadRclnodejs, messageOf, type Rcl, type RosContext, type RosNode } from './rclnodejs.ts';
import { RefusalLog } from './refusals.ts';
import { RemoteArm } from './remote-arm.ts';

/** The waiting thread of a node wakes at least this often, ms: the longest that stopping it blocks. */
const SPIN_TIMEOUT = 20;

export interface RosServices {
  readonly config: RosConfig;
  readonly arms: Arms;
  readonly motion: Motion;
  readonly mirror: Mirror;
  readonly joints: JointStreams;
  readonly logger: Logger;
  /** Calls the listener on this thread after each control cycle; returns how to stop that. */
  onSnapshot(listener: () => void): () => void;
  /** ROS arguments of the command line, with their `--ros-args`. */
  readonly rosArgs: readonly string[];
}

export interface RosRoom {
  /** `jazzy`, ... */
  readonly distro: string;
  /** Destroys the nodes; to be awaited before the process ends. */
  close(): Promise<void>;
}

/** ROS 2 cannot be used here; the message says why, for people. */
export class RosUnavailable extends Error {
  override readonly name = 'RosUnavailable';
}

/**
 * Puts the arms on the ROS 2 graph.
 * @throws {RosArgumentError} for an argument that must be changed
 * @throws {RosUnavailable} when there is no usable ROS 2
 */
export async function startRos(services: RosServices): Promise<RosRoom> {
  const { config, logger } = services;
  const { prefix, argv } = parseRosArguments(services.rosArgs);
  const discovery = setDiscovery(config.discovery, process.env);
  const load = await loadRclnodejs();
  if (!load.ok) throw new RosUnavailable(load.reason);
  const { rcl, distro } = load;
  const context = new rcl.Context();
  try {
    await rcl.init(context, argv);
    const close = populate(services, rcl, context, prefix);
    logger.info(`ROS 2 ${distro}: ${services.arms.all.length} arms in ${prefix || '/'}, discovery by ${discovery}`);
    return { distro, close };
  } catch (error) {
    if (context.isInitialized()) context.shutdown();
    const message = messageOf(error);
    if (/Couldn't parse|Unknown ROS arguments/.test(message)) {
      throw new RosArgumentError(`ROS arguments ${argv.join(' ')}: ${message}`, { cause: error });
    }
    throw new RosUnavailable(`ROS 2 ${distro} does not start: ${message}`, { cause: error });
  }
}

/** Makes all nodes and what hangs on them, and only then starts them. @returns how to end them */
function populate(services: RosServices, rcl: Rcl, context: RosContext, prefix: string): () => Promise<void> {
  const { arms, config, joints, logger, mirror } = services;
  const qualities = makeQualities(rcl);
  const root = new rcl.Node(NODE_NAME, prefix || '/', context);
  const nodes: RosNode[] = [root];
  let open = true;
  const sources = arms.all.map((arm) => {
    if (arm.remote) return new RemoteArm(root, prefix, arm, joints, qualities, logger);
    const namespace = `${prefix}/${arm.name}`;
    const node = new rcl.Node(NODE_NAME, namespace, context);
    nodes.push(node);
    offerStop(node, namespace, arm, () => open);
    return new LocalArm(node, namespace, arm, config.joint_state_rate, joints, qualities, logger);
  });

  const faults = new RefusalLog(logger, 'ROS 2 publishing failed');
  const onError = (error: unknown): void => faults.refuse('publish', () => messageOf(error), performance.now() / 1000);
  const mirrorState = new MirrorState(root, mirror, qualities, onError);
  const unlisten = services.onSnapshot(() => {
    for (const source of sources) {
      try {
        source.publish();
      } catch (error) {
        onError(error);
      }
    }
  });
  // Not before everything hangs on the nodes: adding to one that spins blocks this thread until its wait ends.
  for (const node of nodes) node.spin(SPIN_TIMEOUT);

  return async () => {
    if (!open) return;
    open = false;
    unlisten();
    mirrorState.close();
    for (const node of nodes) node.stop();
    context.shutdown();
  };
}
