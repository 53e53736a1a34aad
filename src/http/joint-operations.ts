import './joint-schemas.ts';
import { CONFLICT, type Operations, ROBOT_ID, ROBOT_ID_OR_ALL, STATUS_ANSWER, TAKE_OVER } from './operation.ts';

const NOT_THERE = 'The arm is unknown or disconnected.';

/** Operations on single joints and servos. */
export const JOINT_OPERATIONS: Operations = {
  '/joints/read': {
    post: {
      id: 'joints_read',
      tag: 'control',
      summary: 'Read joints',
      parameters: [ROBOT_ID],
      body: { name: 'JointsReadRequest', required: false },
      answer: { name: 'JointsReadResponse', description: 'In the unit that was asked for.' },
      refusals: { 400: 'The arm is unknown or disconnected, or has no such joint.' },
    },
  },
  '/joints/write': {
    post: {
      id: 'joints_write',
      tag: 'control',
      summary: 'Move joints',
      description: 'Answers once the goal is accepted, not when it is reached. The newest goal wins.',
      parameters: [ROBOT_ID, TAKE_OVER],
      body: { name: 'JointsWriteRequest', required: true },
      answer: STATUS_ANSWER,
      refusals: {
        400: 'The arm is unknown or disconnected, has no such joint, or cannot go there.',
        409: CONFLICT,
      },
    },
  },
  '/torque/read': {
    post: {
      id: 'torque_read',
      tag: 'control',
      summary: 'Read torques',
      parameters: [ROBOT_ID],
      answer: { name: 'TorqueReadResponse', description: 'Of each joint.' },
      refusals: { 400: NOT_THERE },
    },
  },
  '/torque/toggle': {
    post: {
      id: 'torque_toggle',
      tag: 'control',
      summary: 'Switch torque on or off',
      description: 'On: the arm holds where it is. Off: it is lowered first, unless `force` is true.',
      parameters: [ROBOT_ID_OR_ALL, TAKE_OVER],
      body: { name: 'TorqueControlRequest', required: true },
      answer: STATUS_ANSWER,
      refusals: { 400: NOT_THERE, 409: CONFLICT },
    },
  },
  '/voltage/read': {
    post: {
      id: 'voltage_read',
      tag: 'control',
      summary: 'Read voltages',
      parameters: [ROBOT_ID],
      answer: { name: 'VoltageReadResponse', description: 'Of each servo.' },
      refusals: { 400: NOT_THERE },
    },
  },
  '/temperature/read': {
    post: {
      id: 'temperature_read',
      tag: 'control',
      summary: 'Read temperatures',
      parameters: [ROBOT_ID],
      answer: { name: 'TemperatureReadResponse', description: 'Of each servo, with its own limit.' },
      refusals: { 400: NOT_THERE },
    },
  },
  '/temperature/write': {
    post: {
      id: 'temperature_write',
      tag: 'control',
      summary: 'Limit temperatures',
      description: 'Written to the servos, which keep it: where each of them switches itself off.',
      parameters: [ROBOT_ID, TAKE_OVER],
      body: { name: 'TemperatureWriteRequest', required: true },
      answer: STATUS_ANSWER,
      refusals: { 400: 'The arm is unknown or disconnected, or a servo cannot have such a limit.', 409: CONFLICT },
    },
  },
  '/robot/config': {
    post: {
      id: 'robot_config',
      tag: 'control',
      summary: 'Read the configuration of an arm',
      parameters: [ROBOT_ID],
      answer: { name: 'RobotConfigResponse', description: 'From the arm’s data and from the registers of its servos.' },
      refusals: { 400: NOT_THERE },
    },
  },
};
