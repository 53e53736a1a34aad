import type { Arm } from './arm.ts';
import type { Journal } from './journal.ts';
import { BridgeError } from './types.ts';

/** All arms of this process, by id and by name. */
export class Arms {
  /** Who did what to the arms. */
  readonly journal: Journal;
  readonly #all: Arm[];

  constructor(all: readonly Arm[], journal: Journal) {
    this.#all = [...all];
    this.journal = journal;
  }

  /** Always the same list object: it grows as arms are added. */
  get all(): readonly Arm[] {
    return this.#all;
  }

  add(arm: Arm): void {
    this.#all.push(arm);
  }

  /** @throws {BridgeError} unknown_arm, listing the known ids */
  byId(id: number): Arm {
    const arm = this.all.find((candidate) => candidate.id === id);
    if (arm === undefined) {
      const known = this.all.map((candidate) => candidate.id).join(', ');
      throw new BridgeError('unknown_arm', `Robot ID ${id} is unknown. Known ids: ${known}.`);
    }
    return arm;
  }

  byName(name: string): Arm | undefined {
    return this.all.find((arm) => arm.name === name);
  }
}
