// What moveit/arm_bridge_moveit/config/<model>/ holds, made from the data of an arm (robots/<model>).

import { contactsOf } from './contacts.mjs';

/** Largest step between two checks of a planned path, rad: that of the bridge (src/kinematics/collision.ts). */
const PATH_STEP = 0.02;
/** Half of the edge of the table and its thickness, m. */
const TABLE = 1;
const TABLE_THICKNESS = 0.02;
/** Part of what the bridge accepts beyond a position limit that planners may use: the rest is for their rounding. */
const BEYOND = 0.8;

/** Stands for the beginning of all names; xacro puts in the one that is asked for. */
const PREFIX = `\${prefix}`;

const NOTICE = (model) => `Made from the data of the model ${model} by scripts/moveit/generate.mjs: change it there.`;

/** A number of at most `digits` decimals, without trailing zeros. */
function rounded(value, digits = 6) {
  const text = value.toFixed(digits).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : text;
}

/** A number as a floating-point one in YAML: MoveIt's parameters have no other type. */
function float(value, digits = 6) {
  const text = rounded(value, digits);
  return text.includes('.') ? text : `${text}.0`;
}

/** Indents every line that is not empty. */
function indent(text, by = '  ') {
  return text.replace(/^(?=.)/gm, by);
}

/**
 * @param model of the arm (src/arm/model.ts)
 * @param chain of the arm
 * @param tools { coverWithCapsules, capsuleDistance, CAPSULE, withPrefix } of src/kinematics, { HEADROOM, POSITION_SLACK } of src/rt/sources
 * @returns {Record<string, string>} texts by file name
 */
export function moveitFiles(model, chain, tools) {
  const limits = chain.limits;
  const contacts = contactsOf(chain, limits, tools);
  return {
    [`${model.name}.urdf.xacro`]: urdfMacro(model, chain, tools),
    [`${model.name}.srdf.xacro`]: srdfMacro(model, chain, contacts),
    [`${model.name}.ros2_control.xacro`]: ros2ControlMacro(model),
    'joint_limits.yaml': jointLimits(model, tools),
    'kinematics.yaml': kinematics(model),
    'moveit_controllers.yaml': moveitControllers(model),
    'ompl_planning.yaml': omplPlanning(model),
    'ros2_controllers.yaml': ros2Controllers(model),
  };
}

function armJoints({ joints, gripper }) {
  return joints.filter((_, index) => index !== gripper?.index);
}

function gripperJoint({ joints, gripper }) {
  return gripper === null ? null : joints[gripper.index];
}

/** The arm's URDF as a macro: shapes for contacts are the bridge's own, and there is the table that it stands on. */
function urdfMacro(model, chain, { coverWithCapsules, CAPSULE, withPrefix }) {
  const [, source = ''] = /(<!--[\s\S]*?-->)\s*<robot\b/.exec(model.urdf) ?? [];
  const inside = /<robot\b[^>]*>([\s\S]*)<\/robot>/.exec(model.urdf)[1];
  const bare = inside
    .replace(/[ \t]*<collision\b[^>]*\/>\n?|[ \t]*<collision\b[\s\S]*?<\/collision>\n?/g, '')
    .replace(/<link\b[^>]*[^/]>[\s\S]*?<\/link>/g, (link) => {
      const name = /\bname\s*=\s*["']([^"']+)["']/.exec(link)[1];
      const shapes = chain.description.links.get(name).collisions;
      const capsules = shapes.flatMap((shape) => coverWithCapsules(shape, name));
      const texts = [];
      for (let i = 0; i < capsules.length; i += CAPSULE) texts.push(capsuleShapes(capsules.slice(i, i + CAPSULE)));
      return link.replace(/[ \t]*<\/link>/, `${texts.join('')}  </link>`);
    });
  const arm = withPrefix(bare, PREFIX)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return `<?xml version="1.0" encoding="utf-8"?>
<!-- ${NOTICE(model.name)} -->
${source}
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <!--
    prefix: beginning of the names of joints and links, as ros.joint_prefix of the bridge. parent, xyz, rpy: what the arm
    stands on and where, as its mount in the configuration of the bridge. Collision shapes are the capsules with which the
    bridge checks every motion, each a cylinder and two spheres, so that it refuses no path that was planned here.
  -->
  <xacro:macro name="${model.name}" params="prefix parent xyz rpy">
    <joint name="\${prefix}mount" type="fixed">
      <parent link="\${parent}"/>
      <child link="\${prefix}${model.baseLink}"/>
      <origin xyz="\${xyz}" rpy="\${rpy}"/>
    </joint>

    <link name="\${prefix}table">
      <collision>
        <origin xyz="0 0 ${rounded(-TABLE_THICKNESS / 2)}" rpy="0 0 0"/>
        <geometry><box size="${2 * TABLE} ${2 * TABLE} ${TABLE_THICKNESS}"/></geometry>
      </collision>
    </link>

    <joint name="\${prefix}table_fixed" type="fixed">
      <parent link="\${prefix}${model.baseLink}"/>
      <child link="\${prefix}table"/>
      <origin xyz="0 0 0" rpy="0 0 0"/>
    </joint>

    ${indent(arm, '  ').trim()}
  </xacro:macro>
</robot>
`;
}

