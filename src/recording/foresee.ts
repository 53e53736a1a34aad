import { openMcap, unreadable } from './mcap-read.ts';
import type { Fit, Foreseen, Unreached } from './messages.ts';
import { recordedJoints, recordedModel } from './recorded-joints.ts';
import { graspOf, LIMIT_SLACK, sameNames } from './replay.ts';
import { sampled } from './samples.ts';
import { collisionsOf, mapsOf } from './track.ts';

/** Poses processed between pauses. */
const AT_ONCE = 8;
/** Maximum number of reported problems; later ones are omitted. */
const MOST_TOLD = 50;

/** Problems of consecutive poses, merged into time spans. */
class Spans {
  readonly told: { what: string; begin: number; end: number; text: string }[] = [];
  readonly #running = new Map<string, { end: number; text: string }>();

  /** Adds the problems of one pose: text for the user, by joint or pair of links. */
  add(time: number, found: ReadonlyMap<string, string>): void {
    for (const what of this.#running.keys()) if (!found.has(what)) this.#running.delete(what);
    for (const [what, text] of found) {
      const running = this.#running.get(what);
      if (running !== undefined) {
        running.end = time;
        continue;
      }
      const span = { what, begin: time, end: time, text };
      this.#running.set(what, span);
      if (this.told.length < MOST_TOLD) this.told.push(span);
    }
  }
}

/**
 * The motion that an arm would make for a recording, at `points` times, and the parts that it cannot reach: joints
 * beyond their limits, which are clamped, and links that would touch. Nothing moves.
 * @param pause yields to other work in this thread
 * @throws {UnfitError} if the file is unreadable, or has no joint in common with the arm
 */
export async function foresee(path: string, fit: Fit, points: number, pause: () => Promise<void>): Promise<Foreseen> {
  const file = await openMcap(path);
  try {
    const { arm: source } = recordedJoints(file, fit.source, fit.arm);
    const whole = { source, begin: 0, end: null, points };
    const { times, positions, goals, joints, duration } = await sampled(file, whole, pause);
    const maps = mapsOf(await recordedModel(file, source), joints, fit) ?? sameNames(fit.joints, joints);
    const collisions = collisionsOf(fit);
    const spans = new Spans();
    const poses: Float64Array[] = [];
    for (const [k, time] of times.entries()) {
      const found = new Map<string, string>();
      const pose = Float64Array.from(fit.joints, ({ name, lower, upper, position: stands }, i) => {
        const { from, scale, offset } = maps[i]!;
        const asked = i === fit.model.gripper?.index ? (goals[from]?.[k] ?? Number.NaN) : Number.NaN;
        if (Number.isFinite(asked)) return graspOf(fit.joints[i]!, maps[i]!, asked);
        const wanted = from < 0 ? stands : scale * positions[from]![k]! + offset;
        if (wanted < lower - LIMIT_SLACK || wanted > upper + LIMIT_SLACK) {
          const range = `${lower.toFixed(2)} to ${upper.toFixed(2)} rad`;
          found.set(name, `${name} would go to ${wanted.toFixed(2)} rad, beyond its limits of ${range}`);
        }
        return Math.min(Math.max(wanted, lower), upper);
      });
      const contact = collisions.checkPath(poses.at(-1) ?? pose, pose);
      if (contact !== null) found.set(`${contact.a} ${contact.b}`, `${contact.a} and ${contact.b} would touch`);
      spans.add(time, found);
      poses.push(pose);
      if (k % AT_ONCE === 0) await pause();
    }
    const unreached: Unreached[] = spans.told.map(({ begin, end, text }) => ({ begin, end, text }));
    const rows = fit.joints.map((_, i) => poses.map((pose) => pose[i]!));
    return { source, duration, times, positions: rows, unreached };
  } catch (error) {
    throw unreadable(error);
  } finally {
    file.close();
  }
}
