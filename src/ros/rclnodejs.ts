import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { messageOf } from '../message-of.ts';

/** Quality of service of one topic, of rclnodejs' class `QoS`. */
export interface RosQos {
  readonly depth: number;
}

export interface RosPublisher {
  /** Number of subscribers known now. */
  readonly subscriptionCount: number;
  /** @param message a plain object of the message's fields, or its CDR bytes, which are copied before this returns */
  publish(message: object): void;
}

export interface RosSubscription {
  readonly topic: string;
}

export interface RosService {
  /** Full name, after remaps. */
  readonly serviceName: string;
}

/** The response to one request. */
export interface RosResponse {
  /** Whether it has been sent. */
  sent: boolean;
  /** Sends its fields. @throws {Error} of rcl */
  send(fields: object): void;
}

/** Information about the sender of a message. */
export interface RosMessageInfo {
  readonly publisherGid: Uint8Array;
}

/** A publisher of a topic, as the graph shows it now. */
export interface RosEndpoint {
  readonly node_name: string;
  readonly node_namespace: string;
  readonly endpoint_gid: ArrayLike<number>;
}

export interface RosNode {
  createPublisher(type: string, topic: string, options: { qos: RosQos }): RosPublisher;
  /** The callback gets the CDR bytes of each message. An exception in it ends the process. */
  createSubscription(
    type: string,
    topic: string,
    options: { qos: RosQos; isRaw: true },
    callback: (bytes: Uint8Array) => void,
  ): RosSubscription;
  /**
   * The callback gets a plain object with the message's fields and, if it declares a second parameter, information
   * about its sender. An exception in it ends the process.
   */
  createSubscription<Message>(
    type: string,
    topic: string,
    options: { qos: RosQos },
    callback: (message: Message, info: RosMessageInfo) => void,
  ): RosSubscription;
  /**
   * The callback gets the request's fields and returns those of the response; no response is sent when the promise
   * resolves to undefined.
   */
  createService<Request>(
    type: string,
    name: string,
    callback: (request: Request) => Promise<object | undefined>,
  ): RosService;
  destroySubscription(subscription: RosSubscription): void;
  destroyService(service: RosService): void;
  /** @param ignoreOverride whether the value ignores ROS arguments */
  declareParameter(parameter: RosParameter, descriptor: RosParameterDescriptor, ignoreOverride: boolean): void;
  /** Called for every change that another node requests. */
  setParametersAtomically(parameters: readonly RosParameter[]): { successful: boolean; reason: string };
  hasParameter(name: string): boolean;
  /** Topics on the graph known now, including hidden ones. */
  getTopicNamesAndTypes(): { readonly name: string }[];
  /** @param raw the topic is a middleware topic, whose name has a prefix */
  getPublishersInfoByTopic(topic: string, raw?: boolean): RosEndpoint[];
  /** By the ROS clock: simulated time where `use_sim_time` is set. */
  now(): { readonly nanoseconds: bigint };
  /** Whether its thread waits for messages. */
  readonly spinning: boolean;
  /** Handles pending messages; called by the addon. An exception ends the process. */
  execute(handles: readonly unknown[]): void;
  /** Starts the thread that waits for messages; it wakes at least every `timeout` ms. */
  spin(timeout: number): void;
  /** Ends that thread; blocks for at most `timeout` ms of `spin`. */
  stop(): void;
}

export interface RosParameter {
  readonly name: string;
  readonly type: number;
  readonly value: unknown;
}

export interface RosParameterDescriptor {
  /** rcl_interfaces/msg/ParameterDescriptor */
  toMessage(): object;
}

/** One goal of an action, from its acceptance to its end. */
export interface RosGoal<Goal> {
  /** The goal's message; `typedArrays` gives sequences of numbers as typed arrays. */
  readonly request: { toPlainObject(typedArrays: boolean): Goal };
  readonly isActive: boolean;
  readonly isCancelRequested: boolean;
  publishFeedback(feedback: object): void;
  succeed(): void;
  abort(): void;
  canceled(): void;
}

export interface RosActionServer {
  /** Answers a request to cancel goals; called by the library, which leaves its exceptions uncaught. */
  _executeCancelRequest(header: unknown, request: unknown): Promise<void>;
  /** Answers the request for a goal, and starts one that is accepted. */
  processGoalRequest(header: unknown, request: unknown): void;
  /** Answers a request for the result of a goal; called likewise. */
  _sendResultResponse(header: unknown, result: unknown): void;
  destroy(): void;
}

export interface RosContext {
  isInitialized(): boolean;
  /** Destroys the nodes of this context, then ends it. */
  shutdown(): void;
}