/** A capsule as URDF shapes: MoveIt's releases do not read capsules. */
function capsuleShapes([ax, ay, az, bx, by, bz, radius]) {
  const [dx, dy, dz] = [bx - ax, by - ay, bz - az];
  const length = Math.hypot(dx, dy, dz);
  const shape = (x, y, z, rpy, geometry) =>
    `    <collision>
      <origin xyz="${[x, y, z].map((value) => rounded(value, 7)).join(' ')}" rpy="${rpy.map((value) => rounded(value, 7)).join(' ')}"/>
      <geometry>${geometry}</geometry>
    </collision>
`;
  const ball = (x, y, z) => shape(x, y, z, [0, 0, 0], `<sphere radius="${rounded(radius, 7)}"/>`);
  if (length < 1e-6) return ball(ax, ay, az);
  const rpy = [0, Math.acos(dz / length), Math.atan2(dy, dx)];
  const rod = `<cylinder radius="${rounded(radius, 7)}" length="${rounded(length, 7)}"/>`;
  return shape((ax + bx) / 2, (ay + by) / 2, (az + bz) / 2, rpy, rod) + ball(ax, ay, az) + ball(bx, by, bz);
}

/** Groups, named poses, the gripper as end effector, and the pairs of links that need no check. */
function srdfMacro(model, chain, { bodies, fixed, first, pairs }) {
  const name = (text) => `${PREFIX}${text}`;
  const gripper = gripperJoint(model);
  const arm = armJoints(model);
  const lines = [`<group name="${name('arm')}">`];
  lines.push(`  <chain base_link="${name(model.baseLink)}" tip_link="${name(model.toolLink)}"/>`, '</group>');
  if (gripper !== null) {
    const mimics = chain.description.joints.filter(({ mimic }) => mimic?.joint === gripper.name);
    lines.push(`<group name="${name('gripper')}">`);
    for (const joint of [gripper, ...mimics]) lines.push(`  <joint name="${name(joint.name)}"/>`);
    lines.push('</group>');
    lines.push(
      `<end_effector name="${name('gripper')}" group="${name('gripper')}" parent_link="${name(model.toolLink)}" parent_group="${name('arm')}"/>`,
    );
  }
  const state = (title, group, joints, values) => {
    lines.push(`<group_state name="${title}" group="${name(group)}">`);
    for (const [index, joint] of joints.entries()) {
      lines.push(`  <joint name="${name(joint.name)}" value="${values[index]}"/>`);
    }
    lines.push('</group_state>');
  };
  for (const [title, pose] of model.poses) {
    const values = [...pose].filter((_, index) => index !== model.gripper?.index);
    state(title, 'arm', arm, values);
  }
  if (gripper !== null) {
    for (const title of ['closed', 'open']) state(title, 'gripper', [gripper], [model.gripper[title]]);
  }
  const free = (a, b, reason) =>
    lines.push(`<disable_collisions link1="${name(a)}" link2="${name(b)}" reason="${reason}"/>`);
  for (const link of bodies) {
    // What stands on the table, and what turns on that, keeps its distance from it.
    if (fixed.includes(link)) free('table', link, 'Adjacent');
    else if (first.includes(link)) free('table', link, 'Never');
  }
  for (const { a, b, reason } of pairs) free(a, b, reason);
  return `<?xml version="1.0" encoding="utf-8"?>
<!-- ${NOTICE(model.name)} -->
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="${model.name}_srdf" params="prefix">
${indent(lines.join('\n'), '    ')}
  </xacro:macro>
</robot>
`;
}

