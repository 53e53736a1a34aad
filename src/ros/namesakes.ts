import type { Logger } from 'pino';
import type { Arm } from '../arm/types.ts';
import { NODE_NAME } from './arguments.ts';
import type { Drivable } from './arm-inputs.ts';
import type { RosNode } from './rclnodejs.ts';

/** Time in which the nodes of others are found, ms: on one machine it takes a third of this. */
export const LOOK_TIME = 1000;
/** On a busy machine it takes longer: whoever finds another bridge within this time of its own beginning came later, s. */
const NEWCOMER = 5;

interface Watched {
  readonly arm: Arm;
  /** Of the arm's node. */
  readonly namespace: string;
  /** Lets ROS 2 drive the arm, and ends that; null where it may not at all. */
  readonly inputs: Drivable | null;
  driven: boolean;
  rival: boolean;
  /** When it was put on the graph, s. */
  readonly since: number;
}

/**
 * Finds bridges on this graph that have arms of the same names: whoever came later is not driven by ROS 2 until the other has
 * gone, since nobody could tell which arm obeys.
 */
export class Namesakes {
  readonly #node: RosNode;
  readonly #log: Logger;
  readonly #watched: Watched[] = [];

  /** @param node through which the graph is seen */
  constructor(node: RosNode, log: Logger) {
    this.#node = node;
    this.#log = log;
  }

  /** Whether somebody else has an arm of this name here; to be asked before this bridge puts its own there. */
  taken(namespace: string): boolean {
    return this.#count(namespace) > 0;
  }

  /** Arms whose names another bridge has too. */
  get arms(): readonly Arm[] {
    return this.#watched.filter(({ rival }) => rival).map(({ arm }) => arm);
  }

  /**
   * Watches over an arm that has been put on the graph.
   * @param taken somebody had its name before
   * @param inputs let ROS 2 drive it; null: it may not
   */
  watch(arm: Arm, namespace: string, taken: boolean, inputs: Drivable | null): void {
    if (!taken) inputs?.drive();
    const watched = { arm, namespace, inputs, driven: !taken, rival: taken, since: arm.clock.now() };
    this.#watched.push(watched);
    if (taken) this.#tell(watched, inputs !== null);
  }

  /** Looks again. */
  look(): void {
    for (const watched of this.#watched) {
      const rival = this.#count(watched.namespace) > 1;
      if (rival === watched.rival) continue;
      watched.rival = rival;
      if (rival) this.#met(watched);
      else this.#gone(watched);
    }
  }

  #met(watched: Watched): void {
    const { arm, inputs, since } = watched;
    const late = arm.clock.now() - since < NEWCOMER;
    if (late) {
      // For what the node of the process offers, which may be about other arms, and until the inputs have gone.
      arm.barred = ({ owner }) => (owner.key.startsWith('ros') ? 'another bridge has an arm of this name' : '');
      inputs?.withdraw();
      watched.driven = false;
    }
    this.#tell(watched, late);
  }

  /** @param refuses ROS 2 does not drive it */
  #tell({ arm, namespace }: Watched, refuses: boolean): void {
    const refused = !refuses ? '' : ', and ROS 2 does not drive this one until the other has gone';
    this.#log.error(
      `${arm.name}: another bridge on this graph has the node ${namespace}/${NODE_NAME} too${refused}: ` +
        'rename one of the arms, or give a bridge a namespace (--ros-args -r __ns:=/lab2)',
    );
  }

  #gone(watched: Watched): void {
    const { arm, inputs, driven } = watched;
    arm.barred = () => '';
    watched.driven = true;
    if (!driven) inputs?.drive();
    this.#log.info(`${arm.name}: no other bridge has an arm of this name any more`);
  }

  #count(namespace: string): number {
    return this.#node
      .getNodeNamesAndNamespaces()
      .filter((node) => node.name === NODE_NAME && node.namespace === namespace).length;
  }
}
