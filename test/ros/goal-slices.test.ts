import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { inSlices, isTaken, type TakenRequest } from '../../src/ros/goal-slices.ts';
import type { ActionType } from '../../src/ros/rclnodejs.ts';

const FOLLOW = 'control_msgs/action/FollowJointTrajectory';
/** Points in a row that keep the main thread for 5 ms on a slow computer: 80 us each, times four. */
const MOST = 15;

/** What has been read and released since the last turn of the event loop, the most of any turn, and of each point in all. */
let now = 0;
let most = 0;
let read: number[];
let freed: number[];
let destroyed: number[];
beforeEach(() => {
  [now, most, read, freed, destroyed] = [0, 0, [], [], []];
});

function worked(): void {
  now++;
  most = Math.max(most, now);
  if (now === 1) setImmediate(() => (now = 0));
}

interface RawPoint {
  readonly k: number;
}

/** What rclnodejs generates, as far as it is used: every point costs. */
class Point {
  #k = 0;
  copyRefObject({ k }: RawPoint): void {
    worked();
    read.push(k);
    this.#k = k;
  }
  toPlainObject(): object {
    return { k: this.#k };
  }
  static freeStruct({ k }: RawPoint): void {
    worked();
    freed.push(k);
  }
}

interface Raw {
  readonly id: number;
  readonly goal: { readonly trajectory: { readonly points: { size: number; data: RawPoint[] } } };
}

class Request {
  refObject: Raw = { id: 0, goal: { trajectory: { points: { size: 0, data: [] } } } };
  goal_id = 0;
  #points: object[] = [];
  get goal() {
    return { toPlainObject: () => ({ trajectory: { points: this.#points, names: ['pan'] } }) };
  }
  deserialize(raw: Raw): void {
    this.goal_id = raw.id;
    const { size, data } = raw.goal.trajectory.points;
    this.#points = data.slice(0, size).map((point) => {
      const made = new Point();
      made.copyRefObject(point);
      return made.toPlainObject();
    });
  }
  static destroyRawROS({ refObject: { id, goal } }: Request): void {
    const { size, data } = goal.trajectory.points;
    for (const point of data.slice(0, size)) Point.freeStruct(point);
    destroyed.push(id);
  }
}

class Response {}
const TYPE = { impl: { SendGoalService: { Request, Response } } } as unknown as ActionType;
const rcl = { require: () => Point };

/** What rclnodejs does with a request of so many points. @param taken ROS had one */
function take(type: ActionType, id: number, points: number, taken = true): Request | TakenRequest {
  const Type = type.impl.SendGoalService.Request as typeof Request;
  const message = new Type();
  message.refObject = {
    id,
    goal: { trajectory: { points: { size: points, data: Array.from({ length: points }, (_, k) => ({ k })) } } },
  };
  const result = new Type();
  if (taken) result.deserialize(message.refObject);
  Type.destroyRawROS(message);
  return result;
}

test('a long goal is read and released in slices, and each point once', async () => {
  const request = take(inSlices(rcl, systemClock, FOLLOW, TYPE), 7, 500);
  expect([read, freed, destroyed]).toEqual([[], [], []]);
  if (!isTaken(request)) throw new Error('read at once');
  const { goal_id, goal } = await request.read();
  const all = Array.from({ length: 500 }, (_, k) => k);
  expect(goal_id).toBe(7);
  expect(goal.toPlainObject(true)).toEqual({ trajectory: { points: all.map((k) => ({ k })), names: ['pan'] } });
  expect(read).toEqual(all);
  expect(freed.toSorted((a, b) => a - b)).toEqual(all);
  expect(destroyed).toEqual([7]);
  expect(most).toBeLessThanOrEqual(MOST);
});

test('a goal without points is read, and what ROS did not have is released at once', async () => {
  const type = inSlices(rcl, systemClock, FOLLOW, TYPE);
  take(type, 1, 0, false);
  expect(destroyed).toEqual([1]);
  const { goal } = await (take(type, 2, 0) as TakenRequest).read();
  expect(goal.toPlainObject(true).trajectory.points).toEqual([]);
  expect(destroyed).toEqual([1, 2]);
});

test('the other classes of an action, and actions with short goals, stay as they are', () => {
  const other = inSlices(rcl, systemClock, 'control_msgs/action/ParallelGripperCommand', TYPE);
  expect(other).toBe(TYPE);
  expect(inSlices(rcl, systemClock, FOLLOW, TYPE).impl.SendGoalService.Response).toBe(Response);
});
