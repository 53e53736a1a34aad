import type { Arm, Caller, Origin, Owner } from '../arm/types.ts';
import type { RosEndpoint, RosNode } from './rclnodejs.ts';

/** What tells which nodes there are. */
export type Graph = Pick<RosNode, 'getPublishersInfoByTopic'>;

/** Under this name the graph lists what it has found before the node that it belongs to. */
const NOT_YET_KNOWN = '_NODE_NAME_UNKNOWN_';
/** Most nodes that a name lists. */
const LISTED = 3;
/** Senders of one topic that are remembered: to ask the graph for one takes 0.7 ms where 50 nodes have a publisher of the topic. */
const REMEMBERED = 256;
/** With so many messages of a sender the graph is asked for its name, which may come after the first ones. */
const ASKED = 20;
/** How often the graph is asked who writes to a topic whose messages do not tell, s. */
const LOOK = 1;

/**
 * Whoever sent a request, as far as the graph tells: rclnodejs does not hand over which client it is from, but one node alone may
 * have clients of these services.
 * @param services full names @returns for people
 */
export function clientOf(graph: Graph, ...services: readonly string[]): string {
  // ROS 2 over DDS calls the topic of a service's requests so; other middlewares list nothing there.
  const topics = services.map((service) => `rq${service}Request`);
  return inWords(topics.flatMap((topic) => writersOf(graph, topic, true))) ?? 'a ROS client';
}

/** Whoever sent a goal of an action: see `clientOf`. @param action full name */
export function goalClientOf(graph: Graph, action: string): string {
  return clientOf(graph, `${action}/_action/send_goal`);
}

/**
 * Who calls services and the moves of an arm: programs on ROS 2 are one owner together, since a request does not tell for sure whose
 * it is, under the name of the one that has asked.
 */
export function clientOwner(who: string): Owner {
  return { key: 'ros:client', name: who };
}

/** A request by ROS 2. @param what service or action, with its name */
export function originAt(who: string, what: string): Origin {
  return { who, from: 'ROS 2', what, request: null };
}

/** A controller as those of ros2_control: goals and messages of one replace one another, whoever sends them. */
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
  /** How often the graph has been asked for its name. */
  readonly asked: number;
}

/** Who sends the messages of a topic that drives an arm. */
export class Senders {
  readonly #graph: Graph;
  readonly #key: string;
  readonly #topic: string;
  /** By the text of their gid. */
  readonly #known = new Map<string, Sender>();
  #together: Caller;
  #looked = Number.NEGATIVE_INFINITY;

  /** @param topic below the arm's namespace */
  constructor(graph: Graph, arm: Arm, namespace: string, topic: string) {
    this.#graph = graph;
    this.#key = `ros:${arm.name}/${topic}`;
    this.#topic = `${namespace}/${topic}`;
    this.#together = this.#caller(null, this.#key);
  }

  /** The publisher of a message: each is an owner of its own. @param gid that the message tells */
  of(gid: Uint8Array): Caller {
    return this.#sender(gid).caller;
  }

  /** The node that a message is from, for people; null where the graph does not know it. */
  nameOf(gid: Uint8Array): string | null {
    return this.#sender(gid).who;
  }

  #sender(gid: Uint8Array): Sender {
    const id = Buffer.from(gid.buffer, gid.byteOffset, gid.byteLength).toString('hex');
    const known = this.#known.get(id);
    if (known !== undefined && (known.who !== null || known.asked === ASKED)) return known;
    const found = this.#writers().filter(({ endpoint_gid }) => gid.every((byte, i) => byte === endpoint_gid[i]));
    const who = inWords(found);
    const sender = { who, caller: this.#caller(who, `${this.#key} ${id}`), asked: (known?.asked ?? 0) + 1 };
    if (known === undefined && this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(id, sender);
    return sender;
  }

  /** All publishers of a topic whose messages do not tell whose they are: one owner together. @param now monotonic, s */
  together(now: number): Caller {
    if (now - this.#looked > LOOK) {
      this.#looked = now;
      this.#together = this.#caller(inWords(this.#writers()), this.#key);
    }
    return this.#together;
  }

  #writers(): readonly RosEndpoint[] {
    return writersOf(this.#graph, this.#topic, false);
  }

  #caller(who: string | null, key: string): Caller {
    const name = `the ROS topic ${this.#topic}`;
    return { owner: { key, name: who === null ? name : `${who} on ${name}` }, takeOver: false };
  }
}

/** None where the graph cannot be asked: what is asked for, a stop above all, is done whoever asks. */
function writersOf(graph: Graph, topic: string, raw: boolean): readonly RosEndpoint[] {
  try {
    return graph.getPublishersInfoByTopic(topic, raw);
  } catch {
    return [];
  }
}

/** Nodes by name, for people; null for none. */
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
