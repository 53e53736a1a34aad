import type { Logger } from 'pino';
import type { PositionGains } from '../arm/position-gains.ts';
import type { Arm, Arms, LoopStatistics } from '../arm/types.ts';
import { type Clock, turn } from '../clock.ts';
import type { ArmConfig, Config } from '../config/schema.ts';
import type { LogTail } from '../log.ts';
import { messageOf } from '../message-of.ts';
import type { GravityService } from '../mirror/gravity.ts';
import type { MirrorService } from '../mirror/mirror-service.ts';
import type { StreamService } from '../mirror/stream-service.ts';
import type { JogService } from '../motion/jog-service.ts';
import type { MoveService } from '../motion/move-service.ts';
import type { TorqueSwitch } from '../motion/torque.ts';
import type { TrajectoryService } from '../motion/trajectory-service.ts';
import type { Actions } from './action.ts';
import { NODE_NAME, parseRosArguments, RosArgumentError } from './arguments.ts';
import { offerArm } from './arm-inputs.ts';
import { declareArmParameters } from './arm-parameters.ts';
import type { BridgeIdentity } from './bridge-identity.ts';
import { encodeDiagnostics } from './cdr.ts';
import { ControllerState } from './controller-state.ts';
import { leaveGraph } from './departure.ts';
import { Diagnostics } from './diagnostics.ts';
import { acceptsCommands, isHeardByOneUser, listensToNetwork, reachesNetwork, setDiscovery } from './discovery.ts';
import { type Episodes, offerEpisodes, watchCameras } from './episode-services.ts';
import { makeGuardedNode } from './guarded-node.ts';
import { LocalArm } from './local-arm.ts';
import { offerMirroring } from './mirror-services.ts';
import { MirrorState } from './mirror-state.ts';
import { unlessTypeMissing } from './missing-types.ts';
import { ArmNames } from './names.ts';
import { LOOK_TIME, Namesakes } from './namesakes.ts';
import { ParameterArguments } from './parameter-arguments.ts';
import { declareParameters } from './parameters.ts';
import { makeQualities } from './qos.ts';
import { loadRclnodejs, type Rcl, type RclAddon, type RosContext, type RosNode } from './rclnodejs.ts';
import { RefusalLog } from './refusals.ts';
import { RemoteArm } from './remote-arm.ts';
import { Responses } from './responses.ts';
import { Rosout } from './rosout.ts';
import { clockOf } from './time.ts';
import { Broadcaster } from './transforms.ts';

/** The waiting thread of a node wakes at least this often, ms: the longest time that stopping it blocks. */
const SPIN_TIMEOUT = 20;
/** Interval at which the states of arms are checked for `~/status` and those of their controllers are published, s. */
const STATUS_INTERVAL = 0.05;
/** Period of `/diagnostics`, s. */
const DIAGNOSTICS_INTERVAL = 1;
/** Longest wait at shutdown until action goals have their results, s. */
const FAREWELL = 0.5;

export interface RosServices {
  readonly clock: Clock;
  readonly config: Config;
  /** Pairs of the configuration as it is now. */
  pairs(): Config['pairs'];
  /** Mounting pose of an arm in the frame `world`. */
  mountOf(arm: Arm): ArmConfig['mount'];
  /** Figures of the control loop. */
  loop(): LoopStatistics;
  readonly arms: Arms;
  readonly motion: MoveService;
  readonly mirror: MirrorService;
  readonly gravity: GravityService;
  readonly torque: TorqueSwitch;
  readonly trajectories: TrajectoryService;
  readonly jogging: JogService;
  readonly joints: StreamService;
  readonly gains: PositionGains;
  readonly episodes: Episodes;
  readonly logger: Logger;
  /** Calls the listener on this thread after each control cycle. @returns a function that unsubscribes */
  onSnapshot(listener: () => void): () => void;
  readonly log: Pick<LogTail, 'newest' | 'onLine'>;
  /** This bridge, as it names itself to the machines of remote arms. */
  readonly bridge: BridgeIdentity;
  /** ROS arguments of the command line, with their `--ros-args`. */
  readonly rosArgs: readonly string[];
}

/** The graph of a bridge, and what others may do there: two bridges meet only on the same one. */
export interface Graph {
  readonly domain: number;
  /** Namespace of all arms. */
  readonly namespace: string;
  /** Other nodes may drive the arms. */
  readonly commands: boolean;
  /** Other machines can discover it. */
  readonly network: boolean;
}

export interface RosRoom {
  /** `jazzy`, ... */
  readonly distro: string;
  readonly graph: Graph;
  /** Puts an added arm on the graph, or subscribes to it there if another machine owns its bus. */
  add(arm: Arm): void;
  /** Destroys the nodes; await it before the process ends. */
  close(): Promise<void>;
}

