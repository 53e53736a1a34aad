import { z } from 'zod';
import type { Caller } from '../../arm/types.ts';
import type { CalibrationAnswer } from '../../calibration/calibrating.ts';
import { LONGEST_NAME, MOST_JOINTS } from '../../sizes.ts';
import { HttpProblem } from '../errors.ts';
import { components, queryList, word } from '../fields.ts';
import { CONFLICT, NO_ARM, route, takeOver } from '../route.ts';
import { failedRequest, ok, statusAnswer } from '../schemas.ts';

const steps = {
  calibration_status: z.enum(['error', 'success', 'in_progress']),
  request_id: failedRequest,
  message: z.string().describe('What has been done, and what to do before the next call.'),
  current_step: z.int().describe('1 to total_nb_steps; 0 before the first.'),
  total_nb_steps: z.int(),
};

const calibrateResponse = z.object(steps).register(components, { id: 'CalibrateResponse' });

const angle = (description: string) => z.number().nullable().describe(description);

const calibrationState = z
  .object({
    ...steps,
    joints: z
      .array(
        z
          .object({
            name: z.string(),
            position: angle('From the middle pose, rad; null before the first sample.'),
            least: angle('Least position so far, rad.'),
            most: angle('Largest position so far, rad.'),
            range: z.number().describe('Range that the data of the arm give, rad.'),
            done: z.boolean().describe('It has been led to both of its ends, or need not be.'),
          })
          .register(components, { id: 'SweptJoint' }),
      )
      .max(MOST_JOINTS),
  })
  .register(components, { id: 'CalibrationState' });

function answerOf({ status, message, step, steps: total }: CalibrationAnswer): z.input<typeof calibrateResponse> {
  return { calibration_status: status, message, current_step: step, total_nb_steps: total };
}

/** Null for a non-finite number, which JSON cannot represent. */
function known(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

const example = {
  calibration_status: 'in_progress' as const,
  message: 'The middle pose is known. Lead every joint to both of its ends, then call again.',
  current_step: 1,
  total_nb_steps: 5,
};

export const calibrationRoutes = [
  route({
    method: 'POST',
    path: '/calibrate',
    access: 'control',
    act: 'calibration',
    id: 'calibrate',
    tag: 'control',
    summary: 'Calibrate an arm, a step at each call',
    description:
      'Each call carries out the present step, if what it needs has been done, and answers what to do before the next one. ' +
      'The servos get their offsets after the third call; before they are kept every joint moves a little, to be looked at.',
    target: 'one',
    query: {
      take_over: takeOver,
      reversed: queryList(word(LONGEST_NAME), { max: MOST_JOINTS })
        .optional()
        .describe('At the last step: joints that went the other way than was said, separated by commas.'),
    },
    answer: {
      description: 'What has been done, and what is to be done next.',
      schema: calibrateResponse,
      example,
    },
    refusals: { 400: 'The arm is unknown or disconnected, or cannot be calibrated.', 409: CONFLICT },
    // Clients of that dialect expect refusals of this route in its own fields.
    conflict: (message) => answerOf({ status: 'error', message, step: 0, steps: 0 }),
    handler: async ({ services, callers }, { arm, query }, reply) => {
      const reversed = (query.reversed ?? []).filter((name) => name !== '');
      const next = (caller: Caller) => services.calibration.next(arm, caller, reversed);
      return answerOf(await callers.run(reply, query, next));
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/arms/{name}/calibration',
    access: 'read',
    id: 'calibration',
    tag: 'arms',
    summary: 'See how far a calibration is',
    description: 'Its step, and of each joint what it has been led over. Once it is over, 404 tells how it has ended.',
    target: 'named',
    answer: {
      description: 'Of the calibration that is under way.',
      schema: calibrationState,
      example: {
        ...example,
        current_step: 2,
        joints: [{ name: 'shoulder_pan', position: 0.2, least: -1.9, most: 1.1, range: 3.8, done: false }],
      },
    },
    refusals: { 404: 'There is no arm of this name, or it is not being calibrated.' },
    handler: ({ services }, { arm }) => {
      const view = services.calibration.view(arm);
      if (view === null) {
        const last = services.calibration.lastEnd(arm);
        const why = last === null ? ': POST /calibrate begins it.' : `: ${last}. POST /calibrate begins another.`;
        throw new HttpProblem(404, `Arm ${arm.name} is not being calibrated${why}`);
      }
      return {
        ...answerOf(view),
        joints: view.joints.map(({ position, least, most, ...rest }) => ({
          ...rest,
          position: known(position),
          least: known(least),
          most: known(most),
        })),
      };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/arms/{name}/calibration',
    access: 'control',
    act: 'calibration',
    id: 'calibration_cancel',
    tag: 'arms',
    summary: 'End a calibration without keeping it',
    description: 'An arm that holds goes limp within 2 s: take hold of it first. Its servos get back what they had.',
    target: 'named',
    answer: statusAnswer('The calibration of follower has ended; its servos have what they had before'),
    refusals: { 400: 'The arm is disconnected.', 404: NO_ARM, 409: CONFLICT },
    handler: async ({ services, callers }, { arm }, reply) => {
      const ended = await callers.run(reply, {}, (caller) => services.calibration.cancel(arm, caller));
      const message = ended
        ? `The calibration of ${arm.name} has ended; its servos have what they had before`
        : `${arm.name} was not being calibrated`;
      return ok(message);
    },
  }),
];
