/** What differs between the releases of ROS 2 in what the bridge uses. docs/ros.md shows this table. */
export interface RosRelease {
  /** Tests run on it; otherwise it is held to its message definitions alone. */
  readonly tested: boolean;
  /** By which variable ROS 2 is told how far nodes are found. */
  readonly discovery: 'ROS_LOCALHOST_ONLY' | 'ROS_AUTOMATIC_DISCOVERY_RANGE';
  /** The variable that names a profile of Fast DDS, of which each release knows one; null where the profile is not tried. */
  readonly profile: 'FASTRTPS_DEFAULT_PROFILES_FILE' | 'FASTDDS_DEFAULT_PROFILES_FILE' | null;
  /** Fields of messages that the bridge fills and that this release does not have: they are left out. */
  readonly lacks: readonly string[];
}

const SPEED_SCALING = 'control_msgs/msg/JointTrajectoryControllerState.speed_scaling_factor';

/**
 * By name. Both actions of the gripper, tf2_msgs and the types of parameters are the same in all of them: Humble has
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

/** A release that the table does not have is likely a newer one: as the newest there. */
export function releaseOf(name: string | undefined): RosRelease {
  return RELEASES[name ?? ''] ?? RELEASES.lyrical!;
}