/** ros2_control over the bridge's topics, by joint_state_topic_hardware_interface. */
function ros2ControlMacro(model) {
  const joints = model.joints.map(
    ({ name }) => `<joint name="\${prefix}${name}">
  <command_interface name="position">
    <param name="initial_value">\${initial['${name}']}</param>
  </command_interface>
  <state_interface name="position">
    <param name="initial_value">\${initial['${name}']}</param>
  </state_interface>
  <state_interface name="velocity"/>
  <state_interface name="effort"/>
</joint>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<!-- ${NOTICE(model.name)} -->
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <!--
    joint_states, joint_commands: topics of the arm. threshold: sum over all joints of the distance between command and
    state, rad, up to which nothing is sent; joints may stop that far from their goals. initial: where the joints are at the
    start, by name without prefix; this interface commands 0 where nothing is given.
  -->
  <xacro:macro name="${model.name}_ros2_control" params="prefix joint_states joint_commands threshold initial">
    <ros2_control name="\${prefix}${model.name}" type="system">
      <hardware>
        <plugin>joint_state_topic_hardware_interface/JointStateTopicSystem</plugin>
        <param name="joint_states_topic">\${joint_states}</param>
        <param name="joint_commands_topic">\${joint_commands}</param>
        <param name="trigger_joint_command_threshold">\${threshold}</param>
      </hardware>
${indent(joints.join('\n'), '      ')}
    </ros2_control>
  </xacro:macro>
</robot>
`;
}

function jointLimits({ name, joints }, { HEADROOM, POSITION_SLACK }) {
  const beyond = BEYOND * POSITION_SLACK;
  const limits = joints.map(
    ({ name: joint, move, lower, upper }) => `  ${joint}:
    has_position_limits: true
    min_position: ${float(lower - beyond, 4)}
    max_position: ${float(upper + beyond, 4)}
    has_velocity_limits: true
    max_velocity: ${float(move.velocity)}
    has_acceleration_limits: true
    max_acceleration: ${float(move.acceleration)}
    has_jerk_limits: ${move.jerk !== undefined}
${move.jerk === undefined ? '' : `    max_jerk: ${float(move.jerk)}\n`}`,
  );
  return `# ${NOTICE(name)}
# What the gate of the bridge allows for moves, rad/s and rad/s^2; rad/s^3 where the arm has such a limit. A bridge whose
# speed_scale is below 1 allows that part of it: plan with max_velocity_scaling_factor and max_acceleration_scaling_factor. The
# default is the part that the bridge's own moves use; the rest is for the correction for the arm's weight, which moves too.
# Positions, rad: those of the URDF and ${float(beyond)} more, because a joint at its limit may stand a few steps of its servo beyond it,
# and MoveIt plans nothing for an arm that it takes to be outside.
default_velocity_scaling_factor: ${float(HEADROOM)}
default_acceleration_scaling_factor: ${float(HEADROOM)}
joint_limits:
${limits.join('')}`;
}

function kinematics(model) {
  const count = armJoints(model).length;
  const positionOnly =
    count < 6
      ? `  # ${count} joints reach a position, and of the orientation only a part.
  position_only_ik: true
`
      : '';
  return `# ${NOTICE(model.name)}
arm:
  kinematics_solver: kdl_kinematics_plugin/KDLKinematicsPlugin
  kinematics_solver_search_resolution: 0.005
  kinematics_solver_timeout: 0.05
${positionOnly}`;
}

function moveitControllers(model) {
  const gripper = gripperJoint(model);
  const names = ['arm_controller', ...(gripper === null ? [] : ['gripper_controller'])];
  const list = (values) => values.map((value) => `      - ${value}\n`).join('');
  return `# ${NOTICE(model.name)}
# The controllers are the bridge's own actions, by names relative to the namespace of the arm.
moveit_controller_manager: moveit_simple_controller_manager/MoveItSimpleControllerManager
moveit_simple_controller_manager:
  controller_names:
${names.map((name) => `    - ${name}\n`).join('')}  arm_controller:
    type: FollowJointTrajectory
    action_ns: follow_joint_trajectory
    default: true
    joints:
${list(armJoints(model).map(({ name }) => name))}${
  gripper === null
    ? ''
    : `  gripper_controller:
    type: ParallelGripperCommand
    action_ns: gripper_cmd
    default: true
    joints:
${list([gripper.name])}    command_joint: ${gripper.name}
`
}`;
}

function omplPlanning(model) {
  const extent = (joints) => joints.reduce((sum, { lower, upper }) => sum + upper - lower, 0);
  const groups = [['arm', extent(armJoints(model))]];
  if (model.gripper !== null) groups.push(['gripper', extent([gripperJoint(model)])]);
  return `# ${NOTICE(model.name)}
# What goes into the namespace ompl besides the pipeline itself (ompl_pipeline.yaml). longest_valid_segment_fraction: a path
# is checked every ${PATH_STEP} rad, as the bridge does.
planner_configs:
  RRTConnectkConfigDefault:
    type: geometric::RRTConnect
    range: 0.0
  RRTstarkConfigDefault:
    type: geometric::RRTstar
    range: 0.0
    goal_bias: 0.05
    delay_collision_checking: 1
  PRMkConfigDefault:
    type: geometric::PRM
    max_nearest_neighbors: 10
groups:
${groups
  .map(
    ([group, range]) => `  ${group}:
    default_planner_config: RRTConnectkConfigDefault
    planner_configs:
      - RRTConnectkConfigDefault
      - RRTstarkConfigDefault
      - PRMkConfigDefault
    longest_valid_segment_fraction: ${float(Math.floor((PATH_STEP / range) * 1e6) / 1e6)}
`,
  )
  .join('')}`;
}

function ros2Controllers(model) {
  const arm = armJoints(model);
  const gripper = gripperJoint(model);
  return `# ${NOTICE(model.name)}
/**/controller_manager:
  ros__parameters:
    update_rate: 100
    arm_controller:
      type: joint_trajectory_controller/JointTrajectoryController
${
  gripper === null
    ? ''
    : `    gripper_controller:
      type: parallel_gripper_action_controller/GripperActionController
`
}/**/arm_controller:
  ros__parameters:
    joints:
${arm.map(({ name }) => `      - ${name}\n`).join('')}    command_interfaces:
      - position
    state_interfaces:
      - position
      - velocity
    allow_partial_joints_goal: true
    constraints:
      stopped_velocity_tolerance: 0.0
      goal_time: 1.0
${arm.map(({ name }) => `      ${name}:\n        goal: 0.1\n`).join('')}${
  gripper === null
    ? ''
    : `/**/gripper_controller:
  ros__parameters:
    joint: ${gripper.name}
    goal_tolerance: 0.03
    allow_stalling: true
    stall_velocity_threshold: 0.02
    stall_timeout: 0.5
`
}`;
}
