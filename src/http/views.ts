import { alarmTexts } from '../arm/alarms.ts';
import type { Arm } from '../arm/types.ts';
import type { ArmFacts, ArmState } from './api-schemas.ts';
import type { BridgeStatus } from './schemas.ts';
import type { HttpServices } from './services.ts';

/** What several routes tell of the parts of the bridge, in SI units. */

/** A number that JSON can carry; 0 for one that is not known. */
export function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** State of mirroring, its pairs and why it stopped. */
export function mirrorView({ mirror }: HttpServices): BridgeStatus['mirror'] {
  const status = mirror.status();
  return {
    reason: status.reason,
    pairs: status.pairs.map((pair) => ({
      leader: pair.leader,
      follower: pair.follower,
      state: pair.state,
      owner: pair.owner,
      rate: finite(pair.rate),
      latency: Number.isFinite(pair.latency) ? pair.latency : null,
      reason: pair.reason,
    })),
  };
}

/** Figures of the control loop. */
export function loopView(services: HttpServices): BridgeStatus['loop'] {
  const loop = services.loop();
  return {
    cycles: loop.cycles,
    rate: loop.rate,
    late: loop.late,
    trouble: loop.trouble,
    period: finite(loop.period),
    longest_period: finite(loop.longestPeriod),
    priority: loop.priority === 0 ? null : loop.priority,
    periods: loop.periods,
    lateness: loop.lateness,
    latency: loop.latency,
    period_histogram: { width: finite(loop.histogram.width), counts: [...loop.histogram.counts] },
  };
}

/** Digits that are told: a micrometre, a microradian. */
const SCALE = 1e6;

const rounded = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * SCALE) / SCALE + 0 : null;
const list = (values: Float64Array): (number | null)[] => Array.from(values, rounded);

/** An arm at this moment, in SI units and in the order of its joints; null for what is not known. */
export function armView(arm: Arm): ArmState {
  const snapshot = arm.read();
  const { state, torque, positions } = snapshot;
  const measured = positions.every(Number.isFinite);
  const detailed = snapshot.detailTime > 0;
  const unknown = Array.from(positions, () => null);
  const pose = measured ? arm.toolPose(positions) : null;
  const opening = measured ? arm.gripperOpening(positions) : null;
  const { position: at, orientation: turn } = pose ?? {};
  return {
    id: arm.id,
    state,
    owner: arm.owner?.name ?? null,
    torque,
    initialised: arm.initialised,
    sampled: snapshot.sampleTime,
    joints: {
      position: list(positions),
      goal: snapshot.holding ? list(snapshot.setpoints) : unknown,
      velocity: detailed ? list(snapshot.velocities) : unknown,
      effort: detailed ? list(snapshot.efforts) : unknown,
      temperature: detailed && !arm.remote ? list(snapshot.temperatures) : unknown,
      voltage: detailed && !arm.remote ? list(snapshot.voltages) : unknown,
      alarm: Array.from(snapshot.alarms),
    },
    tool:
      at === undefined || turn === undefined
        ? null
        : {
            position: [rounded(at.x), rounded(at.y), rounded(at.z)],
            orientation: [rounded(turn.x), rounded(turn.y), rounded(turn.z), rounded(turn.w)],
          },
    opening: opening === null ? null : rounded(opening),
    motion: arm.activity,
    // Last: it reads the arm again.
    reason: reasonView(arm),
  };
}

/** Why an arm is disconnected or stopped, with the next step where there is a route for it; empty otherwise. */
export function reasonView(arm: Arm): string {
  return arm.detached ? `${arm.reason}: /robot/add-connection connects it` : arm.reason;
}

/** What an arm is: what does not change while the bridge runs. */
export function armFactsView(services: HttpServices, arm: Arm): ArmFacts {
  const { xyz, rpy } = services.mountOf(arm);
  return {
    id: arm.id,
    name: arm.name,
    model: arm.model.name,
    title: arm.model.title,
    bus: arm.bus,
    simulated: arm.simulated,
    remote: arm.remote,
    base_link: arm.model.baseLink,
    tool_link: arm.model.toolLink,
    mount: { xyz: [...xyz], rpy: [...rpy] },
    joints: arm.model.joints.map(({ name, role, lower, upper, move, torqueLimit, servos }) => ({
      name,
      role,
      lower,
      upper,
      velocity: move.velocity,
      torque_limit: torqueLimit,
      unit: 'rad',
      servos: servos.map(({ id, model }) => ({ id, model })),
    })),
    gripper: arm.model.gripper,
    poses: Object.fromEntries([...arm.model.poses].map(([name, angles]) => [name, [...angles]])),
    alarms: Object.fromEntries(alarmTexts(arm.model.family)),
  };
}
