import { ArrowHelper, Vector3 } from 'three';
import type { ArmFrame, Vector } from '../protocol.ts';

/** Length of the arrow of a force, m/N and m; the least force that has one, and a change of it that is seen, N. */
const LENGTH_PER_FORCE = 0.012;
const LONGEST_ARROW = 0.25;
const LEAST_FORCE = 1;
const SEEN_CHANGE = 0.2;

/** An arrow at the tool: what pushes it, or, of an arm that floats, what it pushes the hand with. */
export class ForceArrow {
  readonly arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), 1, 0xd6246e);
  readonly #force = new Vector3();
  readonly #shown = new Vector3();

  constructor() {
    this.arrow.visible = false;
  }

  /** @returns whether it looks different now; that the tool takes it along does not count */
  show({ wrench, tool, state }: Pick<ArmFrame, 'wrench' | 'tool' | 'state'>): boolean {
    this.#force.set(...((wrench?.force ?? [0, 0, 0]) as Vector));
    if (state === 'floating') this.#force.negate();
    const force = this.#force.length();
    const visible = force >= LEAST_FORCE && tool !== null;
    const changed = visible !== this.arrow.visible || (visible && this.#force.distanceTo(this.#shown) > SEEN_CHANGE);
    this.arrow.visible = visible;
    if (tool === null || !visible) return changed;
    this.arrow.position.set(...tool.position);
    if (!changed) return false;
    this.#shown.copy(this.#force);
    const length = Math.min(LENGTH_PER_FORCE * force, LONGEST_ARROW);
    this.arrow.setDirection(this.#force.divideScalar(force));
    this.arrow.setLength(length, 0.35 * length, 0.2 * length);
    return true;
  }
}
