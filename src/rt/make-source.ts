import type { ControlledArm, ControlThread } from './control-thread.ts';
import type { Group } from './joint/joint-groups.ts';
import type { SourceSpec } from './messages.ts';
import { Chunks } from './sources/chunks.ts';
import { Feedback } from './sources/feedback.ts';
import { Float } from './sources/float.ts';
import { Follow, PLAIN, type Sampler, STALE } from './sources/follow.ts';
import { Jog } from './sources/jog.ts';
import { mapPositions } from './sources/joint-map.ts';
import type { DriveModel } from './sources/lead.ts';
import type { SetpointSource } from './sources/setpoint-source.ts';
import { Trajectory } from './sources/trajectory.ts';
import { Waypoints } from './sources/waypoints.ts';

/** Lead model of an arm. A remote arm's goals are sent unsmoothed: smoothing in both bridges would delay them twice. */
function driveModel({ setup, controller }: ControlledArm): DriveModel {
  const { joints } = setup;
  const over = (pick: (joint: (typeof joints)[number]) => number): Float64Array =>
    Float64Array.from(joints, (joint, i) => pick(joint) / (joint.stiffness * controller.link.gain[i]!));
  return {
    damping: over((joint) => joint.damping),
    inertia: over((joint) => joint.inertia),
    friction: over((joint) => joint.friction),
    smooth: !controller.link.remote,
  };
}

/** Largest speeds for moves (rad/s), and accelerations for gaining speed (rad/s^2). */
export interface Pace {
  readonly top: Float64Array;
  readonly gaining: Float64Array;
}

/** Makes the setpoint source for a command, connected to its arm and, when it mirrors, to its leader. */
export function makeSource(
  thread: ControlThread,
  arm: ControlledArm,
  spec: SourceSpec,
  { stream, jog }: ControlledArm['inputs'][Group],
  { top, gaining }: Pace,
): SetpointSource {
  const { arms, clock } = thread;
  const now = (): number => clock.now();
  const { gate, model } = arm.controller;
  switch (spec.kind) {
    case 'trajectory': {
      const { speed } = spec;
      const velocity = speed === null ? top : top.map((most) => Math.min(most, speed));
      const jerk = Float64Array.from(arm.setup.joints, ({ moveJerk }) => moveJerk ?? Number.POSITIVE_INFINITY);
      return new Trajectory(spec.goal, { velocity, acceleration: gaining, jerk });
    }
    case 'mirror': {
      const leader = arms[spec.leader]!.controller;
      const { link } = leader;
      const { maps } = spec;
      const sampler: Sampler = {
        get sampleTime() {
          return link.up ? link.readings.sampleTime : 0;
        },
        sample(out) {
          mapPositions(maps, link.readings.positions, out);
        },
        get doubtful() {
          return leader.doubtful;
        },
      };
      const follow = new Follow(sampler, driveModel(arm), 'mirroring', now, spec.options, STALE, gate);
      arm.feel.begin(leader, spec.leader, maps, follow, spec.feedback);
      return follow;
    }
    case 'stream':
      stream.restart();
      return new Follow(
        stream,
        driveModel(arm),
        'moving',
        now,
        { ...PLAIN, reapproach: spec.reapproach ?? false },
        spec.timeout,
      );
    case 'waypoints':
      return new Waypoints(spec, top);
    case 'chunks': {
      const chunks = new Chunks({ velocity: top, acceleration: gaining }, now);
      // Its faults have been refused before.
      chunks.take(spec.first);
      return chunks;
    }
    case 'jog': {
      jog.sampleTime = 0;
      const { lower, upper } = gate;
      const move = { lower, upper, velocity: top, acceleration: model.limits.acceleration.move, gaining };
      return new Jog(jog, move, arm.chain, arm.collision, now, spec.timeout);
    }
    case 'float': {
      // Without gains the arm floats only until it is limp, seconds later: too short for force feedback.
      if (spec.gains === null) return new Float(spec.support, spec.fade, null);
      const { controller } = arm;
      const feedback = new Feedback(controller, controller.index, arms);
      feedback.onGuarded = (joint) => thread.tellGuarded(controller.index, joint);
      return new Float(spec.support, spec.fade, spec.gains, feedback);
    }
  }
}