/** ROS 2 cannot be used here; the message is the human-readable reason. */
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
  const { prefix, argv: rest } = parseRosArguments(services.rosArgs);
  const parameters = new ParameterArguments(rest);
  const { argv } = parameters;
  const discovery = setDiscovery(config.ros.discovery, process.env);
  const load = await loadRclnodejs();
  if (!load.ok) throw new RosUnavailable(load.reason);
  const { rcl, addon, distro } = load;
  const context = new rcl.Context();
  try {
    await rcl.init(context, argv);
    const populated = await populate(services, rcl, addon, context, prefix, parameters);
    if (discovery.byProfile && listensToNetwork()) {
      await populated.close();
      throw new Error(`Fast DDS ignores the profile for this machine, and other machines would find the arms`);
    }
    logger.info(
      `ROS 2 ${distro}: ${services.arms.all.length} arms in ${prefix || '/'}, discovery by ${discovery.source}`,
    );
    if (isHeardByOneUser(process.env)) {
      logger.warn(
        `ROS 2 ${distro}: programs of other users on this computer do not hear the bridge. Run them as its user, or give both ` +
          'a profile of Fast DDS without shared memory (docs/ros.md, Who finds whom)',
      );
    }
    return { distro, ...populated };
  } catch (error) {
    if (context.isInitialized()) context.shutdown();
    if (error instanceof RosArgumentError) throw error;
    const message = messageOf(error);
    if (/Couldn't parse|Unknown ROS arguments/.test(message)) {
      throw new RosArgumentError(`ROS arguments ${argv.join(' ')}: ${message}`, { cause: error });
    }
    throw new RosUnavailable(`ROS 2 ${distro} does not start: ${message}`, { cause: error });
  }
}

/** Changes a node while it does not spin: each change of a spinning one would block this thread until its wait ends. */
function paused(node: RosNode, work: () => void): void {
  const { spinning } = node;
  if (spinning) node.stop();
  try {
    work();
  } finally {
    if (spinning) node.spin(SPIN_TIMEOUT);
  }
}

/**
 * Creates all nodes with their interfaces, and only then starts them. @returns functions to add an arm and to end all
 */
