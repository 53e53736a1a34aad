/** Differences between ROS 2 releases that concern the bridge. docs/ros.md shows this table. */
export interface RosRelease {
  /** Tests run on it; otherwise only its message definitions are checked. */
  readonly tested: boolean;
  /** The variable that sets the discovery range. */
  readonly discovery: 'ROS_LOCALHOST_ONLY' | 'ROS_AUTOMATIC_DISCOVERY_RANGE';
  /** The variable, one per release, that names a Fast DDS profile; null where the profile is untested. */
  readonly profile: 'FASTRTPS_DEFAULT_PROFILES_FILE' | 'FASTDDS_DEFAULT_PROFILES_FILE' | null;
  /** Message fields that the bridge fills but this release lacks: they are left out. */
  readonly lacks: readonly string[];
}

const SPEED_SCALING = 'control_msgs/msg/JointTrajectoryControllerState.speed_scaling_factor';

/**
 * By release name. Both gripper actions, tf2_msgs and the parameter types are the same in all of them: Humble has
 * ParallelGripperCommand since control_msgs 4.7.
 */
export const RELEASES: Readonly<Record<string, RosRelease>> = {
  humble: { tested: false, discovery: 'ROS_LOCALHOST_ONLY', profile: null, lacks: [SPEED_SCALING] },
  jazzy: {
    tested: true,
    discovery: 'ROS_AUTOMATIC_DISCOVERY_RANGE',
    profile: 'FASTRTPS_DEFAULT_PROFILES_FILE',
    lacks: [],
  },
  kilted: {
    tested: true,
    discovery: 'ROS_AUTOMATIC_DISCOVERY_RANGE',
    profile: 'FASTDDS_DEFAULT_PROFILES_FILE',
    lacks: [],
  },
  lyrical: { tested: false, discovery: 'ROS_AUTOMATIC_DISCOVERY_RANGE', profile: null, lacks: [] },
};

/** A release missing from the table is probably newer, so it is treated like the newest one there. */
export function releaseOf(name: string | undefined): RosRelease {
  return RELEASES[name ?? ''] ?? RELEASES.lyrical!;
}
