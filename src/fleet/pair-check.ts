import type { BridgeOverview } from './overview.ts';

/** One end of a pair: an arm, and the current overview of its bridge. */
export interface PairEnd {
  readonly bridge: BridgeOverview;
  readonly arm: string;
}

type Told = BridgeOverview['arms'][number];

const sameGraph = (one: BridgeOverview, other: BridgeOverview): boolean =>
  one.ros.graph !== null &&
  other.ros.graph !== null &&
  one.ros.graph.domain === other.ros.graph.domain &&
  one.ros.graph.namespace === other.ros.graph.namespace;

/** Why an arm cannot follow an arm of another machine, by the report of its own bridge; empty: it can. */
function troubleOf({ state, torque, owner, reason, doubt }: Told): string {
  const why = reason === '' ? '' : ` (${reason})`;
  if (state === 'disconnected') return `is disconnected${why}`;
  if (state === 'stopped') return `is stopped${why}: reset it there`;
  if (owner !== null) return `is driven by ${owner}: it has to let go of it first`;
  if (doubt !== '') return `is not moved: ${doubt}`;
  return torque ? '' : 'is limp: switch its torque on there';
}

/** Why ROS 2 cannot transport setpoints from one bridge to an arm of another; empty: it can. */
function graphTrouble(leading: BridgeOverview, following: BridgeOverview): string {
  for (const { name, ros } of [leading, following]) {
    if (ros.graph === null) return `${name} has no ROS 2, by which pairs go from bridge to bridge: ${ros.reason}`;
  }
  if (!sameGraph(leading, following)) {
    const [one, other] = [leading, following].map(
      ({ name, ros: { graph } }) => `${name} is on domain ${graph!.domain} in ${graph!.namespace}`,
    );
    return `${one}, ${other}: give both the same ROS_DOMAIN_ID and namespace`;
  }
  if (following.ros.graph!.commands) return '';
  return `${following.name} lets ROS 2 read its arms and not drive them: set ros.accept_commands to true there`;
}

/**
 * Checks before a start whether a leader of one bridge can lead a follower of another, by the reports of their bridges.
 * @param all all known bridges of the laboratory
 * @returns human-readable refusal; null: none
 */
export function refusalOfPair(leader: PairEnd, follower: PairEnd, all: readonly BridgeOverview[]): string | null {
  const [led, following] = [leader, follower].map(({ bridge, arm }) => bridge.arms.find(({ name }) => name === arm));
  for (const [{ bridge, arm }, told] of [
    [leader, led],
    [follower, following],
  ] as const) {
    const own = bridge.arms.filter(({ remote }) => !remote).map(({ name }) => name);
    if (told === undefined) return `${bridge.name} has no arm "${arm}": its arms are ${own.join(', ')}.`;
    if (told.remote) return `Arm ${arm} of ${bridge.name} belongs to another machine: name it with its own bridge.`;
  }
  // A pair within one bridge is checked by that bridge.
  if (leader.bridge.id === follower.bridge.id) return null;
  const apart = graphTrouble(leader.bridge, follower.bridge);
  if (apart !== '') return `${apart}.`;
  const namesake = all.find(
    (bridge) =>
      bridge.id !== follower.bridge.id &&
      sameGraph(bridge, follower.bridge) &&
      bridge.arms.some(({ name, remote }) => name === follower.arm && !remote),
  );
  if (namesake !== undefined) {
    return `${namesake.name} and ${follower.bridge.name} both have an arm "${follower.arm}", and nobody could tell which one obeys: rename one.`;
  }
  const trouble = troubleOf(following!);
  return trouble === '' ? null : `Arm ${follower.arm} of ${follower.bridge.name} ${trouble}.`;
}

/** Human-readable likely cause if an arm of another bridge is not heard; empty: no known cause. */
export function likelySilence(leader: BridgeOverview, follower: BridgeOverview): string {
  const hidden = [leader, follower].filter(({ ros }) => ros.graph?.network === false).map(({ name }) => name);
  if (hidden.length === 0) return '';
  return ` On ROS 2 ${hidden.join(' and ')} can be found by ${hidden.length > 1 ? 'their' : 'its'} own computer alone (ros.discovery).`;
}
