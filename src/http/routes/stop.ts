import { z } from 'zod';
import { type Arm, BridgeError, type Origin } from '../../arm/types.ts';
import type { Clock, Timer } from '../../clock.ts';
import { originOf } from '../callers.ts';
import { components } from '../fields.ts';
import { route, UNKNOWN_ARM } from '../route.ts';
import { ok, outcome } from '../schemas.ts';
import { stopAnswer } from '../stop-answer.ts';

/** Longest wait for the control loop to confirm, s: an unconfirmed stop must be reported as such. */
const CONFIRMATION = 1;

const stopResponse = z
  .object({ ...outcome, robots: z.array(z.int()).describe('Ids of the arms for which it is done.') })
  .register(components, { id: 'StopResponse' });
type StopResponse = z.input<typeof stopResponse>;

async function confirmed(work: Promise<void>, clock: Clock): Promise<string | null> {
  let timer: Timer | undefined;
  const limit = new Promise<string>((resolve) => {
    timer = clock.after(CONFIRMATION, () => resolve(`no confirmation within ${CONFIRMATION} s`));
  });
  const end = work.then(
    () => null,
    (error: unknown) => (error instanceof BridgeError ? error.message : 'internal error, see the log'),
  );
  try {
    return await Promise.race([end, limit]);
  } finally {
    timer?.cancel();
  }
}

async function forEach(
  arms: readonly Arm[],
  clock: Clock,
  done: string,
  nothing: string,
  act: (arm: Arm) => Promise<void>,
): Promise<StopResponse> {
  return stopAnswer(arms, done, nothing, await Promise.all(arms.map((arm) => confirmed(act(arm), clock))));
}

/** Stops these arms, latched. @param how wording for the log and the arms' reasons */
export function stopArms(arms: readonly Arm[], how: string, origin: Origin, clock: Clock): Promise<StopResponse> {
  return forEach(arms, clock, 'Stopped', 'There is no arm.', (arm) =>
    arm.stopAtRest(`${how} by ${origin.who}`, origin),
  );
}

/** The routes of stop and reset under a root: they exist under /api/v1 too. */
const below = (root: string, id: string, tag: 'control' | 'arms', as: string) => [
  route({
    method: 'POST',
    path: `${root}/stop`,
    access: 'stop',
    act: 'stop',
    id: `${id}stop`,
    tag,
    summary: 'Stop and hold',
    description: `${as}Latched: the arms decelerate, hold, and refuse every motion until ${root}/stop/reset.`,
    target: 'each',
    answer: {
      description:
        'The joints of the arms rest, or `status: "error"` with a message that says of which arms that was not confirmed: use ' +
        'the power switch then.',
      schema: stopResponse,
      example: { ...ok('Stopped: leader (robot 0), follower (robot 1).'), robots: [0, 1] },
    },
    refusals: { 400: UNKNOWN_ARM },
    handler: ({ services }, { arms, request }) => stopArms(arms, 'POST /stop', originOf(request), services.clock),
  }),
  route({
    method: 'POST',
    path: `${root}/stop/reset`,
    access: 'control',
    act: 'reset',
    id: `${id}stop_reset`,
    tag,
    summary: 'Leave the stop',
    description: `${as}The arms hold and belong to nobody; nothing moves by itself.`,
    target: 'each',
    answer: {
      description: 'Done, or `status: "error"` with a message that says for which arms it was not confirmed.',
      schema: stopResponse,
      example: { ...ok('Reset: follower (robot 1).'), robots: [1] },
    },
    refusals: { 400: UNKNOWN_ARM },
    handler: ({ services }, { arms, request }) => {
      // Skip arms that are not stopped: a reset would take them from their owners.
      const stopped = arms.filter((arm) => arm.latched);
      return forEach(stopped, services.clock, 'Reset', 'No arm was stopped.', (arm) => arm.reset(originOf(request)));
    },
  }),
];

export const stopRoutes = [
  ...below('', '', 'control', ''),
  ...below('/api/v1', 'api_', 'arms', 'The same as without /api/v1. '),
];
