import './calibration-schemas.ts';
import { ARM_NAME, CONFLICT, NO_ARM, type Operations, ROBOT_ID, STATUS_ANSWER, TAKE_OVER } from './operation.ts';

/** Operations that calibrate arms. */
export const CALIBRATION_OPERATIONS: Operations = {
  '/calibrate': {
    post: {
      id: 'calibrate',
      tag: 'control',
      summary: 'Calibrate an arm, a step at each call',
      description:
        'Each call carries out the present step, if what it needs has been done, and answers what to do before the next one. ' +
        'The servos get their offsets after the third call; before they are kept every joint moves a little, to be looked at.',
      parameters: [
        ROBOT_ID,
        TAKE_OVER,
        {
          name: 'reversed',
          in: 'query',
          required: false,
          description: 'At the last step: joints that went the other way than was said, separated by commas.',
          schema: { type: 'string' },
        },
      ],
      answer: { name: 'CalibrateResponse', description: 'What has been done, and what is to be done next.' },
      refusals: { 400: 'The arm is unknown or disconnected, or cannot be calibrated.', 409: CONFLICT },
    },
  },
  '/api/v1/arms/{name}/calibration': {
    get: {
      id: 'calibration',
      tag: 'arms',
      summary: 'See how far a calibration is, with the ranges of the joints',
      parameters: [ARM_NAME],
      answer: { name: 'CalibrationState', description: 'Of the calibration that is under way.' },
      refusals: { 404: 'There is no arm of this name, or it is not being calibrated.' },
    },
    delete: {
      id: 'calibration_cancel',
      tag: 'arms',
      summary: 'End a calibration without keeping it',
      description: 'An arm that holds goes limp within 2 s: take hold of it first. Its servos get back what they had.',
      parameters: [ARM_NAME],
      answer: STATUS_ANSWER,
      refusals: { 400: 'The arm is disconnected.', 404: NO_ARM, 409: CONFLICT },
    },
  },
};
