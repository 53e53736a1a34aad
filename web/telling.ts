import type { ArmFrame } from './protocol.ts';

/** What a joint has to move before anybody sees it, rad or m: less than a pixel of an arm that fills the view. */
export const VISIBLE = 0.002;
/** While nothing moves, loads and temperatures change slowly: a computer that draws slowly shows them so often, ms. */
const AT_REST = 500;

/** What people see at once, whatever the computer is busy with. */
const announced = ({ id, state, owner, torque, reason, doubt, joints }: ArmFrame): string =>
  JSON.stringify([id, state, owner, torque, reason, doubt, joints.alarm]);

const moved = (values: ArmFrame['joints']['position'], before: ArmFrame['joints']['position']): boolean =>
  values.some((value, i) => Math.abs((value ?? 0) - (before[i] ?? 0)) > VISIBLE);

/**
 * How often the page shows what the live stream tells. Each change of the page costs a computer without a graphics
 * processor more than 20 ms, however small it is, so that there frames of the stream are left out.
 */
export class Telling {
  /** Least time between two showings while arms move, ms; 0: every frame of the stream is shown. */
  interval = 0;
  #shown: readonly ArmFrame[] = [];
  #announced = '';
  #time = Number.NEGATIVE_INFINITY;

  /** Whether these frames are to be shown now; if so they count as shown. @param now ms */
  due(frames: readonly ArmFrame[], now: number): boolean {
    const announcing = frames.map(announced).join();
    const waited = now - this.#time;
    const due =
      announcing !== this.#announced || waited >= AT_REST || (waited >= this.interval && this.#anyMoved(frames));
    if (!due && this.interval > 0) return false;
    this.#shown = frames;
    this.#announced = announcing;
    this.#time = now;
    return true;
  }

  #anyMoved(frames: readonly ArmFrame[]): boolean {
    return frames.some(({ joints }, i) => {
      const before = this.#shown[i]?.joints;
      return before === undefined || moved(joints.position, before.position) || moved(joints.goal, before.goal);
    });
  }
}
