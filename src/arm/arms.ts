import type { ArmHandle } from './handle.ts';
import { type Arms, BridgeError } from './types.ts';

/** All arms of this process, by id and by name. */
export class ArmSet implements Arms {
  readonly #all: ArmHandle[];

  constructor(all: readonly ArmHandle[]) {
    this.#all = [...all];
  }

  /** The same list at all times: it grows with the arms that are added. */
  get all(): readonly ArmHandle[] {
    return this.#all;
  }

  add(arm: ArmHandle): void {
    this.#all.push(arm);
  }

  byId(id: number): ArmHandle {
    const arm = this.all.find((candidate) => candidate.id === id);
    if (arm === undefined) {
      const known = this.all.map((candidate) => candidate.id).join(', ');
      throw new BridgeError('unknown_arm', `Robot ID ${id} is unknown. Known ids: ${known}.`);
    }
    return arm;
  }

  byName(name: string): ArmHandle | undefined {
    return this.all.find((arm) => arm.name === name);
  }
}
