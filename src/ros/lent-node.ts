import type { RosNode, RosService, RosSubscription } from './rclnodejs.ts';

/** The part of a node that inputs use. */
export type InputNode = Pick<RosNode, 'createSubscription' | 'createService' | 'now' | 'getPublishersInfoByTopic'>;

/** A node for inputs that may be withdrawn while the node stays: it records what they have created. */
export class LentNode implements InputNode {
  readonly #node: RosNode;
  readonly #subscriptions: RosSubscription[] = [];
  readonly #services: RosService[] = [];
  readonly createSubscription: RosNode['createSubscription'];

  constructor(node: RosNode) {
    this.#node = node;
    this.createSubscription = (type: string, topic: string, options: never, callback: never) => {
      const made: RosSubscription = node.createSubscription(type, topic, options, callback);
      this.#subscriptions.push(made);
      return made;
    };
  }

  createService<Request>(type: string, name: string, callback: (request: Request) => Promise<object | undefined>) {
    const made = this.#node.createService(type, name, callback);
    this.#services.push(made);
    return made;
  }

  now(): ReturnType<RosNode['now']> {
    return this.#node.now();
  }

  getPublishersInfoByTopic(topic: string, raw = false): ReturnType<RosNode['getPublishersInfoByTopic']> {
    return this.#node.getPublishersInfoByTopic(topic, raw);
  }

  /** Removes what was created from the graph; only while the node does not spin. */
  withdraw(): void {
    for (const subscription of this.#subscriptions.splice(0)) this.#node.destroySubscription(subscription);
    for (const service of this.#services.splice(0)) this.#node.destroyService(service);
  }
}
