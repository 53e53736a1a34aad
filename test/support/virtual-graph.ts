import type { VirtualHost } from '../../explore/virtual-host.ts';
import type { Clock } from '../../src/clock.ts';
import { LocalArm } from '../../src/ros/local-arm.ts';
import { ArmNames } from '../../src/ros/names.ts';
import type { Qualities } from '../../src/ros/qos.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { RemoteArm } from '../../src/ros/remote-arm.ts';
import type { RosServices } from '../../src/ros/room.ts';
import { acceptJointCommands } from '../../src/ros/stream-inputs.ts';
import { Broadcaster } from '../../src/ros/transforms.ts';

/** What lies between two machines. */
export interface Network {
  /** Of each message on its way, s. */
  readonly delay: number;
  /** So much longer at most, s, by chance. */
  readonly jitter?: number;
  /** Part of the messages that never come, 0..1. */
  readonly loss?: number;
}

/** How often the states of arms are looked at, s. */
const STATUS = 0.05;
/** Only what comes late to a topic that keeps its last message is told apart. */
const QUALITIES = {
  ...{ stream: { depth: 10 }, transforms: { depth: 100 }, observed: { depth: 10 } },
  ...{ latched: { depth: 1 }, log: { depth: 1000 } },
} as Qualities;

type Heard = (message: unknown) => void;

/**
 * A ROS 2 graph in virtual time, over which bridges reach each other's arms: their own publishers and subscribers of an arm, with a
 * network in between. All else of ROS 2 is not there.
 */
export class VirtualGraph {
  /** Of now: may be changed at any time. */
  network: Network;
  readonly #subscribers = new Map<string, Set<Heard>>();
  readonly #kept = new Map<string, unknown>();
  #seed = 1;

  constructor(network: Network) {
    this.network = network;
  }

  /** A bridge that is started on this machine is on the graph. */
  join(host: VirtualHost): void {
    host.startRos = async (services: RosServices) => {
      const { arms, joints, logger } = services;
      const clock = host.clock;
      const parts = arms.all.map((arm) => {
        const names = new ArmNames(arm, null);
        if (arm.remote)
          return new RemoteArm(this.#node('', clock), '', arm, names, joints, QUALITIES, logger, services.bridge);
        const namespace = `/${arm.name}`;
        const node = this.#node(namespace, clock);
        const broadcaster = new Broadcaster(node, arm, names, services.mountOf(arm), false, QUALITIES);
        const local = new LocalArm(node, arm, names, services.config.ros.joint_state_rate, broadcaster, QUALITIES);
        const about = {
          node,
          nodeName: `${namespace}/arm_bridge`,
          namespace,
          arm,
          names,
          joints,
          qualities: QUALITIES,
        };
        acceptJointCommands({ ...about, log: logger } as unknown as Parameters<typeof acceptJointCommands>[0]);
        clock.every(STATUS, () => local.publishStatus());
        return local;
      });
      const leave = services.onSnapshot(() => {
        for (const part of parts) part.publish();
      });
      return {
        distro: 'virtual',
        graph: { domain: 0, namespace: '/', commands: true, network: true },
        add: () => {},
        close: async () => leave(),
      };
    };
  }

  #node(namespace: string, clock: Clock): RosNode {
    const full = (topic: string): string =>
      topic.startsWith('/') ? topic : `${namespace}/${topic.replace('~', 'arm_bridge')}`;
    return {
      createPublisher: (_type: string, topic: string, { qos }: { qos: unknown }) => ({
        publish: (message: unknown) => this.#send(full(topic), message, qos === QUALITIES.latched),
      }),
      createSubscription: (_type: string, topic: string, _options: unknown, heard: Heard) => {
        const late: Heard = (message) => clock.after(this.#way(), () => heard(message));
        const subscribers = this.#subscribers.get(full(topic)) ?? new Set();
        this.#subscribers.set(full(topic), subscribers.add(late));
        if (this.#kept.has(full(topic))) late(this.#kept.get(full(topic)));
      },
      getPublishersInfoByTopic: () => [],
    } as unknown as RosNode;
  }

  #send(topic: string, message: unknown, keeps: boolean): void {
    // Encoders use their bytes again.
    const copy = Buffer.isBuffer(message) ? Buffer.from(message) : structuredClone(message);
    if (keeps) this.#kept.set(topic, copy);
    else if (this.#random() < (this.network.loss ?? 0)) return;
    for (const heard of this.#subscribers.get(topic) ?? []) heard(copy);
  }

  #way(): number {
    return this.network.delay + (this.network.jitter ?? 0) * this.#random();
  }

  /** 0..1, the same in each run. */
  #random(): number {
    this.#seed = (this.#seed * 48271) % 2147483647;
    return this.#seed / 2147483647;
  }
}
