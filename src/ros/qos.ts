import type { Rcl, RosQos } from './rclnodejs.ts';

/** Qualities of service of the bridge's topics. */
export interface Qualities {
  /**
   * Published streams, and commands: reliable, keep-last 10, volatile. Such a publisher serves best-effort and reliable
   * subscribers; such a subscriber loses no command in transit.
   */
  readonly stream: RosQos;
  /** `/tf`: reliable, keep-last 100, volatile, as tf2's listeners expect. */
  readonly transforms: RosQos;
  /** States of remote arms: best effort, keep-last 10, volatile; reads best-effort and reliable publishers. */
  readonly observed: RosQos;
  /** State that a late joiner gets at once: reliable, keep-last 1, transient local. */
  readonly latched: RosQos;
  /** `/rosout`: reliable, keep-last 1000, transient local, as in rcl. */
  readonly log: RosQos;
}

export function makeQualities({ QoS }: Rcl): Qualities {
  const last = QoS.HistoryPolicy.RMW_QOS_POLICY_HISTORY_KEEP_LAST;
  const { RMW_QOS_POLICY_RELIABILITY_RELIABLE: reliable, RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT: bestEffort } =
    QoS.ReliabilityPolicy;
  const { RMW_QOS_POLICY_DURABILITY_VOLATILE: volatile, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL: transientLocal } =
    QoS.DurabilityPolicy;
  return {
    stream: new QoS(last, 10, reliable, volatile),
    transforms: new QoS(last, 100, reliable, volatile),
    observed: new QoS(last, 10, bestEffort, volatile),
    latched: new QoS(last, 1, reliable, transientLocal),
    log: new QoS(last, 1000, reliable, transientLocal),
  };
}
