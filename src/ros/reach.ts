/** Messages follow discovery within a second; a busy machine gets this long, s. */
export const HEARD_WITHIN = 5;

/** What to do about a program that is seen on the graph and not heard. */
export const UNHEARD_ADVICE =
  'on one machine its messages may go through the shared memory of another user or container: run both as one user, a ' +
  'container with --network host --ipc host, or set FASTDDS_BUILTIN_TRANSPORTS=UDPv4; between machines a firewall may ' +
  'stop UDP (docs/troubleshooting.md, ROS 2)';

/** Notices publishers that are seen on the graph, but whose messages do not arrive. */
export class Reach {
  #seenSince: number | null = null;
  #heard = false;
  #told = false;

  /** A message has come. */
  heard(): void {
    this.#heard = true;
  }

  /**
   * @param publishers seen now
   * @param now monotonic, s
   * @returns whether they are unheard and nobody has been told yet. Begins anew when they have gone
   */
  look(publishers: number, now: number): boolean {
    if (publishers === 0) {
      this.#seenSince = null;
      this.#heard = false;
      this.#told = false;
      return false;
    }
    this.#seenSince ??= now;
    if (this.#heard || this.#told || now - this.#seenSince < HEARD_WITHIN) return false;
    this.#told = true;
    return true;
  }
}