async function populate(
  services: RosServices,
  rcl: Rcl,
  addon: RclAddon,
  context: RosContext,
  prefix: string,
  parameters: ParameterArguments,
): Promise<Omit<RosRoom, 'distro'>> {
  const { clock, arms, joints, logger, mirror } = services;
  const config = services.config.ros;
  const qualities = makeQualities(rcl);
  const faults = new RefusalLog(logger, 'ROS 2 publishing failed');
  const onError = (error: unknown): void => faults.refuse(messageOf(error), clock.now());
  const unhandled = new RefusalLog(logger, 'ROS 2: a message was not handled');
  const onUnhandled = (error: unknown): void => unhandled.refuse(messageOf(error), clock.now());
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };
  let open = true;
  const responses = new Responses(addon, clock, onUnhandled);
  const inputs = { rcl, services, qualities, responses, isOpen: () => open, onError };

  const makeNode = (namespace: string): RosNode => {
    const { Parameter, ParameterType } = rcl;
    const name = `${namespace}/${NODE_NAME}`;
    // rclnodejs declares only one parameter by itself: use_sim_time.
    const simulated = parameters.of(name).find((given) => given.name === 'use_sim_time')?.value;
    if (simulated !== undefined && typeof simulated !== 'boolean') {
      throw new RosArgumentError(`ROS parameter use_sim_time of ${name} is ${simulated}: true or false is needed`);
    }
    const parameterOverrides =
      simulated === undefined ? [] : [new Parameter('use_sim_time', ParameterType.PARAMETER_BOOL, simulated)];
    return makeGuardedNode(rcl, NODE_NAME, namespace || '/', context, parameterOverrides, responses, onUnhandled);
  };
  const root = makeNode(prefix);
  const nodes: RosNode[] = [root];
  const rosout = new Rosout(root, `${prefix}/${NODE_NAME}`, qualities);
  const accepts = acceptsCommands(config.accept_commands, process.env);
  if (!accepts) {
    logger.warn(
      'ROS 2 may read and stop the arms, not drive them: other machines find this bridge (ros.accept_commands)',
    );
  }
  const namesakes = new Namesakes(root, qualities, logger);
  await clock.sleep(LOOK_TIME);
  const actions: Actions[] = [];
  const locals: LocalArm[] = [];
  const states: ControllerState[] = [];
  const paces: (() => void)[] = [];
  const sources: { publish(): void }[] = [];
  /** Puts an arm on the graph. Between its steps this thread may do other things: all together keep it for a long time. */
  const addLocal = function* (arm: Arm): Generator<undefined, void> {
    const namespace = `${prefix}/${arm.name}`;
    const node = makeNode(namespace);
    nodes.push(node);
    const nodeName = `${namespace}/${NODE_NAME}`;
    rosout.add(node, arm.name, nodeName);
    yield;
    const given = parameters.of(nodeName);
    const names = new ArmNames(arm, config.joint_prefix);
    const { gains } = services;
    paces.push(declareArmParameters(rcl, node, nodeName, arm, names.joints, gains, mirror, given, accepts));
    yield;
    const offered = offerArm(node, namespace, arm, names, inputs, paused);
    actions.push(offered.actions);
    yield;
    namesakes.watch(arm, node, namespace, accepts ? offered : null, () => local.repeatStatus());
    yield;
    const broadcaster = new Broadcaster(node, arm, names, services.mountOf(arm), config.publish_tf, qualities);
    const state = unlessTypeMissing(
      logger,
      `The state of the controller of ${namespace}`,
      () => new ControllerState(node, nodeName, arm, names, qualities, () => clockOf(node), inputs.isOpen),
    );
    if (state !== null) states.push(state);
    yield;
    const local = new LocalArm(node, arm, names, config.joint_state_rate, broadcaster, qualities);
    locals.push(local);
    sources.push(local);
  };
  const remotes: RemoteArm[] = [];
  const addRemote = (arm: Arm): RemoteArm => {
    const names = new ArmNames(arm, config.joint_prefix);
    const remote = new RemoteArm(root, prefix, arm, names, joints, qualities, logger, services.bridge);
    remotes.push(remote);
    return remote;
  };
  for (const arm of arms.all) if (arm.remote) addRemote(arm);
  // Setpoints for arms are published before the states of arms.
  const mirrorState = new MirrorState(root, mirror, clock, qualities, onError);
  sources.push(...remotes);
  // Arms may be driven already, which the control thread would brake if a whole node kept this thread for too long. Arms may
  // be added meanwhile, but not after the last one is found here.
  for (let i = 0; i < arms.all.length; i++) {
    if (arms.all[i]!.remote) continue;
    for (const _ of addLocal(arms.all[i]!)) await turn(clock);
    await turn(clock);
  }
  // Every arm has a voice now.
  rosout.catchUp(services.log.newest(0));
  const unheard = services.log.onLine((line) => rosout.publish(line));
  if (accepts) {
    offerMirroring(root, `${prefix}/${NODE_NAME}`, mirror, arms, services.pairs, inputs.isOpen);
    offerEpisodes(root, `${prefix}/${NODE_NAME}`, services.episodes, arms, inputs.isOpen);
  }
  watchCameras(root, services.config.recording.images, services.episodes, qualities);

  const diagnostics = new Diagnostics(arms.all, services.loop, config.diagnostics, () => namesakes.arms);
  const live = {
    setRate: (rate: number): void => {
      for (const local of locals) local.setRate(rate);
    },
    setDiagnostics: (thresholds: Config['ros']['diagnostics']): void => diagnostics.setThresholds(thresholds),
    setLogLevel: (level: Config['log']['level']): void => {
      logger.level = level;
    },
  };
  declareParameters(
    rcl,
    root,
    { nodeName: `${prefix}/${NODE_NAME}`, arm: null, journal: arms.journal },
    services.config,
    live,
  );
  const health = root.createPublisher('diagnostic_msgs/msg/DiagnosticArray', '/diagnostics', { qos: qualities.stream });
  const timers = [
    clock.every(DIAGNOSTICS_INTERVAL, () =>
      guarded(() => health.publish(encodeDiagnostics(clock.wall(), diagnostics.report()))),
    ),
    clock.every(LOOK_TIME, () => {
      guarded(() => namesakes.look());
      for (const remote of remotes) guarded(() => remote.look());
    }),
    clock.every(STATUS_INTERVAL, () => {
      for (const local of locals) guarded(() => local.publishStatus());
      for (const state of states) guarded(() => state.publish());
      for (const followPace of paces) guarded(followPace);
    }),
  ];
  const unlisten = services.onSnapshot(() => {
    for (const source of sources) guarded(() => source.publish());
  });
  // Only now that the nodes are complete: adding to a spinning node blocks this thread until its wait ends.
  for (const node of nodes) node.spin(SPIN_TIMEOUT);

  const close = async (): Promise<void> => {
    for (const timer of timers) timer.cancel();
    unlisten();
    mirrorState.close();
    // The arms have another owner by now, so their goals end; one that does not must not delay the exit.
    await Promise.race([Promise.all(actions.map((served) => served.finished())), clock.sleep(FAREWELL)]);
    open = false;
    responses.close();
    unheard();
    await leaveGraph(clock, () => {
      for (const node of nodes) node.stop();
      context.shutdown();
    });
  };
  let closing: Promise<void> | null = null;
  const graph: Graph = {
    domain: Number(process.env.ROS_DOMAIN_ID ?? 0),
    namespace: prefix || '/',
    commands: accepts,
    network: reachesNetwork(process.env),
  };
  return {
    graph,
    add(arm) {
      if (closing !== null) return;
      if (arm.remote) {
        paused(root, () => sources.push(addRemote(arm)));
        return;
      }
      // At once: the room may close at any time.
      Array.from(addLocal(arm));
      nodes.at(-1)!.spin(SPIN_TIMEOUT);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
