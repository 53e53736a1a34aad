import type { ServoSlot } from './servo-slots.ts';

/** Which servos of an arm have torque, and which should have it. */
export class TorqueState {
  /** Every servo has torque; some servo has torque. */
  all = false;
  any = false;
  /** 1 for each servo that has torque; 1 for each servo that should have it. */
  readonly holds: Uint8Array;
  readonly expected: Uint8Array;
  /** 1 for each joint whose servos all have torque. */
  readonly joints: Uint8Array;
  readonly #slots: readonly ServoSlot[];

  constructor(slots: readonly ServoSlot[], joints: number) {
    this.#slots = slots;
    this.holds = new Uint8Array(slots.length);
    this.expected = new Uint8Array(slots.length);
    this.joints = new Uint8Array(joints);
  }

  /** Makes the torque that was read the expected torque. */
  accept(): void {
    this.expected.set(this.holds);
  }

  /** Updates the fields above; call it after `holds` has changed. */
  combine(): void {
    let on = 0;
    for (let i = 0; i < this.#slots.length; i++) {
      const { joint } = this.#slots[i]!;
      const first = i < this.joints.length;
      this.joints[joint] = first ? this.holds[i]! : this.joints[joint]! & this.holds[i]!;
      on += this.holds[i]!;
    }
    this.all = on === this.#slots.length;
    this.any = on > 0;
  }

  /** Servos with torque (1) or without (0), for messages. */
  named(held: 0 | 1): string {
    const names = this.#slots.filter((_, i) => this.holds[i] === held).map(({ id, name }) => `${id} (${name})`);
    return `servo ${names.join(', ')}`;
  }
}
