import { z } from 'zod';
import { asList, asModel, boolean, components, integer, number } from './fields.ts';

/** Bodies and answers that are about single joints and servos. */

export const UNITS = ['rad', 'motor_units', 'degrees'] as const;
export type Unit = (typeof UNITS)[number];

const unit = z.enum(UNITS).prefault('rad').describe('Of the angles; motor_units are servo steps.');
const jointIds = z
  .array(integer(), asList)
  .nullable()
  .prefault(null)
  .describe('Joints by their place in the arm, from 0. Null, left out or empty: all in their order.');

export const jointsReadRequest = z
  .object(
    {
      unit,
      joints_ids: jointIds,
      source: z
        .enum(['sim', 'robot'])
        .prefault('robot')
        .describe('robot: as the encoders measure; sim: where the joints are asked to be.'),
    },
    asModel,
  )
  .register(components, { id: 'JointsReadRequest' });

export const jointsReadResponse = z
  .object({
    angles: z.array(z.number().nullable()).describe('Null for a joint that has not been measured yet.'),
    unit: z.enum(UNITS),
  })
  .register(components, { id: 'JointsReadResponse' });

export const jointsWriteRequest = z
  .object(
    {
      angles: z
        .array(number(), asList)
        .describe('One for each of joints_ids, or for the first joints of the arm; the others keep their goals.'),
      unit,
      joints_ids: jointIds,
    },
    asModel,
  )
  .register(components, { id: 'JointsWriteRequest' });

export const torqueReadResponse = z
  .object({ current_torque: z.array(z.number()).describe('Of each joint, Nm, estimated from its servo’s load.') })
  .register(components, { id: 'TorqueReadResponse' });

export const torqueControlRequest = z
  .object(
    {
      torque_status: boolean().describe('true: hold where it is. false: lower to the rest pose, then go limp.'),
      force: boolean().prefault(false).describe('Go limp at once, wherever the arm is: it drops.'),
    },
    asModel,
  )
  .register(components, { id: 'TorqueControlRequest' });

export const voltageReadResponse = z
  .object({ current_voltage: z.array(z.number()).nullable().describe('Of each servo, V; null where it is not known.') })
  .register(components, { id: 'VoltageReadResponse' });

export const temperatureReadResponse = z
  .object({
    current_max_Temperature: z
      .array(
        z.object({
          current: z.number().describe('Degrees Celsius.'),
          max: z.number().describe('Where the servo switches itself off.'),
        }),
      )
      .nullable()
      .describe('Of each servo; null where they are not known.'),
  })
  .register(components, { id: 'TemperatureReadResponse' });

export const temperatureWriteRequest = z
  .object(
    {
      maximum_temperature: z
        .array(integer({ min: 0 }), asList)
        .describe('Where each servo is to switch itself off, degrees Celsius; never above its maker’s maximum.'),
    },
    asModel,
  )
  .register(components, { id: 'TemperatureWriteRequest' });

const gain = z.number().describe('In counts of the servo’s register.');
export const robotConfigResponse = z
  .object({
    robot_id: z.int(),
    name: z.string(),
    config: z
      .object({
        name: z.string().describe('Model of the arm.'),
        servos_voltage: z.number().describe('Mean of the voltages that the servos measure, V.'),
        servos_offsets: z.array(z.number()).describe('Servo steps at joint angle 0.'),
        servos_calibration_position: z.array(z.number()).describe('Servo steps at the pose `init`.'),
        servos_offsets_signs: z.array(z.number()).describe('1 or -1: sense in which steps count.'),
        pid_gains: z.array(z.object({ p_gain: gain, i_gain: gain, d_gain: gain })).describe('Read from the servos.'),
        gripping_threshold: z.int().describe('Load at which the gripper counts as pressing, per mille of its output.'),
        non_gripping_threshold: z.int().describe('Load with which it then goes on holding.'),
      })
      .nullable()
      .describe('Null where the servos belong to another machine.'),
    gripper_joint_index: z.int().nullable(),
    servo_ids: z.array(z.int()),
    resolution: z.int().describe('Servo steps per turn.'),
  })
  .register(components, { id: 'RobotConfigResponse' });
export type RobotConfig = z.output<typeof robotConfigResponse>;
