import { z } from 'zod';
import type { ServoFacts } from '../../arm/arm-servos.ts';
import type { Arm } from '../../arm/types.ts';
import { calibrationAngles, phosphobotLoad } from '../../calibration/phosphobot.ts';
import { MOST_JOINTS } from '../../sizes.ts';
import { HttpProblem } from '../errors.ts';
import { asModel, components, integer, list } from '../fields.ts';
import { CONFLICT, NOT_THERE, route, takeOver } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';
import { stepsFromRadians } from '../units.ts';
import { finite } from '../views.ts';

const voltageReadResponse = z
  .object({
    current_voltage: z
      .array(z.number())
      .max(MOST_JOINTS)
      .nullable()
      .describe('Of each servo, V; null where it is not known.'),
  })
  .register(components, { id: 'VoltageReadResponse' });

const temperatureReadResponse = z
  .object({
    current_max_Temperature: z
      .array(
        z
          .object({
            current: z.number().describe('Degrees Celsius.'),
            max: z.number().describe('Where the servo switches itself off.'),
          })
          .register(components, { id: 'ServoTemperature' }),
      )
      .max(MOST_JOINTS)
      .nullable()
      .describe('Of each servo; null where they are not known.'),
  })
  .register(components, { id: 'TemperatureReadResponse' });

const temperatureWriteRequest = z
  .object(
    {
      maximum_temperature: list(integer({ min: 0 }), { max: MOST_JOINTS }).describe(
        'Where each servo is to switch itself off, degrees Celsius; never above its maker’s maximum.',
      ),
    },
    asModel,
  )
  .register(components, { id: 'TemperatureWriteRequest' });

const gain = z.number().describe('In counts of the servo’s register.');
const robotConfigResponse = z
  .object({
    robot_id: z.int(),
    name: z.string(),
    config: z
      .object({
        name: z.string().describe('Model of the arm.'),
        servos_voltage: z.number().describe('Mean of the voltages that the servos measure, V.'),
        servos_offsets: z.array(z.number()).max(MOST_JOINTS).describe('Servo steps at joint angle 0.'),
        servos_calibration_position: z
          .array(z.number())
          .max(MOST_JOINTS)
          .describe('Servo steps a quarter of a turn from that; of the gripper: where it is open.'),
        servos_offsets_signs: z.array(z.number()).max(MOST_JOINTS).describe('1 or -1: sense in which steps count.'),
        pid_gains: z
          .array(z.object({ p_gain: gain, i_gain: gain, d_gain: gain }).register(components, { id: 'ServoGains' }))
          .max(MOST_JOINTS)
          .describe('Read from the servos.'),
        gripping_threshold: z
          .int()
          .min(1)
          .describe('Load at which the gripper counts as pressing, per mille of its output.'),
        non_gripping_threshold: z.int().min(1).describe('Load with which it then goes on holding.'),
      })
      .register(components, { id: 'ServoConfig' })
      .nullable()
      .describe('Null where the servos belong to another machine.'),
    gripper_joint_index: z.int().nullable(),
    servo_ids: z.array(z.int()).max(2 * MOST_JOINTS),
    resolution: z.int().describe('Servo steps per turn.'),
  })
  .register(components, { id: 'RobotConfigResponse' });
type RobotConfig = z.input<typeof robotConfigResponse>;

/** True once voltage and temperature have been read; false for an arm of another machine. */
function measured(arm: Arm): boolean {
  return !arm.remote && arm.read().detailTime > 0;
}

function configOf(arm: Arm, facts: readonly ServoFacts[]): NonNullable<RobotConfig['config']> {
  const { joints, gripper } = arm.model;
  const angles = calibrationAngles(arm.model);
  const servos = joints.map((joint) => joint.servos[0]!);
  const { voltages } = arm.read();
  const stall = gripper === null ? null : joints[gripper.index]!.stall;
  const gripperServo = gripper === null ? undefined : facts[gripper.index];
  return {
    name: arm.model.name,
    servos_voltage: finite(voltages.reduce((sum, voltage) => sum + voltage, 0) / voltages.length),
    servos_offsets: servos.map(({ zero }) => zero),
    servos_calibration_position: servos.map((servo, i) => stepsFromRadians(servo, angles[i]!)),
    servos_offsets_signs: servos.map(({ sign }) => sign),
    pid_gains: facts.map(({ gains }) => ({ p_gain: gains.p, i_gain: gains.i, d_gain: gains.d })),
    gripping_threshold: phosphobotLoad(stall?.torque, gripperServo?.stallTorque),
    non_gripping_threshold: phosphobotLoad(stall?.hold, gripperServo?.stallTorque),
  };
}

