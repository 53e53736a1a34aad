import type { Arm, Caller } from '../arm/types.ts';
import type { MoveService } from '../motion/move-service.ts';
import { type AbsoluteMove, type MoveOutcome, PATHS, type RelativeMove } from '../motion/moves.ts';
import { toolIn } from '../motion/tool.ts';
import type { Actions, GoalRun, Outcome } from './action.ts';
import { type Fault, faultOf, NO_FAULT } from './errors.ts';
import type { ArmNames } from './names.ts';
import { stampOf } from './time.ts';

/** Goal of MoveAbsolute and MoveRelative: an empty sequence leaves its quantity open. */
interface MoveGoal {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly z: ArrayLike<number>;
  readonly pitch: ArrayLike<number>;
  readonly yaw: ArrayLike<number>;
  readonly roll: ArrayLike<number>;
  readonly opening: ArrayLike<number>;
  readonly path: string;
  readonly max_trials: number;
  readonly position_tolerance: number;
  readonly orientation_tolerance: number;
  readonly take_over: boolean;
}

/** Actions `~/move_absolute` and `~/move_relative`: the moves of the HTTP interface, in SI units. */
export function offerMoves(actions: Actions, arm: Arm, names: ArmNames, motion: MoveService, node: string): void {
  const frame = names.frame(arm.model.baseLink);
  const offer = (
    type: string,
    name: string,
    move: (request: AbsoluteMove & RelativeMove, caller: Caller) => Promise<MoveOutcome>,
  ): void => {
    const execute = async (run: GoalRun<MoveGoal>): Promise<Outcome> => {
      const request = moveOf(run.goal);
      if (typeof request === 'string') return ended(null, { code: 'bad_request', message: request });
      followTool(run, arm, frame, motion);
      const { client: owner, origin, signal } = run;
      const caller = { owner, takeOver: run.goal.take_over, signal, origin };
      try {
        const outcome = await move(request, caller);
        if (outcome.ok || !run.signal.aborted) return ended(outcome, NO_FAULT);
        return ended({ ...outcome, message: 'The move was cancelled; the arm holds where it is.' }, NO_FAULT);
      } catch (error) {
        return ended(null, faultOf(error, node));
      }
    };
    // Every goal is accepted: the result says why it failed.
    actions.offer<MoveGoal>(type, name, { execute });
  };
  offer('arm_bridge/action/MoveAbsolute', '~/move_absolute', (move, caller) => motion.moveAbsolute(arm, move, caller));
  offer('arm_bridge/action/MoveRelative', '~/move_relative', (move, caller) => motion.moveRelative(arm, move, caller));
}

/** @returns the move, or the fault of the goal */
function moveOf(goal: MoveGoal): (AbsoluteMove & RelativeMove) | string {
  const named = { x: goal.x, y: goal.y, z: goal.z, pitch: goal.pitch, yaw: goal.yaw, roll: goal.roll };
  const asked = Object.entries({ ...named, open: goal.opening }).filter(([, values]) => values.length > 0);
  const wrong = asked.find(([, values]) => !Number.isFinite(values[0]!));
  if (wrong !== undefined) return `${wrong[0]} is ${wrong[1][0]}: a finite number is needed, or none.`;
  const opening = goal.opening[0] ?? 0;
  if (opening < 0 || opening > 1) return `opening is ${opening}: from 0, closed, to 1, open.`;
  if (goal.max_trials < 1) return 'max_trials is 0: at least 1 is needed.';
  const path = PATHS.find((known) => known === (goal.path || 'joint'));
  if (path === undefined) return `path is ${JSON.stringify(goal.path)}: ${PATHS.join(' or ')} is needed.`;
  for (const tolerance of ['position_tolerance', 'orientation_tolerance'] as const) {
    if (!(goal[tolerance] >= 0)) return `${tolerance} is ${goal[tolerance]}: 0 or more is needed.`;
  }
  return {
    ...Object.fromEntries(asked.map(([name, values]) => [name, values[0]!])),
    path,
    maxTrials: goal.max_trials,
    positionTolerance: goal.position_tolerance,
    orientationTolerance: goal.orientation_tolerance,
  };
}

/** Sends the measured tool pose as feedback, from the newest sample. */
function followTool(run: GoalRun<MoveGoal>, arm: Arm, frame_id: string, motion: MoveService): void {
  if (!arm.initialised) return;
  run.tell(() => {
    const { sampleTime, positions } = arm.read();
    const opening = arm.gripperOpening(positions) ?? Number.NaN;
    const tool = toolIn(motion.zero(arm), arm.toolPose(positions));
    return { header: { stamp: stampOf(sampleTime), frame_id }, ...tool, opening };
  });
}

function ended(outcome: MoveOutcome | null, { code, message }: Fault): Outcome {
  const success = outcome?.ok ?? false;
  return {
    state: success ? 'succeeded' : 'aborted',
    result: {
      success,
      code,
      message: outcome?.message ?? message,
      position_error: outcome?.positionError ?? Number.NaN,
      orientation_error: outcome?.orientationError ?? Number.NaN,
      trials: outcome?.trials ?? 0,
      duration: outcome?.duration ?? 0,
    },
  };
}
