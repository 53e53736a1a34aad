/**
 * Reads long goals of actions in slices. rclnodejs 2.2.0 makes an object of a whole goal at once, which takes 80 us per
 * point of a trajectory: 40 ms of the main thread for 500 points. Subscriptions can take bytes instead; actions cannot.
 */
import type { Clock } from '../clock.ts';
import type { ActionType, Rcl } from './rclnodejs.ts';

/** Points of a goal that are read or released without a pause: 1 ms. */
const SLICE = 12;

/** A sequence of structs in the memory of ROS. */
interface RawSequence {
  size: number;
  readonly data: { length: number; readonly [index: number]: object };
}

/** A goal request in the memory of ROS. */
interface RawRequest {
  readonly goal: { readonly trajectory: { readonly points: RawSequence } };
}

/** A goal request of FollowJointTrajectory as rclnodejs reads it. */
interface GoalRequest {
  readonly refObject: object;
  readonly goal_id: object;
  readonly goal: { toPlainObject(typedArrays: boolean): { trajectory: { points: object[] } } };
  deserialize(raw: object): void;
}

interface GoalRequestClass {
  new (): GoalRequest;
  /** Releases what ROS has allocated for a request. */
  destroyRawROS(message: Pick<GoalRequest, 'refObject'>): void;
}

/** A point as rclnodejs reads it. */
interface PointClass {
  new (): { copyRefObject(raw: object): void; toPlainObject(typedArrays: boolean): object };
  freeStruct(raw: object): void;
}

/** A goal request that has been taken from ROS, but not read yet. */
export interface TakenRequest {
  /** Reads it, with pauses, and releases its memory. */
  read(): Promise<Pick<GoalRequest, 'goal_id' | 'goal'>>;
}

export function isTaken(request: object): request is TakenRequest {
  return 'read' in request;
}

/**
 * The type of an action whose goal requests are `TakenRequest`s; the type itself if its goals are short.
 * @param name `control_msgs/action/FollowJointTrajectory` has long goals
 */
export function inSlices(rcl: Pick<Rcl, 'require'>, clock: Clock, name: string, type: ActionType): ActionType {
  if (name !== 'control_msgs/action/FollowJointTrajectory') return type;
  const { impl } = type;
  const { Request, Response } = impl.SendGoalService;
  const point = rcl.require('trajectory_msgs/msg/JointTrajectoryPoint') as PointClass;
  const send = { Request: takenClass(Request as GoalRequestClass, point, clock), Response };
  return Object.create(type, {
    impl: { value: Object.create(impl, { SendGoalService: { value: send } }) },
  }) as ActionType;
}

function takenClass(Request: GoalRequestClass, Point: PointClass, clock: Clock): GoalRequestClass {
  const pause = (): Promise<void> => new Promise((resolve) => clock.soon(resolve));
  /** Requests that have been taken and wait to be read, by their memory. */
  const taken = new WeakMap<object, Taken>();

  class Taken extends Request implements TakenRequest {
    /** The message that ROS has written to, whose memory must stay. */
    #message: GoalRequest | null = null;

    /** Called by rclnodejs with the message that ROS has written to, before that is released. */
    override deserialize(raw: object): void {
      taken.set(raw, this);
    }

    /** Called by rclnodejs after each attempt to take a request. */
    static override destroyRawROS(message: GoalRequest): void {
      const request = taken.get(message.refObject);
      if (request === undefined) Request.destroyRawROS(message);
      else request.#message = message;
    }

    async read(): Promise<Pick<GoalRequest, 'goal_id' | 'goal'>> {
      const message = this.#message!;
      this.#message = null;
      const raw = message.refObject as RawRequest;
      const { points } = raw.goal.trajectory;
      const count = points.size;
      const { data } = points;
      data.length = count;
      const read: object[] = [];
      for (let k = 0; k < count; k++) {
        const point = new Point();
        point.copyRefObject(data[k]!);
        read.push(point.toPlainObject(true));
        if (k % SLICE === SLICE - 1) await pause();
      }
      // The rest is short, and is read as rclnodejs does.
      points.size = 0;
      const request = new Request();
      request.deserialize(raw);
      const plain = request.goal.toPlainObject(true);
      plain.trajectory.points = read;
      await pause();
      // The first point is released last, with the sequence.
      for (let k = 1; k < count; k++) {
        Point.freeStruct(data[k]!);
        if (k % SLICE === SLICE - 1) await pause();
      }
      points.size = Math.min(count, 1);
      Request.destroyRawROS(message);
      return { goal_id: request.goal_id, goal: { toPlainObject: () => plain } };
    }
  }
  return Taken;
}
