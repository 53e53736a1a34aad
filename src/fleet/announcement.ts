// DNS-SD by multicast DNS, as avahi and Bonjour speak it: kept up with the drafts that it follows, and without native code.
import { Bonjour, type Browser, type Service } from 'bonjour-service';

/** Bridges are services `_arm-bridge._tcp`. */
const TYPE = 'arm-bridge';

export interface Announced {
  /** Of this run of the bridge. */
  readonly id: string;
  /** Scheme, host and port. */
  readonly url: string;
}

export interface AnnouncementOptions {
  readonly id: string;
  readonly name: string;
  readonly port: number;
  readonly secure: boolean;
  /** Address of the network on which it is told; null: of all. */
  readonly address: string | null;
  readonly onFound: (bridge: Announced) => void;
  /** Called when other bridges cannot be found, with the cause. */
  readonly onFailure: (reason: string) => void;
}

/** Tells the network of this bridge, and finds those that do the same. */
export class Announcement {
  readonly #bonjour: Bonjour;
  readonly #heard: (service: Service) => void;
  #browser: Browser | null = null;

  constructor({ id, name, port, secure, address, onFound, onFailure }: AnnouncementOptions) {
    const network = address === null ? {} : { interface: address, bind: '0.0.0.0' };
    this.#bonjour = new Bonjour(network as object, (error: Error) => onFailure(error.message));
    // Two computers with the same name are two services all the same.
    const service = `${name} ${id.slice(0, 8)}`;
    const published = this.#bonjour.publish({
      name: service,
      type: TYPE,
      port,
      txt: { id, scheme: secure ? 'https' : 'http' },
      probe: false,
      disableIPv6: true,
    });
    published.on('error', (error: Error) => onFailure(error.message));
    this.#heard = (service) => {
      const bridge = announcedBy(service);
      if (bridge !== null && bridge.id !== id) onFound(bridge);
    };
    this.look();
  }

  /**
   * Asks the network anew for all who are there. To be called again and again: questions and answers get lost, and a browser
   * tells of each service once, also of one that has been away meanwhile.
   */
  look(): void {
    this.#browser?.stop();
    this.#browser = this.#bonjour.find({ type: TYPE }, this.#heard);
  }

  /** Takes the service back; resolves when the network has been told. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#bonjour.unpublishAll(() => this.#bonjour.destroy(() => resolve()));
    });
  }
}

/** Null for a service that is none of ours. */
function announcedBy({ txt, port, referer }: Service): Announced | null {
  const { id, scheme } = (txt ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' || id.length > 64 || (scheme !== 'http' && scheme !== 'https')) return null;
  // It has been heard from there: whatever else it says of its addresses may not lead to it.
  if (referer === undefined) return null;
  return { id, url: `${scheme}://${referer.address}:${port}` };
}
