import type { Clock } from '../clock.ts';
import type { RosConfig } from '../config/schema.ts';
import { NODE_NAME } from './arguments.ts';
import { leaveGraph } from './departure.ts';
import { setDiscovery } from './discovery.ts';
import { makeQualities } from './qos.ts';
import type { Rcl } from './rclnodejs.ts';
import { HEARD_WITHIN } from './reach.ts';

/** Time to find programs on the graph, s. */
const DISCOVERY = 3;
/** An empty graph is believed after this time, s: a program whose first announcements are lost repeats them every 3 s. */
const DISCOVERY_OF_NONE = 8;
/** Each arm of a bridge has a status that a late reader gets at once, whatever the arm does. */
const STATUS = `/${NODE_NAME}/status`;
/** Longest wait of the node's thread, ms. */
const SPIN_TIMEOUT = 50;

/** Namespaces of arms on the graph. */
export interface Peers {
  readonly heard: readonly string[];
  /** Seen, but their messages do not arrive. */
  readonly unheard: readonly string[];
}

/**
 * Finds the arms of running bridges on the graph. Takes 3 s, 8 s if there is none, and 5 s more if one is not heard. Sets
 * the discovery range in the environment of this process, as a bridge does.
 */
export async function findPeers(rcl: Rcl, discovery: RosConfig['discovery'], clock: Clock): Promise<Peers> {
  setDiscovery(discovery, process.env);
  const context = new rcl.Context();
  await rcl.init(context, []);
  // Hidden from lists of nodes.
  const node = new rcl.Node(`_${NODE_NAME}_doctor`, '/', context, { parameterOverrides: [] });
  try {
    const find = () =>
      node
        .getTopicNamesAndTypes()
        .filter(({ name }) => name.endsWith(STATUS) && node.getPublishersInfoByTopic(name).length > 0)
        .map(({ name }) => name.slice(0, -STATUS.length));
    const begun = clock.now();
    await clock.sleep(DISCOVERY);
    let arms = find();
    while (arms.length === 0 && clock.now() < begun + DISCOVERY_OF_NONE) {
      await clock.sleep(0.1);
      arms = find();
    }
    const unheard = new Set(arms);
    const options = { qos: makeQualities(rcl).latched };
    for (const arm of arms) {
      node.createSubscription('arm_bridge/msg/ArmStatus', `${arm}${STATUS}`, options, () => void unheard.delete(arm));
    }
    node.spin(SPIN_TIMEOUT);
    const end = clock.now() + HEARD_WITHIN;
    while (unheard.size > 0 && clock.now() < end) await clock.sleep(0.05);
    return { heard: arms.filter((arm) => !unheard.has(arm)), unheard: [...unheard] };
  } finally {
    await leaveGraph(clock, () => {
      if (node.spinning) node.stop();
      context.shutdown();
    });
  }
}
