import type { Json } from './operation.ts';

/** A body of each request as it can be sent to the default configuration, by the name of its component. */
export const EXAMPLES: Readonly<Record<string, Json>> = {
  AbsoluteMoveRequest: { x: 2, y: 3, z: -2, open: 0.5 },
  RelativeMoveRequest: { z: 2 },
  TeleopRequest: { x: 0, y: 0, z: 0, rx: 0, ry: 0, rz: 0, open: 0.5 },
  TeleopSettings: { vr_scaling: 0.5 },
  EndEffectorReadRequest: { only_gripper: false, sync: true },
  StartLeaderArmControlRequest: { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: true },
  GravityStartRequest: { gravity_compensation_values: { shoulder: 100, elbow: 50, wrist: 10 } },
  JointsReadRequest: { unit: 'degrees' },
  JointsWriteRequest: { angles: [20], unit: 'degrees', joints_ids: [0] },
  TorqueControlRequest: { torque_status: true },
  TemperatureWriteRequest: { maximum_temperature: [65, 65, 65, 65, 65, 65] },
  RobotConnectionRequest: { robot_name: 'follower', connection_details: {} },
  RecordingStartRequest: { name: 'wave', rate: 50 },
  RecordingPlayRequest: { name: 'wave', speed: 1 },
  HandRequest: { robot_id: 0, joints: { shoulder_pan: 0.6 }, duration: 2 },
  SessionRequest: {},
};
