import type { Bridge, Meaning, Schemas } from './bridge.ts';
import { BridgeError } from './errors.ts';

/** How often a motion that is waited for is looked after, ms. */
const LOOK = 100;

/** A motion that has begun, and goes on by itself. */
export class Motion {
  readonly #bridge: Bridge;
  readonly #path: { readonly name: string; readonly motion: string };

  /** Use arm.begin(). */
  constructor(bridge: Bridge, path: { readonly name: string; readonly motion: string }) {
    this.#bridge = bridge;
    this.#path = path;
  }

  /** By which the interface knows it. */
  get id(): string {
    return this.#path.motion;
  }

  /** How far it is, or what came of it. */
  facts(): Promise<Schemas['MotionFacts']> {
    return this.#bridge.call('get', '/api/v1/arms/{name}/motions/{motion}', { path: this.#path });
  }

  /** Until it is over. @throws {BridgeError} `not_done` where it has not been completed */
  async wait(): Promise<Schemas['MotionFacts']> {
    for (;;) {
      const answer = await this.facts();
      if (answer.state === 'done') return answer;
      if (answer.state !== 'moving') {
        const requestId = answer.request_id;
        throw new BridgeError(answer.message ?? 'not done', { code: 'not_done', requestId, status: 200, answer });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  }

  /** The arm decelerates and holds; the next motion may begin at once. */
  cancel(query: Pick<Meaning, 'take_over'> = {}): Promise<Schemas['StatusResponse']> {
    return this.#bridge.call('delete', '/api/v1/arms/{name}/motions/{motion}', { path: this.#path, query });
  }
}
