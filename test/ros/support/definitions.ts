/** A definition of ros-controls/control_msgs, at a commit of that repository. */
export interface Definition {
  /** Below the package `control_msgs`. */
  readonly file: string;
  readonly commit: string;
  /** Names of the fields of each part: one of a message; goal, result and feedback of an action. */
  readonly fields: readonly (readonly string[])[];
}

/**
 * Other versions of what `interfaces/control_msgs` has. The state with the deprecated fields is that of Humble
 * (control_msgs 4); which releases have the others is not known.
 */
export const OTHER_VERSIONS: readonly Definition[] = [
  {
    file: 'msg/JointTrajectoryControllerState.msg',
    commit: '20b6107a2508ba8c5ec5c914d0693445625dbff9',
    fields: [
      [
        ...['header', 'joint_names', 'reference', 'feedback', 'error', 'output', 'desired', 'actual'],
        ...['multi_dof_joint_names', 'multi_dof_reference', 'multi_dof_feedback', 'multi_dof_error'],
        ...['multi_dof_output', 'multi_dof_desired', 'multi_dof_actual'],
      ],
    ],
  },
  {
    file: 'action/FollowJointTrajectory.action',
    commit: '800dd36e63660f05e2f4c290984810e4a4656483',
    fields: [
      [
        ...['trajectory', 'multi_dof_trajectory', 'path_tolerance', 'component_path_tolerance', 'goal_tolerance'],
        ...['component_goal_tolerance', 'goal_time_tolerance'],
      ],
      ['error_code', 'error_string'],
      [
        ...['header', 'joint_names', 'desired', 'actual', 'error'],
        ...['multi_dof_joint_names', 'multi_dof_desired', 'multi_dof_actual', 'multi_dof_error'],
      ],
    ],
  },
  {
    file: 'action/ParallelGripperCommand.action',
    commit: 'a022445d5e4c0f3a67989601ef1db960cf03802d',
    fields: [['command'], ['state', 'stalled', 'reached_goal'], ['state']],
  },
  {
    file: 'action/GripperCommand.action',
    commit: 'a6981ee17eaedb4157bf9fbd0402a3ba2cada878',
    fields: [
      ['command'],
      ['position', 'effort', 'stalled', 'reached_goal'],
      ['position', 'effort', 'stalled', 'reached_goal'],
    ],
  },
  {
    file: 'msg/JointTolerance.msg',
    commit: '12c43b45163e64bf544dfd028bcf929111c22e65',
    fields: [['name', 'position', 'velocity', 'acceleration', 'effort']],
  },
];
