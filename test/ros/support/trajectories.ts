import { CdrWriter, type EncapsulationKind } from '@foxglove/cdr';
import type { JointTrajectory } from '../../../src/ros/cdr.ts';

/** trajectory_msgs/msg/JointTrajectory as CDR bytes. */
export function encodeTrajectory(message: JointTrajectory, kind?: EncapsulationKind): Uint8Array {
  const writer = new CdrWriter(kind === undefined ? {} : { kind });
  const { stamp } = message.header;
  writer.int32(stamp.sec).uint32(stamp.nanosec).string('').sequenceLength(message.joint_names.length);
  for (const name of message.joint_names) writer.string(name);
  writer.sequenceLength(message.points.length);
  for (const { positions, velocities, accelerations, effort, time_from_start: time } of message.points) {
    for (const values of [positions, velocities, accelerations, effort]) writer.float64Array(values, true);
    writer.int32(time.sec).uint32(time.nanosec);
  }
  return writer.data;
}
