import type { Arm, Caller, Owner } from '../arm/types.ts';
import { bridgeOf, bridgeOwner } from './bridge-identity.ts';
import type { RosEndpoint, RosNode } from './rclnodejs.ts';

/** Access to the nodes on the graph. */
export type Graph = Pick<RosNode, 'getPublishersInfoByTopic'>;

/** Node name in the graph for an endpoint that was discovered before its node. */
const NOT_YET_KNOWN = '_NODE_NAME_UNKNOWN_';
/** Most nodes that a caller name lists. */
const LISTED = 3;
/** Remembered senders of one topic: a graph query for one takes 0.7 ms when 50 nodes publish the topic. */
const REMEMBERED = 256;
/** For this many messages of a sender the graph is queried for its name, which may arrive after the first ones. */
const ASKED = 20;
/** Interval of graph queries for the writers of a topic whose messages do not identify them, s. */
const LOOK = 1;

/** First bytes of an endpoint's gid, which all endpoints of a process share: its DDS participant. */
const PARTICIPANT = 12;

/**
 * The client that sent a request, as far as the graph shows: rclnodejs does not report which client sent it, but usually
 * only one program has clients of these services. Nodes of one process count as one client. A request that several
 * programs can have sent belongs to none of them: its owner stands for the whole group.
 * @param services full names
 */
export function clientOf(graph: Graph, ...services: readonly string[]): Owner {
  // ROS 2 over DDS names a service's request topic like this; other middlewares list nothing there.
  const topics = services.map((service) => `rq${service}Request`);
  const writers = topics.flatMap((topic) => writersOf(graph, topic, true));
  // By participant rather than by name, because the name of a new node may arrive after its first request.
  const programs = [...new Set(writers.map(({ endpoint_gid }) => hex(endpoint_gid, PARTICIPANT)))].sort();
  return { key: `ros:client ${programs.join(' ')}`, name: inWords(writers) ?? 'a ROS client' };
}

/** The client that sent a goal of an action: see `clientOf`. @param action full name */
export function goalClientOf(graph: Graph, action: string): Owner {
  return clientOf(graph, `${action}/_action/send_goal`);
}

/** A controller as in ros2_control: its goals and messages replace one another, whoever sends them. */
export function controllerCaller(arm: Arm, namespace: string, controller: string, who: string | null = null): Caller {
  const name = `the ROS controller ${namespace}/${controller}`;
  return {
    owner: { key: `ros:${arm.name}/${controller}`, name: who === null ? name : `${who} on ${name}` },
    takeOver: false,
  };
}

interface Sender {
  readonly who: string | null;
  readonly caller: Caller;
  /** Number of graph queries for its name so far. */
  readonly asked: number;
}

/** Senders of the messages of a topic that drives an arm. */
export class Senders {
  readonly #graph: Graph;
  readonly #key: string;
  readonly #topic: string;
  /** By gid, as text. */
  readonly #known = new Map<string, Sender>();
  /** By the frames of their messages. */
  readonly #bridges = new Map<string, Caller>();
  #together: Caller;
  #names: string | null = null;
  #looked = Number.NEGATIVE_INFINITY;

  /** @param topic relative to the arm's namespace */
  constructor(graph: Graph, arm: Arm, namespace: string, topic: string) {
    this.#graph = graph;
    this.#key = `ros:${arm.name}/${topic}`;
    this.#topic = `${namespace}/${topic}`;
    this.#together = this.#caller(null, this.#key);
  }

  /** The publisher of a message; each publisher is a separate owner. @param gid from the message */
  of(gid: Uint8Array): Caller {
    return this.#sender(gid).caller;
  }

  #sender(gid: Uint8Array): Sender {
    const id = hex(gid, gid.length);
    const known = this.#known.get(id);
    if (known !== undefined && (known.who !== null || known.asked === ASKED)) return known;
    const found = this.#writers().filter(({ endpoint_gid }) => gid.every((byte, i) => byte === endpoint_gid[i]));
    const who = inWords(found);
    const sender = { who, caller: this.#caller(who, `${this.#key} ${id}`), asked: (known?.asked ?? 0) + 1 };
    if (known === undefined && this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(id, sender);
    return sender;
  }

  /** The bridge that a message names in its header; all other publishers as one owner. @param now monotonic, s */
  named(frame: string, now: number): Caller {
    const known = this.#bridges.get(frame);
    if (known !== undefined) return known;
    const bridge = bridgeOf(frame);
    if (bridge === null) return this.together(now);
    const owner = { key: `${this.#key} ${bridge.id}`, name: bridgeOwner(bridge, this.#topic) };
    const caller = { owner, takeOver: false };
    if (this.#bridges.size >= REMEMBERED) this.#bridges.clear();
    this.#bridges.set(frame, caller);
    return caller;
  }

  /** All publishers of a topic whose messages do not identify them, as one owner. @param now monotonic, s */
  together(now: number): Caller {
    this.#lookAt(now);
    return this.#together;
  }

  /** Their names, human-readable; null if the graph does not know them. @param now monotonic, s */
  namesAt(now: number): string | null {
    this.#lookAt(now);
    return this.#names;
  }

  #lookAt(now: number): void {
    if (now - this.#looked <= LOOK) return;
    this.#looked = now;
    this.#names = inWords(this.#writers());
    this.#together = this.#caller(this.#names, this.#key);
  }

  #writers(): readonly RosEndpoint[] {
    return writersOf(this.#graph, this.#topic, false);
  }

  #caller(who: string | null, key: string): Caller {
    const name = `the ROS topic ${this.#topic}`;
    return { owner: { key, name: who === null ? name : `${who} on ${name}` }, takeOver: false };
  }
}

/** Empty if the graph cannot be queried: a request, above all a stop, is carried out whoever sent it. */
function writersOf(graph: Graph, topic: string, raw: boolean): readonly RosEndpoint[] {
  try {
    return graph.getPublishersInfoByTopic(topic, raw);
  } catch {
    return [];
  }
}

function hex(gid: ArrayLike<number>, bytes: number): string {
  return Buffer.from(Array.from({ length: Math.min(bytes, gid.length) }, (_, i) => gid[i]!)).toString('hex');
}

/** Node names, human-readable; null for none. */
function inWords(endpoints: readonly RosEndpoint[]): string | null {
  const known = endpoints.filter(({ node_name }) => node_name !== NOT_YET_KNOWN);
  const names = [
    ...new Set(known.map(({ node_name, node_namespace }) => `${node_namespace.replace(/\/$/, '')}/${node_name}`)),
  ].sort();
  if (names.length === 0) return null;
  if (names.length === 1) return `the ROS node ${names[0]}`;
  const more = names.length > LISTED ? ' and others' : '';
  return `one of the ROS nodes ${names.slice(0, LISTED).join(', ')}${more}`;
}
