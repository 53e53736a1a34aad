import type { Ailment } from './arm-link.ts';
import type { CycleReader } from './cycle-reader.ts';
import type { Measurements } from './measurements.ts';
import type { ServoHealth } from './servo-health.ts';
import type { ServoSlot } from './servo-slots.ts';
import type { ServoTrust } from './servo-trust.ts';

/** What tells that a servo is lost or ails. */
export interface LossParts {
  readonly slots: readonly ServoSlot[];
  readonly trust: ServoTrust;
  readonly health: ServoHealth;
  readonly reader: CycleReader;
  readonly measurements: Measurements;
}

/** Whoever must act. */
export interface LossListener {
  warning(text: string): void;
  /** The servo of a joint cannot go on carrying. */
  ailing(joint: number, text: string, ailment: Ailment): void;
}

/** Sees which servos of an arm are lost or ail, and tells whoever must act. */
export class ServoLosses {
  readonly #parts: LossParts;
  readonly #listener: LossListener;
  /** Servos that ail, until it is told. */
  readonly #ailing: { readonly index: number; readonly text: string }[] = [];

  constructor(parts: LossParts, listener: LossListener) {
    this.#parts = parts;
    this.#listener = listener;
    parts.measurements.onMoved = (index) => this.#moved(index);
  }

  /** The servo in this place is overloaded or nearly too hot. */
  ailing(index: number, text: string): void {
    this.#ailing.push({ index, text });
  }

  /**
   * Sees whether servos are lost, and whether the others can still lower the arm: that is told.
   * @param carries they hold it, and no torque command is under way
   * @returns why the arm is to be checked anew; empty when it is not
   */
  look(carries: boolean, now: number): string {
    const { trust, health, slots } = this.#parts;
    const loss = trust.loss(carries, now);
    if (loss === 'none') return '';
    if (loss === 'returned') return 'a servo that had fallen silent answers again: the arm is checked anew';
    const { first } = trust;
    const limp = trust.isLimp(first);
    const text = limp ? health.limpText(first) : trust.silenceText(health.label(first));
    if (loss === 'all') return text;
    if (trust.takeNews()) this.#listener.ailing(slots[first]!.joint, text, limp ? 'limp' : 'silent');
    return '';
  }

  /** Tells which servos ail. One that is limp for it is told to be so, once that is believed. */
  tell(): void {
    const { trust, reader, slots } = this.#parts;
    for (let k = this.#ailing.length - 1; k >= 0; k--) {
      const { index, text } = this.#ailing[k]!;
      if (reader.seemsLimp(index)) continue;
      this.#ailing.splice(k, 1);
      if (!trust.isLimp(index)) this.#listener.ailing(slots[index]!.joint, text, 'failing');
    }
  }

  /** A servo is elsewhere than a moment ago, though no joint moves so fast. */
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
