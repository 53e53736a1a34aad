import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock, Timer } from '../clock.ts';
import { ConfigError } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { Announcement } from './announcement.ts';
import type { Credentials } from './ask.ts';
import { Authority } from './authority.ts';
import { Neighbour, type Outcome } from './neighbour.ts';
import { MOST_BRIDGES } from './overview.ts';

/** Interval at which each bridge is polled, s. */
const LOOK = 1;
/** Interval at which the network is searched, s. */
const FIND = 15;
/** Time that a silent bridge has to confirm a stop once all others have answered, s. */
const SILENT_GRACE = 0.3;

/** Address on which this bridge listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

/** The other bridges of a laboratory: polls the state of their arms, and stops all of them. */
export class Fleet {
  /** Id of this run of the bridge. */
  readonly id = randomUUID();
  /** Human-readable name of this bridge. */
  readonly name: string;
  readonly #clock: Clock;
  readonly #config: Config['fleet'];
  readonly #notice: (text: string) => void;
  /** Neighbours by URL. */
  readonly #neighbours = new Map<string, Neighbour>();
  /** Credentials for trusted bridges, with the token. */
  readonly #trusted: Credentials;
  readonly #timers: Pick<Timer, 'cancel'>[] = [];
  #announcement: Announcement | null = null;
  #full = false;

  /** @throws {ConfigError} if a file of `fleet` cannot be read */
  constructor(config: Config['fleet'], clock: Clock, notice: (text: string) => void) {
    this.#config = config;
    this.#clock = clock;
    this.#notice = notice;
    this.name = config.name ?? hostname().slice(0, 64);
    const token = config.token_file === null ? null : textOf(config.token_file, 'token_file').split('\n', 1)[0]!.trim();
    if (token === '') throw new ConfigError(`fleet.token_file: the first line of ${config.token_file} is empty.`);
    this.#trusted = {
      token,
      authority: config.authority === null ? null : authorityOf(config.authority),
      anyAuthority: true,
      client: `bridge ${this.name.replace(/[^\w.@/-]/g, '-')}`.slice(0, 64),
    };
    const heard = token === null ? [] : config.bridges.filter((url) => isOverheard(new URL(url)));
    if (heard.length > 0) {
      notice(
        `${heard.join(', ')}: the token of fleet.token_file goes there in plain text, and whoever hears it has it: ` +
          'give those bridges certificates (http.tls) and call them https:// in fleet.bridges',
      );
    }
  }

  /** The other bridges, configured ones first. This bridge is left out. */
  get neighbours(): readonly Neighbour[] {
    return [...this.#neighbours.values()].filter(({ overview }) => overview?.id !== this.id);
  }

  /** The known bridge at a URL; null: none. */
  at(url: string): Neighbour | null {
    return this.neighbours.find((neighbour) => neighbour.url === url) ?? null;
  }

  /** Starts to poll the other bridges, and starts discovery if it is configured. */
  begin({ host, port, secure }: Address): void {
    const { bridges, discovery } = this.#config;
    for (const url of bridges) this.#add(new URL(url).origin, 'configured', null);
    if (discovery) {
      const everywhere = host === '0.0.0.0' || host === '::';
      const announcement = new Announcement({
        id: this.id,
        name: this.name,
        port,
        secure,
        address: everywhere ? null : host === 'localhost' || host === '::1' ? '127.0.0.1' : host,
        onFound: ({ url, id }) => this.#add(url, 'announced', id),
        onWithdrawn: ({ url }) => {
          const neighbour = this.#neighbours.get(url);
          if (neighbour?.source === 'announced') neighbour.source = 'withdrawn';
        },
        onFailure: (reason) =>
          this.#notice(
            `other bridges cannot be found (${reason}): name them in fleet.bridges, or set fleet.discovery: false`,
          ),
      });
      this.#announcement = announcement;
      this.#timers.push(this.#clock.every(FIND, () => announcement.look(), true));
    }
    if (discovery || bridges.length > 0) this.#timers.push(this.#clock.every(LOOK, () => this.#look(), true));
  }

  /**
   * Stops the arms of all other bridges. One that was silent before is sent the stop too, but a dead one keeps nobody waiting:
   * it has as long as the others need, and `SILENT_GRACE`.
   * @returns an outcome for each, in the order of `neighbours`
   */
  stop(): Promise<readonly (Outcome & { readonly neighbour: Neighbour })[]> {
    const attempts = this.neighbours.map((neighbour) => ({
      neighbour,
      wasSilent: neighbour.state === 'silent',
      outcome: neighbour.stop(),
    }));
    const heard = attempts.filter(({ wasSilent }) => !wasSilent).map(({ outcome }) => outcome);
    const givenUp = async (neighbour: Neighbour): Promise<Outcome> => {
      await Promise.all(heard);
      await this.#clock.sleep(SILENT_GRACE);
      return neighbour.unconfirmedStop();
    };
    return Promise.all(
      attempts.map(async ({ neighbour, wasSilent, outcome }) => ({
        neighbour,
        ...(await (wasSilent ? Promise.race([outcome, givenUp(neighbour)]) : outcome)),
      })),
    );
  }

  async end(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    await this.#announcement?.end();
  }

  #add(url: string, source: 'configured' | 'announced', id: string | null): void {
    const known = this.#neighbours.get(url);
    if (known !== undefined) {
      if (known.source === 'withdrawn') known.source = source;
      known.announcedId = id;
      return;
    }
    if (id !== null && this.#answersByName(id)) return;
    if (this.#neighbours.size >= MOST_BRIDGES) {
      if (!this.#full) this.#notice(`more than ${MOST_BRIDGES} other bridges: the rest is not looked after`);
      this.#full = true;
      return;
    }
    // Anything on the network can claim to be a bridge, and get a certificate for its own address from a known authority:
    // of those that are found only such get the token as the laboratory has signed.
    const { authority, token } = this.#trusted;
    const mayProve = url.startsWith('https:') && authority !== null;
    const credentials =
      source === 'configured'
        ? this.#trusted
        : { ...this.#trusted, anyAuthority: !mayProve, token: mayProve ? token : null };
    const neighbour = new Neighbour(this.#clock, url, source, credentials);
    neighbour.announcedId = id;
    this.#neighbours.set(url, neighbour);
    void neighbour.look();
  }

  /**
   * Whether the bridge with this id answers at a configured address: the address by which it was found is then needless.
   * While the configured one does not answer, a stop goes to both.
   */
  #answersByName(id: string): boolean {
    return [...this.#neighbours.values()].some(
      (other) => other.source === 'configured' && other.state === 'answers' && other.id === id,
    );
  }

  #look(): void {
    for (const [url, neighbour] of this.#neighbours) {
      const { source, id } = neighbour;
      const isDouble = source !== 'configured' && id !== null && this.#answersByName(id);
      if (isDouble || neighbour.isForgotten()) this.#neighbours.delete(url);
      else void neighbour.look();
    }
  }
}

/** Whether requests to a URL can be overheard on a network. */
function isOverheard({ protocol, hostname: name }: URL): boolean {
  return protocol === 'http:' && name !== 'localhost' && name !== '[::1]' && !/^127\./.test(name);
}

function authorityOf(path: string): Authority {
  try {
    return new Authority(textOf(path, 'authority'));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`fleet.authority: ${path} ${(error as Error).message}.`);
  }
}

function textOf(path: string, field: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`fleet.${field}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
