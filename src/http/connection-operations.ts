import './connection-schemas.ts';
import { CONFLICT, type Operations, ROBOT_ID, STATUS_ANSWER, TAKE_OVER } from './operation.ts';

/** Operations that connect and disconnect arms. */
export const CONNECTION_OPERATIONS: Operations = {
  '/robot/add-connection': {
    post: {
      id: 'add_connection',
      tag: 'control',
      summary: 'Connect an arm',
      description:
        'One that has been disconnected, or one that is added: on a port that /local/scan-devices shows, or simulated ' +
        'where the configuration has simulated arms. Torque stays as it is. Answers once the arm does.',
      body: { name: 'RobotConnectionRequest', required: true },
      answer: { name: 'RobotConnectionResponse', description: 'The arm answers.' },
      refusals: { 400: 'There is no such arm, model or device, or the arm does not answer within 5 s.' },
    },
  },
  '/robot/disconnect': {
    post: {
      id: 'disconnect_robot',
      tag: 'control',
      summary: 'Disconnect an arm',
      description:
        'It is lowered and its torque switched off, then its bus is let go of. Mirroring with it ends. Its id stays its ' +
        'own.',
      parameters: [ROBOT_ID, TAKE_OVER],
      answer: STATUS_ANSWER,
      refusals: { 400: 'The arm is unknown.', 409: CONFLICT },
    },
  },
};
