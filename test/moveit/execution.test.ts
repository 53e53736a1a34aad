import { describe, expect, test } from 'vitest';
import { armChain, armModels, loadArmModel } from '../../src/arm/model.ts';
import { CollisionModel } from '../../src/kinematics/collision.ts';
import { Gate } from '../../src/rt/joint/gate.ts';
import { SourceStatus } from '../../src/rt/sources/setpoint-source.ts';
import { HEADROOM } from '../../src/rt/sources/trajectory.ts';
import { shapeFault } from '../../src/rt/sources/waypoint-shape.ts';
import { Waypoints, waypointFault } from '../../src/rt/sources/waypoints.ts';
import { timeOptimal } from './support/totg.ts';

/** Cycle of the control loop, s. */
const DT = 0.005;
/** How far the setpoints are from where an arm stands that carries something, rad. */
const BENT = 0.05;
/**
 * How far the gate may stand behind what was planned, rad, by the part of the limits that a plan uses and what its points
 * give: polynomials between samples of a plan at the limits need a little more than these.
 */
const CASES = [
  [1, 'velocities', 0.03],
  [HEADROOM, 'velocities', 0.005],
  [1, 'accelerations', 0.04],
  [HEADROOM, 'accelerations', 0.005],
] as const;
const PATHS = 8;

describe.each(armModels())(
  'trajectories as MoveIt times them at the limits of joint_limits.yaml, on one %s',
  (name) => {
    const model = loadArmModel(name);
    const names = model.joints.map((joint) => joint.name);
    const of = (value: (joint: (typeof model.joints)[number]) => number) => Float64Array.from(model.joints, value);
    const limits = {
      names,
      lower: of(({ lower }) => lower),
      upper: of(({ upper }) => upper),
      velocity: of(({ move }) => move.velocity),
      acceleration: of(({ move }) => move.acceleration),
    };
    const collision = new CollisionModel(armChain(model));
    const poses = [...model.poses.values()].map((pose) => [...pose]);
    let state = 11;
    const next = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    /** Ways over random poses that touch nothing, as a planner finds them. */
    const ways = Array.from({ length: PATHS }, (_, index) => {
      const way = [poses[index % poses.length]!];
      for (let tries = 0; way.length < 4 && tries < 500; tries++) {
        const pose = model.joints.map(({ lower, upper }) => lower + next() * (upper - lower));
        if (collision.checkPath(Float64Array.from(way.at(-1)!), Float64Array.from(pose)) === null) way.push(pose);
      }
      return way;
    });

    test.each(CASES)(
      'at %d of them, with %s, are accepted, stay within them in every cycle, and are followed',
      (part, given, most) => {
        let [behind, fastest, hardest] = [0, 0, 0];
        for (const way of ways) {
          expect(way.length).toBeGreaterThan(1);
          const samples = timeOptimal(
            way,
            [...limits.velocity].map((value) => part * value),
            [...limits.acceleration].map((value) => part * value),
          );
          const first = Float64Array.from(way[0]!);
          const path = {
            times: Float64Array.from(samples, ({ time }) => time),
            positions: Float64Array.from(samples.flatMap(({ positions }) => positions)),
            velocities: Float64Array.from(samples.flatMap(({ velocities }) => velocities)),
            accelerations:
              given === 'velocities' ? null : Float64Array.from(samples.flatMap(({ accelerations }) => accelerations)),
          };
          for (const { velocities, accelerations } of samples) {
            for (const [j, velocity] of velocities.entries()) {
              fastest = Math.max(fastest, Math.abs(velocity) / limits.velocity[j]!);
              hardest = Math.max(hardest, Math.abs(accelerations[j]!) / limits.acceleration[j]!);
            }
          }

          // Planned from where it stands, which a load has bent away from its setpoints.
          const bent = first.map((angle, j) => Math.min(Math.max(angle - BENT, limits.lower[j]!), limits.upper[j]!));
          for (const start of [first, bent]) {
            expect(waypointFault(path, start, limits) ?? shapeFault(path, start, limits, false)).toBeNull();
            const gate = new Gate({
              lower: limits.lower,
              upper: limits.upper,
              velocity: { move: limits.velocity, mirror: limits.velocity },
              acceleration: { move: limits.acceleration, mirror: limits.acceleration },
            });
            gate.adopt(start);
            gate.rearm(true);
            const source = new Waypoints(path, limits.velocity);
            source.begin(gate.goals.slice(), gate.velocities.slice(), 0);
            const targets = new Float64Array(names.length);
            let status: SourceStatus = SourceStatus.running;
            for (let cycle = 1; status === SourceStatus.running; cycle++) {
              status = source.next(cycle * DT, DT, targets);
              gate.step(targets, 'move', DT);
              for (let j = 0; j < names.length; j++) {
                const used = Math.max(
                  Math.abs(gate.velocities[j]!) / limits.velocity[j]!,
                  Math.abs(gate.accelerations[j]!) / limits.acceleration[j]!,
                );
                if (used > 1.0001) throw new Error(`${names[j]} at ${cycle * DT} s: ${used} of its limits`);
                if (start === first) behind = Math.max(behind, Math.abs(gate.goals[j]! - targets[j]!));
              }
            }
            expect(status).toBe(SourceStatus.done);
            // The motion is done once the gate has passed the last goals.
            for (let cycle = 0; cycle < 0.5 / DT; cycle++) gate.step(targets, 'move', DT);
            expect([...gate.goals]).toEqual([...targets].map((target) => expect.closeTo(target, 6)));
          }
        }
        // Nothing is shown by a plan that is slow.
        expect(fastest).toBeGreaterThan(0.99 * part);
        expect(hardest).toBeGreaterThan(0.9 * part);

        expect(behind).toBeLessThan(most);
      },
    );
  },
);