export const servoRoutes = [
  route({
    method: 'POST',
    path: '/voltage/read',
    access: 'read',
    id: 'voltage_read',
    tag: 'control',
    summary: 'Read voltages',
    description: 'As the servos measure their supply.',
    target: 'one',
    answer: {
      description: 'Of each servo.',
      schema: voltageReadResponse,
      example: { current_voltage: [12.1, 12.0, 12.0, 12.1, 12.1, 12.0] },
    },
    refusals: { 400: NOT_THERE },
    handler: (_parts, { arm }) => {
      arm.requireConnected();
      return { current_voltage: measured(arm) ? Array.from(arm.read().voltages, finite) : null };
    },
  }),
  route({
    method: 'POST',
    path: '/temperature/read',
    access: 'read',
    id: 'temperature_read',
    tag: 'control',
    summary: 'Read temperatures',
    description: 'As the servos measure them, and where each of them switches itself off.',
    target: 'one',
    answer: {
      description: 'Of each servo, with its own limit.',
      schema: temperatureReadResponse,
      example: { current_max_Temperature: [{ current: 31, max: 70 }] },
    },
    refusals: { 400: NOT_THERE },
    handler: (_parts, { arm }) => {
      arm.requireConnected();
      const { temperatures, temperatureLimits } = arm.read();
      return {
        current_max_Temperature: measured(arm)
          ? Array.from(temperatures, (current, i) => ({ current: finite(current), max: temperatureLimits[i]! }))
          : null,
      };
    },
  }),
  route({
    method: 'POST',
    path: '/temperature/write',
    access: 'control',
    act: 'configuration',
    id: 'temperature_write',
    tag: 'control',
    summary: 'Limit temperatures',
    description: 'Written to the servos, which keep it: where each of them switches itself off.',
    target: 'one',
    query: { take_over: takeOver },
    body: { schema: temperatureWriteRequest, example: { maximum_temperature: [65, 65, 65, 65, 65, 65] } },
    answer: statusAnswer(),
    refusals: { 400: 'The arm is unknown or disconnected, or a servo cannot have such a limit.', 409: CONFLICT },
    handler: async ({ callers }, { arm, query, body }, reply) => {
      const limits = Float64Array.from(body.maximum_temperature);
      const count = arm.model.joints.length;
      if (limits.length !== count) {
        throw new HttpProblem(
          400,
          `maximum_temperature has ${limits.length} values, but ${arm.name} (robot ${arm.id}) has ${count} joints: ` +
            'give one for each.',
        );
      }
      await callers.run(reply, query, (caller) => arm.servos.limitTemperatures(limits, caller));
      return ok();
    },
  }),
  route({
    method: 'POST',
    path: '/robot/config',
    access: 'read',
    id: 'robot_config',
    tag: 'control',
    summary: 'Read the configuration of an arm',
    description: 'What the bridge knows of its servos and its gripper.',
    target: 'one',
    answer: {
      description: 'From the arm’s data and from the registers of its servos.',
      schema: robotConfigResponse,
      example: {
        robot_id: 0,
        name: 'leader',
        config: {
          name: 'so101',
          servos_voltage: 12,
          servos_offsets: [2048, 2048, 2048, 2048, 2048, 2048],
          servos_calibration_position: [3072, 1024, 3072, 3072, 3072, 3186],
          servos_offsets_signs: [1, 1, 1, 1, 1, 1],
          pid_gains: [{ p_gain: 32, i_gain: 0, d_gain: 32 }],
          gripping_threshold: 170,
          non_gripping_threshold: 100,
        },
        gripper_joint_index: 5,
        servo_ids: [1, 2, 3, 4, 5, 6],
        resolution: 4096,
      },
    },
    refusals: { 400: NOT_THERE },
    handler: async (_parts, { arm }): Promise<RobotConfig> => {
      const facts = arm.remote ? [] : await arm.servos.read();
      return {
        robot_id: arm.id,
        name: arm.name,
        config: arm.remote ? null : configOf(arm, facts),
        gripper_joint_index: arm.model.gripper?.index ?? null,
        servo_ids: arm.model.joints.flatMap(({ servos }) => servos.map(({ id }) => id)),
        resolution: arm.model.joints[0]!.servos[0]!.stepsPerTurn,
      };
    },
  }),
];
