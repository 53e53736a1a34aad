import { expect, test } from 'vitest';
import { Actions, type Outcome } from '../../src/ros/action.ts';
import type { Rcl, RosNode } from '../../src/ros/rclnodejs.ts';
import { FakeArm } from './support/fakes.ts';

/** A goal as rclnodejs has it: it goes from state to state as rcl lets it, and throws otherwise. */
class Goal {
  state: 'executing' | 'canceling' | 'succeeded' | 'aborted' | 'canceled' = 'executing';
  readonly request = { toPlainObject: () => ({}) };
  get isActive(): boolean {
    return this.state === 'executing' || this.state === 'canceling';
  }
  get isCancelRequested(): boolean {
    return this.state === 'canceling';
  }
  cancel = () => this.#become('canceling', ['executing']);
  succeed = () => this.#become('succeeded', ['executing', 'canceling']);
  abort = () => this.#become('aborted', ['executing', 'canceling']);
  canceled = () => this.#become('canceled', ['canceling']);

  #become(next: Goal['state'], from: readonly Goal['state'][]): void {
    if (!from.includes(this.state)) throw new Error(`a goal that is ${this.state} cannot become ${next}`);
    this.state = next;
  }
}

const runs = (work: () => void) => work();
const AT_ONCE = { send: runs, handleGoalRequest: runs };

test('a goal that ends in the turn in which its cancellation comes is cancelled, and the cancellation answered', async () => {
  let run!: (goal: Goal) => Promise<object>;
  let mayCancel!: (goal: Goal) => number;
  class ActionServer {
    constructor(...parts: unknown[]) {
      run = parts[3] as typeof run;
      mayCancel = parts[6] as typeof mayCancel;
    }
  }
  const rcl = { ActionServer, GoalResponse: {}, CancelResponse: { ACCEPT: 2 } } as unknown as Rcl;
  const node = { getPublishersInfoByTopic: () => [] } as unknown as RosNode;
  const actions = new Actions(
    rcl,
    node,
    '/arm',
    new FakeArm(0, 'arm'),
    AT_ONCE,
    (error) => expect.unreachable(String(error)),
    {
      warn: (text: string) => expect.unreachable(text),
    },
  );
  let end!: (outcome: Outcome) => void;
  actions.offer('some/action/Type', 'some_action', {
    execute: () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  });
  const goal = new Goal();
  const result = run(goal);
  end({ state: 'succeeded', result: { error_code: 0 } });
  // As rclnodejs does, which waits for the callback, whatever it returns.
  const answered = (async () => {
    const answer = await mayCancel(goal);
    goal.cancel();
    return answer;
  })();
  expect(await answered).toBe(2);
  expect(await result).toEqual({ error_code: 0 });
  expect(goal.state).toBe('canceled');
});

test('an action whose type this ROS 2 lacks is left out with a warning, and the others are there', () => {
  const made: string[] = [];
  const lacking = 'control_msgs/action/ParallelGripperCommand';
  class ActionServer {
    constructor(_node: unknown, type: string) {
      const [packageName, kind, messageName] = type.split('/');
      // As rclnodejs does.
      if (type === lacking) {
        throw Object.assign(new Error('The message required does not exist'), {
          code: 'MESSAGE_NOT_FOUND',
          details: { packageName, type: kind, messageName },
        });
      }
      if (type === 'some/action/Broken') throw new Error('out of memory');
      made.push(type);
    }
  }
  const rcl = { ActionServer, GoalResponse: {}, CancelResponse: {} } as unknown as Rcl;
  const warnings: string[] = [];
  const log = { warn: (text: string) => warnings.push(text) };
  const actions = new Actions(rcl, {} as RosNode, '/arm', new FakeArm(0, 'arm'), AT_ONCE, () => {}, log as never);
  const execute = async (): Promise<Outcome> => ({ state: 'succeeded', result: {} });
  actions.offer(lacking, 'gripper_controller/gripper_cmd', { execute });
  actions.offer('control_msgs/action/GripperCommand', 'gripper_action_controller/gripper_cmd', { execute });
  expect(made).toEqual(['control_msgs/action/GripperCommand']);
  expect(warnings).toEqual([
    'The action /arm/gripper_controller/gripper_cmd is left out, since this ROS 2 has no ' +
      'control_msgs/action/ParallelGripperCommand: update its package ros-$ROS_DISTRO-control-msgs and restart the bridge',
  ]);
  expect(() => actions.offer('some/action/Broken', 'broken', { execute })).toThrow('out of memory');
});
