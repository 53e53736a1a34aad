import { expect, test } from 'vitest';
import { declareArmParameters } from '../../src/ros/arm-parameters.ts';
import { ArmNames } from '../../src/ros/names.ts';
import type { Rcl, RosNode } from '../../src/ros/rclnodejs.ts';
import { FakeArm, FakeBridge, fakeArm } from './support/fakes.ts';

/** A parameter as rclnodejs has it. */
class Parameter {
  constructor(
    readonly name: string,
    readonly type: number,
    readonly value: unknown,
  ) {}
}

test.each([
  [null, ''],
  ['auto', 'arm_'],
])(
  'the limits of planned motion, by names with the prefix %s, follow the scales, and the pace of an arm whose angles may be wrong',
  (prefix, begins) => {
    const arm = new FakeArm(0, 'arm');
    const { services, mirror } = new FakeBridge([arm]);
    const values = new Map<string, unknown>();
    let writes = 0;
    const set = (given: readonly Parameter[]) => {
      for (const { name, value } of given) values.set(name, value);
      writes++;
      return { successful: true };
    };
    // The edge to rclnodejs.
    const node = {
      declareParameter: (parameter: Parameter) => set([parameter]),
      setParametersAtomically: set,
      hasParameter: () => false,
      getPublishersInfoByTopic: () => [],
    };
    const ParameterType = { PARAMETER_NOT_SET: 0, PARAMETER_BOOL: 1, PARAMETER_INTEGER: 2, PARAMETER_DOUBLE: 3 };
    class ParameterDescriptor {
      toMessage = () => ({});
    }
    const rcl = { Parameter, ParameterType, ParameterDescriptor } as unknown as Rcl;
    const follow = declareArmParameters(
      ...([rcl, node as unknown as RosNode, '/arm/arm_bridge', fakeArm(arm)] as const),
      // As `ros2 param dump` writes them.
      ...([
        new ArmNames(fakeArm(arm), prefix).joints,
        services.gains,
        services.mirror,
        [{ name: 'joint_limits.shoulder_pan.max_velocity', value: 9, exact: true }],
        true,
      ] as const),
    );
    const limits = () =>
      ['velocity', 'acceleration'].map((of) => values.get(`joint_limits.${begins}shoulder_pan.max_${of}`));
    const give = (name: string, value: number) =>
      node.setParametersAtomically([new Parameter(name, ParameterType.PARAMETER_DOUBLE, value)]);
    expect(limits()).toEqual([1.5, 6]);
    expect(give('speed_scale', 0.5)).toMatchObject({ successful: true });
    expect(give('acceleration_scale', 0.5)).toMatchObject({ successful: true });
    expect(limits()).toEqual([0.75, 3]);
    arm.doubt = 'it has no calibration';
    follow();
    expect(limits()).toEqual([expect.closeTo(0.3, 9), 3]);
    arm.doubt = '';
    follow();
    expect(limits()).toEqual([0.75, 3]);
    // A servo's own limits are told where they are narrower than the model's.
    const range = () => ['min', 'max'].map((end) => values.get(`joint_limits.${begins}shoulder_pan.${end}_position`));
    const { lower, upper } = fakeArm(arm).model.joints[0]!;
    expect(range()).toEqual([lower, upper]);
    arm.snapshot.servoLower[0] = -0.5;
    arm.snapshot.servoUpper[0] = upper + 1;
    follow();
    expect(range()).toEqual([-0.5, upper]);
    expect(give(`joint_limits.${begins}shoulder_pan.min_position`, -1)).toMatchObject({
      successful: false,
      reason: expect.stringMatching(/min_position follows from the arm's data and its servos: calibrate/),
    });
    // What a pair is started with is told too.
    services.mirror.setFeedback(fakeArm(arm), { arm: 0.5, gripper: 0 });
    follow();
    expect(values.get('force_feedback.arm')).toBe(0.5);
    // Whoever has started the pair by HTTP has the leader in hand.
    const push = () => give('force_feedback.arm', 1);
    mirror.starter = { key: 'http:anna', name: 'anna' };
    expect(push()).toMatchObject({ successful: false, reason: expect.stringContaining('in the hand of anna') });
    // Anybody may lower it.
    expect(give('force_feedback.arm', 0.25)).toMatchObject({ successful: true });
    expect(values.get('force_feedback.arm')).toBe(0.25);
    expect(give('force_feedback.arm', 0.5)).toMatchObject({ successful: false });
    mirror.starter = { key: 'ros:client /teleop', name: 'the ROS node /teleop' };
    expect(push()).toMatchObject({ successful: true });
    mirror.starter = null;
    follow();
    // Nothing is written, and so no event is published, while nothing changes.
    const before = writes;
    follow();
    expect(writes).toBe(before);
  },
);
