import type { Outcome } from '../servo/bus-session.ts';
import type { ControlThread } from './control-thread.ts';
import { drive, extend, OVER } from './drive.ts';
import type { ArmController } from './joint/arm-controller.ts';
import type { Joints } from './joint/joint-groups.ts';
import type { Command, CommandResult } from './messages.ts';
import { Chunks } from './sources/chunks.ts';

const ELSEWHERE = 'its servos belong to another machine';

type Kind = Exclude<Command['kind'], 'add' | 'bench' | 'close'>;
type Of<K extends Kind> = Extract<Command, { kind: K }>;

/** Receives the result of a command, or why it is refused. */
export type Settle = (result: CommandResult | string) => void;

/** Handler of each command. Commands that need servo transactions or torque settle many cycles later. */
export const COMMANDS: { readonly [K in Kind]: (thread: ControlThread, command: Of<K>, settle: Settle) => void } = {
  connect: (thread, { arm }, settle) => {
    thread.arms[arm]!.controller.link.reopen();
    settle(done(thread, arm));
  },
  disconnect: (thread, { arm, reason }, settle) => {
    thread.arms[arm]!.controller.link.close(reason);
    settle(done(thread, arm));
  },
  torque: (thread, { arm, on, epoch, joints }, settle) => {
    const { controller } = thread.arms[arm]!;
    const refusal = torqueRefusal(thread, arm, on, epoch, joints);
    if (refusal !== '') {
      settle(refusal);
      return;
    }
    controller.setTorque(on, (problem) => settle(problem === '' ? done(thread, arm) : problem), joints);
  },
  gains: (thread, { arm, parts }, settle) => {
    const { controller } = thread.arms[arm]!;
    const { gains, up, reason } = controller.link;
    if (!up) {
      settle(reason);
      return;
    }
    if (gains === null) {
      settle(ELSEWHERE);
      return;
    }
    const plan = gains.plan(parts, controller.model.floatTorque);
    settle({ ...done(thread, arm), gains: { ...plan, restored: gains.restored } });
  },
  work_gains: (thread, { arm, parts }, settle) => {
    const { gains, up, reason } = thread.arms[arm]!.controller.link;
    if (!up) {
      settle(reason);
      return;
    }
    if (gains === null) {
      settle(ELSEWHERE);
      return;
    }
    gains.work(parts);
    settle(done(thread, arm));
  },
  recover: (thread, { arm, mark }, settle) => {
    // The torque drops for a moment, which no motion tolerates, so only a stopped arm is recovered; one that is stopped
    // again gets none.
    const { link } = thread.arms[arm]!.controller;
    const goesOn = (): boolean => thread.shared.stopLatched(arm) && thread.shared.stopMark(arm) === mark;
    const refusal = goesOn() ? link.recover(thread.clock.now(), goesOn) : '';
    settle(refusal === '' ? done(thread, arm) : refusal);
  },
  give_up: (thread, { arm }, settle) => {
    thread.arms[arm]!.controller.link.giveUp();
    settle(done(thread, arm));
  },
  cancel: (thread, { arm, what }, settle) => {
    thread.arms[arm]!.controller.cancel(what, 'cancelled');
    settle(done(thread, arm));
  },
  drive: (thread, command, settle) => settle(drive(thread, command)),
  extend: (thread, command, settle) => settle(extend(thread, command) ?? done(thread, command.arm)),
  chunk: (thread, { arm, motion, path }, settle) => {
    const source = thread.arms[arm]!.controller.motions.sourceOf(motion);
    settle(source instanceof Chunks ? (source.take(path) ?? done(thread, arm)) : OVER);
  },
  servos: (thread, { arm }, settle) =>
    talk(thread, arm, settle, (link, end) => link.servos((outcome) => end(outcome, (servos) => ({ servos })))),
  limit_temperatures: (thread, { arm, limits }, settle) =>
    talk(thread, arm, settle, (link, end) => link.limitTemperatures(limits, end)),
  calibrate: (thread, { arm, joints, calibrated }, settle) =>
    talk(thread, arm, settle, (link, end) =>
      link.calibrate(joints, (outcome) => {
        if (!('problem' in outcome)) thread.arms[arm]!.controller.calibrated = calibrated;
        end(outcome);
      }),
    ),
};

function done(thread: ControlThread, arm: number): CommandResult {
  return { motion: thread.arms[arm]!.controller.motion, duration: 0 };
}

function torqueRefusal(
  { arms, shared }: ControlThread,
  arm: number,
  on: boolean,
  epoch: number,
  joints: Joints,
): string {
  const { link } = arms[arm]!.controller;
  if (!link.up) return link.reason;
  if (on && shared.stopLatched(arm)) return 'it is stopped';
  // What was under way before a stop does not let the arm go either.
  if (shared.isOver(arm, epoch, joints)) return OVER;
  if (!on) return '';
  return link.torqueRefusal === '' ? '' : `no torque: ${link.torqueRefusal}`;
}

/** Carries out a command that needs transactions with single servos. */
function talk(
  thread: ControlThread,
  arm: number,
  settle: Settle,
  work: (
    link: ArmController['link'],
    end: <T>(outcome: Outcome<T>, result?: (value: T) => Partial<CommandResult>) => void,
  ) => void,
): void {
  const { link } = thread.arms[arm]!.controller;
  if (!link.up) {
    settle(link.reason);
    return;
  }
  work(link, (outcome, result) => {
    if ('problem' in outcome) settle(outcome.problem);
    else settle({ ...done(thread, arm), ...result?.(outcome.result) });
  });
}
