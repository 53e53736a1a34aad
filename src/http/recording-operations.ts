import './recording-schemas.ts';
import { CONFLICT, type Operations, ROBOT_ID, STATUS_ANSWER, TAKE_OVER } from './operation.ts';

/** Operations on recordings of joints. */
export const RECORDING_OPERATIONS: Operations = {
  '/recording/start': {
    post: {
      id: 'recording_start',
      tag: 'control',
      summary: 'Record the joints of an arm',
      description: 'As measured, whoever drives it or leads it by hand. Further fields: `name`, `path`.',
      parameters: [ROBOT_ID],
      body: { name: 'RecordingStartRequest', required: false },
      answer: STATUS_ANSWER,
      refusals: {
        400: 'The arm is unknown, disconnected or recorded already, the name is taken, or the folder full.',
      },
    },
  },
  '/recording/stop': {
    post: {
      id: 'recording_stop',
      tag: 'control',
      summary: 'End a recording',
      description: 'Further fields: `name`, `path`, `samples`, `duration` (s).',
      parameters: [ROBOT_ID],
      answer: STATUS_ANSWER,
      refusals: { 400: 'The arm is unknown.' },
    },
  },
  '/recording/play': {
    post: {
      id: 'recording_play',
      tag: 'control',
      summary: 'Replay a recording',
      description: 'Goes to its first pose by a checked move, then replays it. Further field: `duration` (s).',
      parameters: [ROBOT_ID, TAKE_OVER],
      body: { name: 'RecordingPlayRequest', required: true },
      answer: STATUS_ANSWER,
      refusals: { 400: 'The arm is unknown or disconnected, or cannot replay this.', 409: CONFLICT },
    },
  },
};
