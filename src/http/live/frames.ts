import type { Arm } from '../../arm/types.ts';
import type { HttpServices } from '../services.ts';
import { loopView, mirrorView } from '../views.ts';
import type { Topic } from './protocol.ts';

/** Frames are made anew when they are older than this, ms: clients of several rates share them. */
const FRESH = 5;
/** Lines of the log in one frame at most. */
const LOG_LINES = 100;
/** Digits that are told: a micrometre, a microradian. */
const SCALE = 1e6;

const rounded = (value: number): number | null =>
  Number.isFinite(value) ? Math.round(value * SCALE) / SCALE + 0 : null;
const list = (values: Float64Array): (number | null)[] => Array.from(values, rounded);

/** An arm at this moment, in SI units and in the order of its joints; null for what is not known. */
export function armView(arm: Arm) {
  const snapshot = arm.read();
  const { state, torque, positions } = snapshot;
  const measured = positions.every(Number.isFinite);
  const detailed = snapshot.detailTime > 0;
  const unknown = positions.length === 0 ? [] : Array.from(positions, () => null);
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
    reason: arm.reason,
  };
}

/** What does not change while the bridge runs: its version, the arms and their joints. */
export function helloView(services: HttpServices, scopes: readonly string[]) {
  return {
    type: 'hello',
    version: services.version,
    scopes,
    arms: services.arms.all.map((arm) => ({
      id: arm.id,
      name: arm.name,
      model: arm.model.name,
      title: arm.model.title,
      bus: arm.bus,
      simulated: arm.simulated,
      remote: arm.remote,
      base_link: arm.model.baseLink,
      tool_link: arm.model.toolLink,
      mount: services.mountOf(arm),
      joints: arm.model.joints.map(({ name, role, lower, upper, move }) => ({
        name,
        role,
        lower,
        upper,
        velocity: move.velocity,
        unit: 'rad',
      })),
      gripper: arm.model.gripper,
      poses: Object.fromEntries([...arm.model.poses].map(([name, angles]) => [name, [...angles]])),
    })),
  };
}

/** The frames of the topics as text, each made once for all clients that are sent it at about the same time. */
export class Frames {
  readonly #services: HttpServices;
  readonly #made = new Map<string, { readonly time: number; readonly text: Buffer | null }>();

  constructor(services: HttpServices) {
    this.#services = services;
  }

  /**
   * The newest frame of a topic.
   * @param from number of the first line of the log that the client has not seen; of no matter to other topics
   * @returns null when there is nothing to tell
   */
  get(topic: Topic, from: number): Buffer | null {
    const key = topic === 'log' ? `log ${from}` : topic;
    const now = performance.now();
    const made = this.#made.get(key);
    if (made !== undefined && now - made.time < FRESH) return made.text;
    if (topic === 'log') for (const old of this.#made.keys()) if (old.startsWith('log ')) this.#made.delete(old);
    const content = this.#content(topic, from);
    const text = content === null ? null : Buffer.from(JSON.stringify({ type: topic, ...content }));
    this.#made.set(key, { time: now, text });
    return text;
  }

  #content(topic: Topic, from: number): object | null {
    const services = this.#services;
    const t = Date.now() / 1000;
    switch (topic) {
      case 'arms':
        return { t, arms: services.arms.all.map(armView) };
      case 'pairs':
        return { t, active: services.mirror.status().active, ...mirrorView(services) };
      case 'loop':
        return { t, ...loopView(services), ros: services.ros() };
      case 'log': {
        const lines = services.log.since(from, LOG_LINES);
        return lines.length === 0 ? null : { t, lines };
      }
    }
  }
}