/** The part of rclnodejs that the bridge uses. */
export interface Rcl {
  Context: new () => RosContext;
  Node: new (
    name: string,
    namespace: string,
    context: RosContext,
    options: { readonly parameterOverrides: readonly RosParameter[] },
  ) => RosNode;
  Parameter: new (name: string, type: number, value: unknown) => RosParameter;
  ParameterDescriptor: new (name: string, type: number, description: string) => RosParameterDescriptor;
  ParameterType: {
    readonly PARAMETER_NOT_SET: number;
    readonly PARAMETER_BOOL: number;
    readonly PARAMETER_INTEGER: number;
    readonly PARAMETER_DOUBLE: number;
    readonly PARAMETER_STRING: number;
    readonly PARAMETER_STRING_ARRAY: number;
  };
  ActionServer: new <Goal>(
    node: RosNode,
    type: string,
    name: string,
    /** Executes a goal. The promise resolves to its result, after the goal has got its final state. */
    execute: (goal: RosGoal<Goal>) => Promise<object>,
    accept: (goal: Goal) => number,
    begin: null,
    cancel: (goal: RosGoal<Goal>) => number,
    /** How long the result of an ended goal can be requested, s. */
    options: { readonly resultTimeout: number },
  ) => RosActionServer;
  GoalResponse: { readonly ACCEPT: number; readonly REJECT: number };
  CancelResponse: { readonly ACCEPT: number; readonly REJECT: number };
  QoS: {
    new (history: number, depth: number, reliability: number, durability: number): RosQos;
    readonly HistoryPolicy: { readonly RMW_QOS_POLICY_HISTORY_KEEP_LAST: number };
    readonly ReliabilityPolicy: {
      readonly RMW_QOS_POLICY_RELIABILITY_RELIABLE: number;
      readonly RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT: number;
    };
    readonly DurabilityPolicy: {
      readonly RMW_QOS_POLICY_DURABILITY_VOLATILE: number;
      readonly RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL: number;
    };
  };
  init(context: RosContext, argv: readonly string[]): Promise<void>;
  removeSignalHandlers(): void;
}

/** The part of the native addon of rclnodejs that the bridge replaces. */
export interface RclAddon {
  /** Sends the response to the request for a goal. @throws {Error} of rcl */
  actionSendGoalResponse: (server: unknown, header: unknown, response: Uint8Array) => void;
}

export type RclLoad =
  | { readonly ok: true; readonly rcl: Rcl; readonly addon: RclAddon; readonly distro: string }
  | { readonly ok: false; readonly reason: string };

const load = createRequire(import.meta.url);

/** Variable in which the preparation states why there is no ROS 2. */
export const UNAVAILABLE = 'ARM_BRIDGE_ROS_UNAVAILABLE';

/** Interface packages whose generated JavaScript the bridge needs. */
const INTERFACE_PACKAGES = [
  'arm_bridge',
  'control_msgs',
  'diagnostic_msgs',
  'geometry_msgs',
  'sensor_msgs',
  'std_msgs',
  'std_srvs',
  'tf2_msgs',
  'trajectory_msgs',
] as const;

/**
 * Loads rclnodejs if, and only if, it can work here. Importing an rclnodejs without a loadable addon starts a rebuild
 * that deletes the existing build before it fails. Therefore the addon is tried first, in the order in which rclnodejs
 * itself looks, and nothing is imported when that fails.
 * @returns the library, or why there is none, human-readable
 */
export async function loadRclnodejs(): Promise<RclLoad> {
  const reason = process.env[UNAVAILABLE];
  if (reason) return { ok: false, reason };
  if (!process.env.AMENT_PREFIX_PATH) {
    return {
      ok: false,
      reason: 'no ROS 2 environment is sourced (AMENT_PREFIX_PATH is not set); run `npm run doctor`',
    };
  }
  if (process.env.RCLNODEJS_FORCE_BUILD) {
    return { ok: false, reason: 'RCLNODEJS_FORCE_BUILD is set, which would rebuild rclnodejs at start; unset it' };
  }
  const folder = findPackage();
  if (folder === undefined) {
    return { ok: false, reason: 'the npm package rclnodejs is not installed; run `npm start` to prepare it' };
  }
  const addon = loadAddon(folder);
  if (typeof addon === 'string') return { ok: false, reason: addon };
  const fault = probeInterfaces(folder);
  if (fault !== undefined) return { ok: false, reason: fault };
  // A name that the compiler cannot resolve: the package and its generated types may be absent at compile time.
  const name: string = 'rclnodejs';
  try {
    const module: { default: Rcl } = await import(name);
    module.default.removeSignalHandlers();
    return { ok: true, rcl: module.default, addon, distro: process.env.ROS_DISTRO ?? 'unknown' };
  } catch (error) {
    return { ok: false, reason: `rclnodejs does not load: ${messageOf(error)}` };
  }
}

function findPackage(): string | undefined {
  for (const modules of load.resolve.paths('rclnodejs') ?? []) {
    const folder = join(modules, 'rclnodejs');
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

/** Loads the addon as rclnodejs will (Node caches it, so that it is initialised once). @returns it, or why none loads */
function loadAddon(folder: string): RclAddon | string {
  const candidates = [prebuiltAddon(folder), join(folder, 'build', 'Release', 'rclnodejs.node')];
  let fault = `rclnodejs is not built for this ROS 2 and Node ${process.version}; run \`npm start\` to build it`;
  for (const file of candidates) {
    if (file === undefined || !existsSync(file)) continue;
    try {
      return load(file) as RclAddon;
    } catch (error) {
      fault = `the addon of rclnodejs does not load: ${messageOf(error)}`;
    }
  }
  return fault;
}

function prebuiltAddon(folder: string): string | undefined {
  const distro = process.env.ROS_DISTRO;
  if (process.platform !== 'linux' || !distro || !existsSync('/etc/os-release')) return undefined;
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]?.trim();
  if (!codename) return undefined;
  const file = `${distro}-${codename}-${process.arch}-node-rclnodejs.node`;
  return join(folder, 'prebuilds', `${process.platform}-${process.arch}`, file);
}

/** Without these files rclnodejs would generate them at start, for seconds, on the main thread. */
function probeInterfaces(folder: string): string | undefined {
  const missing = ['generator.json', ...INTERFACE_PACKAGES].filter(
    (file) => !existsSync(join(folder, 'generated', file)),
  );
  if (missing.length === 0) return undefined;
  return `rclnodejs has no generated messages of ${missing.join(', ')}; run \`npm start\` to generate them`;
}
