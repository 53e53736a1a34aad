import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Arm } from '../arm/types.ts';
import { NODE_NAME } from './arguments.ts';
import type { Drivable } from './arm-inputs.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';

/** Time to discover the marks of other bridges, s; on one machine a third of this suffices. */
export const LOOK_TIME = 1;

/**
 * Topic of a mark, below an arm's namespace: when the arm was put on the graph, ms since 1970, and a random part
 * against ties.
 */
const MARK = /^(.*)\/_bridge_since_(\d{13})_([0-9a-f]{8})$/;

interface Mark {
  readonly time: number;
  readonly chance: string;
}

interface Watched {
  readonly arm: Arm;
  /** Of the arm's node. */
  readonly namespace: string;
  readonly mark: Mark;
  /** Starts and withdraws the ROS 2 interfaces that drive the arm; null where ROS 2 may not drive it at all. */
  readonly inputs: Drivable | null;
  /** Called once no other bridge has an arm of this name any more. */
  readonly alone: () => void;
  driven: boolean;
  rival: boolean;
  /** Namespace of another arm whose frames probably have the same names; empty: none. */
  sharing: string;
}

type Seen = Pick<RosNode, 'getTopicNamesAndTypes' | 'getPublishersInfoByTopic'>;

/**
 * Finds bridges on this graph with arms of the same names. ROS 2 drives only the arm of the bridge that was there
 * first, because otherwise nobody could tell which arm obeys. Once that bridge has gone, or the middleware has found it
 * dead, it drives the next one's.
 *
 * All bridges see the same marks and therefore agree on which was first. A mark is the name of a topic that nobody
 * writes, hidden from lists like all names that begin with `_`. A bridge that finds another's mark takes a later one,
 * so clock offsets matter only between bridges that had not discovered each other when they began.
 */
export class Namesakes {
  readonly #graph: Seen;
  readonly #qualities: Pick<Qualities, 'stream'>;
  readonly #log: Logger;
  readonly #watched: Watched[] = [];

  /** @param graph a node through which the graph is queried */
  constructor(graph: Seen, qualities: Pick<Qualities, 'stream'>, log: Logger) {
    this.#graph = graph;
    this.#qualities = qualities;
    this.#log = log;
  }

  /** Arms whose names another bridge uses too. */
  get arms(): readonly Arm[] {
    return this.#watched.filter(({ rival }) => rival).map(({ arm }) => arm);
  }

  /**
   * Marks an arm on the graph, monitors it, and lets ROS 2 drive it if it was first.
   * @param node of the arm, which does not spin yet
   * @param namespace of that node
   * @param inputs let ROS 2 drive it; null: it may not
   * @param alone called each time that the last other bridge with an arm of this name has gone
   */
  watch(
    arm: Arm,
    node: Pick<RosNode, 'createPublisher'>,
    namespace: string,
    inputs: Drivable | null,
    alone: () => void,
  ): void {
    const others = this.#marks().get(namespace) ?? [];
    const later = others.map(({ time }) => time + 1);
    const mark = {
      time: Math.max(Math.round(1000 * arm.clock.wall()), ...later),
      chance: randomBytes(4).toString('hex'),
    };
    const topic = `${namespace}/_bridge_since_${String(mark.time).padStart(13, '0')}_${mark.chance}`;
    node.createPublisher('std_msgs/msg/Empty', topic, { qos: this.#qualities.stream });
    const watched: Watched = { arm, namespace, mark, inputs, alone, driven: false, rival: false, sharing: '' };
    // Also bars requests through the node of the process, and requests that come before the inputs are withdrawn.
    arm.barred = ({ owner }) =>
      !watched.driven && (owner.client ?? owner).key.startsWith('ros') ? 'another bridge has an arm of this name' : '';
    this.#watched.push(watched);
    this.#judge(watched, others);
  }

  /** Checks the graph again. */
  look(): void {
    const marks = this.#marks();
    for (const watched of this.#watched) {
      this.#judge(watched, marks.get(watched.namespace) ?? []);
      this.#judgeFrames(watched, [...marks.keys()]);
    }
  }

  /** Frames carry the name of an arm, not its namespace. @param namespaces of all arms on the graph */
  #judgeFrames(watched: Watched, namespaces: readonly string[]): void {
    const { arm, namespace } = watched;
    const others = namespaces.filter((other) => other !== namespace && other.endsWith(`/${arm.name}`));
    const before = watched.sharing;
    watched.sharing = others.length === 0 ? '' : this.#sharing(namespace, others);
    if (watched.sharing === '' || watched.sharing === before) return;
    this.#log.warn(
      `${arm.name}: ${watched.sharing}/${NODE_NAME} tells the frames of an arm of this name on the same /tf_static: ` +
        'rename one of the arms, or give a bridge a /tf of its own (--ros-args -r /tf:=/lab2/tf -r /tf_static:=/lab2/tf_static; ' +
        'in our launch files tf:=/lab2/tf)',
    );
  }

  /** Namespace of another arm that publishes its frames to the same /tf_static; empty: none. */
  #sharing(namespace: string, others: readonly string[]): string {
    const tellers = this.#graph
      .getPublishersInfoByTopic('/tf_static', false)
      .map(({ node_namespace }) => node_namespace);
    return tellers.includes(namespace) ? (others.find((other) => tellers.includes(other)) ?? '') : '';
  }

  /** @param marks of bridges with an arm of this name, possibly including its own */
  #judge(watched: Watched, marks: readonly Mark[]): void {
    const { arm, mark, inputs } = watched;
    const others = marks.filter(({ chance }) => chance !== mark.chance);
    const first = others.every((other) => precedes(mark, other));
    const before = { rival: watched.rival, driven: watched.driven };
    watched.rival = others.length > 0;
    watched.driven = first;
    if (first && !before.driven) inputs?.drive();
    else if (!first && before.driven) inputs?.withdraw();
    if (watched.rival && !(before.rival && before.driven === first)) this.#tell(watched);
    else if (!watched.rival && before.rival) {
      this.#log.info(`${arm.name}: no other bridge has an arm of this name any more`);
      watched.alone();
    }
  }

  #tell({ arm, namespace, driven, inputs }: Watched): void {
    const refused = driven || inputs === null ? '' : ', and ROS 2 does not drive this one until the other has gone';
    this.#log.error(
      `${arm.name}: another bridge on this graph has the node ${namespace}/${NODE_NAME} too${refused}: ` +
        'rename one of the arms, or give a bridge a namespace (--ros-args -r __ns:=/lab2)',
    );
  }

  /** Marks by the namespace of their arm. */
  #marks(): ReadonlyMap<string, Mark[]> {
    const marks = new Map<string, Mark[]>();
    for (const { name } of this.#graph.getTopicNamesAndTypes()) {
      const [, namespace, time, chance] = MARK.exec(name) ?? [];
      if (namespace === undefined) continue;
      const mark = { time: Number(time), chance: chance! };
      marks.set(namespace, [...(marks.get(namespace) ?? []), mark]);
    }
    return marks;
  }
}

/** Whether the first of two different marks is the earlier one. */
function precedes(one: Mark, other: Mark): boolean {
  return one.time < other.time || (one.time === other.time && one.chance < other.chance);
}
