import type { EventEmitter } from 'node:events';
// bonjour-service: DNS-SD over multicast DNS, as in avahi and Bonjour. It keeps up with the specifications and has no
// native code.
import { Bonjour, type Browser, type Service } from 'bonjour-service';

/** Service type of bridges: `_arm-bridge._tcp`. */
const TYPE = 'arm-bridge';

export interface Announced {
  /** Id of this run of the bridge. */
  readonly id: string;
  /** Scheme, host and port. */
  readonly url: string;
}

export interface AnnouncementOptions {
  readonly id: string;
  readonly name: string;
  readonly port: number;
  readonly secure: boolean;
  /** Address of the network interface to announce on; null: all. */
  readonly address: string | null;
  readonly onFound: (bridge: Announced) => void;
  /** Called if another bridge withdraws its announcement, as a bridge does when it ends. */
  readonly onWithdrawn: (bridge: Announced) => void;
  /** Called with the cause if other bridges cannot be found. */
  readonly onFailure: (reason: string) => void;
}

/** Announces this bridge on the network, and finds other announced bridges. */
export class Announcement {
  readonly #bonjour: Bonjour;
  readonly #onUp: (service: Service) => void;
  readonly #onDown: (service: Service) => void;
  #browser: Browser | null = null;

  constructor({ id, name, port, secure, address, ...calls }: AnnouncementOptions) {
    const network = address === null ? {} : { interface: address, bind: '0.0.0.0' };
    this.#bonjour = new Bonjour(network as object, (error: Error) => calls.onFailure(error.message));
    hearErrors(this.#bonjour, calls.onFailure);
    // The id keeps the services of two computers with the same name apart.
    const service = `${name} ${id.slice(0, 8)}`;
    const published = this.#bonjour.publish({
      name: service,
      type: TYPE,
      port,
      txt: { id, scheme: secure ? 'https' : 'http' },
      probe: false,
      disableIPv6: true,
    });
    published.on('error', (error: Error) => calls.onFailure(error.message));
    const others =
      (call: (bridge: Announced) => void) =>
      (service: Service): void => {
        const bridge = announcedBy(service);
        if (bridge !== null && bridge.id !== id) call(bridge);
      };
    this.#onUp = others(calls.onFound);
    this.#onDown = others(calls.onWithdrawn);
    this.look();
  }

  /**
   * Queries the network again for all bridges. Call it periodically: packets get lost, and a browser reports each
   * service only once, even if the service disappears and returns.
   */
  look(): void {
    this.#browser?.stop();
    this.#browser = this.#bonjour.find({ type: TYPE }, this.#onUp);
    this.#browser.on('down', this.#onDown);
  }

  /** Withdraws the service; resolves when the network has been told. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#bonjour.unpublishAll(() => this.#bonjour.destroy(() => resolve()));
    });
  }
}

/**
 * The library leaves errors of its socket, as of a port that is taken, to nobody, and they end the process. The
 * first is told, since the socket is tried at each look.
 */
function hearErrors(bonjour: Bonjour, onFailure: (reason: string) => void): void {
  const { mdns } = (bonjour as unknown as { readonly server: { readonly mdns: EventEmitter } }).server;
  let told = false;
  mdns.on('error', ({ message }: Error) => {
    if (!told) onFailure(message);
    told = true;
  });
}

/** Null for a service that is not a bridge. */
function announcedBy({ txt, port, referer }: Service): Announced | null {
  const { id, scheme } = (txt ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || id.length > 64 || (scheme !== 'http' && scheme !== 'https')) return null;
  // Use the sender's address: the addresses that a service announces may be unreachable from here.
  if (referer === undefined) return null;
  return { id, url: `${scheme}://${referer.address}:${port}` };
}
