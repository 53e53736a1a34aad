import type { ServoBus } from '../../servo/servo-bus.ts';
import type { Ailment } from './arm-link.ts';
import type { CycleReader } from './cycle-reader.ts';
import type { Measurements } from './measurements.ts';
import type { ServoHealth } from './servo-health.ts';
import type { ServoSlot } from './servo-slots.ts';
import type { ServoTrust } from './servo-trust.ts';

/** So many signs show that two servos answer for one. */
const SIGNS = 3;

/** Parts of an arm that show that a servo is lost or failing. */
export interface LossParts {
  readonly slots: readonly ServoSlot[];
  readonly trust: ServoTrust;
  readonly health: ServoHealth;
  readonly reader: CycleReader;
  readonly measurements: Measurements;
  readonly bus: Pick<ServoBus, 'doubled'>;
}

/** Gets the reports on lost and failing servos. */
export interface LossListener {
  warning(text: string): void;
  /** A joint's servo cannot go on carrying. */
  ailing(joint: number, text: string, ailment: Ailment): void;
}

/** Detects lost and failing servos of an arm, and reports them. */
export class ServoLosses {
  readonly #parts: LossParts;
  readonly #listener: LossListener;
  /** Failing servos that have not been reported yet. */
  readonly #ailing: { readonly index: number; readonly text: string }[] = [];
  /** Signs that a second servo answers for each, when all servos were last heard. */
  readonly #signs: Uint32Array;

  constructor(parts: LossParts, listener: LossListener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#signs = new Uint32Array(parts.slots.length);
    parts.measurements.onMoved = (index) => this.#moved(index);
  }

  /** The servo at this slot index is overloaded or nearly too hot. */
  ailing(index: number, text: string): void {
    this.#ailing.push({ index, text });
  }

  /**
   * Detects lost servos, and reports a loss if the other servos can still lower the arm. They do not where the silent one
   * may have got the id of another: it would go to the goals of that one's joint.
   * @param carries the others hold the arm, and no torque command is under way
   * @returns why the arm must be checked again; empty if it need not be
   */
  look(carries: boolean, now: number): string {
    const { trust, slots } = this.#parts;
    const loss = trust.loss(carries, now);
    if (loss === 'none' && !trust.anyMuted) this.#countSigns();
    if (loss === 'none') return '';
    if (loss === 'returned') return 'a servo that had fallen silent answers again: the arm is checked anew';
    if (loss === 'all') return this.#textOf(trust.first);
    for (let index = trust.takeNews(); index >= 0; index = trust.takeNews()) {
      const limp = trust.isLimp(index);
      const other = limp ? -1 : this.#twin();
      if (other >= 0) return this.#textOfTwo(index, other);
      this.#listener.ailing(slots[index]!.joint, this.#textOf(index), limp ? 'limp' : 'silent');
    }
    return '';
  }

  /** What has happened to a lost servo, for people. */
  #textOf(index: number): string {
    const { trust, health } = this.#parts;
    return trust.isLimp(index) ? health.limpText(index) : trust.silenceText(health.label(index));
  }

  /** Slot index of a servo for which another one seems to answer too since some servo is silent; -1 for none. */
  #twin(): number {
    return this.#signs.findIndex((before, index) => this.#signsOf(index) - before >= SIGNS);
  }

  #countSigns(): void {
    for (let i = 0; i < this.#signs.length; i++) this.#signs[i] = this.#signsOf(i);
  }

  #signsOf(index: number): number {
    const { bus, measurements } = this.#parts;
    return bus.doubled[index]! + measurements.filter.discarded[index]!;
  }

  /** The silent servo may have the id of another one. */
  #textOfTwo(silent: number, other: number): string {
    const { health } = this.#parts;
    return (
      `${health.label(silent)} is silent, and two servos seem to answer as ${health.label(other)}: one may have got the ` +
      'id of the other, so nothing is moved; support the arm, switch its supply off, and give each servo an id of its own ' +
      '(arm-bridge setup servo)'
    );
  }

  /** Reports failing servos. Waits while one seems limp; once that is believed, `look` reports it as limp instead. */
  tell(): void {
    const { trust, reader, slots } = this.#parts;
    for (let k = this.#ailing.length - 1; k >= 0; k--) {
      const { index, text } = this.#ailing[k]!;
      if (reader.seemsLimp(index)) continue;
      this.#ailing.splice(k, 1);
      if (!trust.isLimp(index)) this.#listener.ailing(slots[index]!.joint, text, 'failing');
    }
  }

  /** A servo's position has jumped further than any joint can move. */
  #moved(index: number): void {
    const { trust, health, measurements, slots } = this.#parts;
    trust.uncertain = true;
    if (!measurements.filter.takesMany(index)) return;
    const { id } = slots[index]!;
    this.#listener.warning(
      `the position of ${health.label(index)} jumps: is there a second servo with id ${id}, or a broken cable?`,
    );
  }
}
