import type { Arm } from '../arm/arm.ts';
import type { Clock } from '../clock.ts';
import type { EventLevel } from './messages.ts';
import type { RecordingClient } from './recording-client.ts';

/** Period at which the owners of the arms are checked, s. */
const LOOK = 0.1;

/** Reports what the snapshots of an episode's arms lack to the recording thread: reasons of states, and owners. */
export class EpisodeWatch {
  readonly #name: string;
  readonly #client: RecordingClient;
  readonly #clock: Clock;
  readonly #ends: (() => void)[] = [];
  readonly #owners = new Map<Arm, string>();

  constructor(name: string, arms: readonly Arm[], client: RecordingClient, clock: Clock) {
    this.#name = name;
    this.#client = client;
    this.#clock = clock;
    for (const arm of arms) {
      this.#ends.push(
        arm.onState((state, reason) => {
          if (reason === '') return;
          const fault = state === 'stopped' || state === 'disconnected';
          this.tell(fault ? 'warn' : 'info', arm.name, fault ? 'fault' : 'reason', `${state}: ${reason}`);
        }),
      );
    }
    const look = clock.every(LOOK, () => this.#look(arms), true);
    this.#ends.push(() => look.cancel());
    this.#look(arms);
  }

  tell(level: EventLevel, source: string, what: string, text: string): void {
    this.#client.tell({ kind: 'event', recording: this.#name, instant: this.#clock.now(), level, source, what, text });
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  #look(arms: readonly Arm[]): void {
    for (const arm of arms) {
      const owner = arm.owner?.name ?? '';
      if (this.#owners.get(arm) === owner) continue;
      this.#owners.set(arm, owner);
      this.tell('info', arm.name, 'owner', owner === '' ? 'nobody' : owner);
    }
  }
}
