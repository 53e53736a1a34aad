import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Timer } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../message-of.ts';
import { type Announced, Announcement } from './announcement.ts';
import type { Credentials } from './ask.ts';
import { Authority } from './authority.ts';
import { Neighbour, type Outcome } from './neighbour.ts';
import { MOST_BRIDGES } from './overview.ts';
import { RenewedFile } from './renewed-file.ts';

/** Interval at which each bridge is polled, s. */
const LOOK = 1;
/** Interval at which the network is searched, s. */
const FIND = 15;
/** Time that a silent bridge has to confirm a stop once all others have answered, s. */
const SILENT_GRACE = 0.3;
/** Longest wait for a first answer of the configured bridges, s: they count as silent before that. */
const FIRST_ANSWER = 5;
/** Interval at which it is checked, s. */
const CHECK = 0.05;

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
  readonly #token: RenewedFile<string> | null;
  readonly #authority: RenewedFile<Authority> | null;
  readonly #timers: Pick<Timer, 'cancel'>[] = [];
  #announcement: Announcement | null = null;
  #full = false;

  /** @throws {ConfigError} if a file of `fleet` cannot be read */
  constructor(config: Config['fleet'], clock: Clock, notice: (text: string) => void) {
    this.#config = config;
    this.#clock = clock;
    this.#notice = notice;
    this.name = config.name ?? hostname().slice(0, 64);
    const { token_file, authority } = config;
    this.#token = token_file === null ? null : new RenewedFile(token_file, 'token_file', tokenIn);
    this.#authority =
      authority === null ? null : new RenewedFile(authority, 'authority', (text) => new Authority(text));
    const heard = token_file === null ? [] : config.bridges.filter((url) => isOverheard(new URL(url)));
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

  /** Resolves when each configured bridge has answered or is silent: until then one of them may be this bridge itself. */
  async heard(): Promise<void> {
    const urls = this.#config.bridges.map((url) => new URL(url).origin);
    const until = this.#clock.now() + FIRST_ANSWER;
    const isUnknown = (url: string): boolean => (this.#neighbours.get(url)?.state ?? 'unknown') === 'unknown';
    while (urls.some(isUnknown) && this.#clock.now() < until) await this.#clock.sleep(CHECK);
  }

  /** Starts to poll the other bridges, and starts discovery if it is configured. */
  begin({ host, port, secure }: Address): void {
    const { bridges, discovery } = this.#config;
    for (const url of bridges) this.#add(new URL(url).origin, 'configured', null);
    if (discovery) {
      if (isLoopback(host)) {
        this.#notice(
          `fleet.discovery: this bridge listens on ${host}, so other bridges find it on this computer alone: to be found by ` +
            'other computers, set http.host to an address of this one, or to 0.0.0.0',
        );
      }
      const everywhere = host === '0.0.0.0' || host === '::';
      const announcement = new Announcement({
        id: this.id,
        name: this.name,
        port,
        secure,
        address: everywhere ? null : host === 'localhost' || host === '::1' ? '127.0.0.1' : host,
        onFound: (bridge) => this.found(bridge),
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

  /** Takes in a bridge that has announced itself on the network. */
  found({ url, id }: Announced): void {
    this.#add(url, 'announced', id);
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
    if (this.#neighbours.size >= MOST_BRIDGES && !this.#makeRoom()) {
      if (!this.#full) this.#notice(`more than ${MOST_BRIDGES} other bridges: the rest is not looked after`);
      this.#full = true;
      return;
    }
    const neighbour = new Neighbour(this.#clock, url, source, () => this.#credentialsFor(url, source));
    neighbour.announcedId = id;
    this.#neighbours.set(url, neighbour);
    void neighbour.look();
  }

  /** Credentials for a bridge, from the files as they are now. */
  #credentialsFor(url: string, source: 'configured' | 'announced'): Credentials {
    const authority = this.#authority?.value ?? null;
    const token = this.#token?.value ?? null;
    const client = `bridge ${this.name.replace(/[^\w.@/-]/g, '-')}`.slice(0, 64);
    if (source === 'configured') return { token, authority, anyAuthority: true, client };
    // Anything on the network can claim to be a bridge, and get a certificate for its own address from a known authority:
    // of those that are found only such get the token as the laboratory has signed.
    const mayProve = url.startsWith('https:') && authority !== null;
    return { token: mayProve ? token : null, authority, anyAuthority: !mayProve, client };
  }

  /**
   * Drops the oldest discovered address that has never answered, though it had time to: whoever announces many such addresses
   * would else keep real bridges out.
   * @returns whether there was one
   */
  #makeRoom(): boolean {
    for (const [url, { source, seen, state }] of this.#neighbours) {
      if (source === 'configured' || seen !== null || state === 'unknown') continue;
      this.#neighbours.delete(url);
      return true;
    }
    return false;
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

  /**
   * Whether this bridge was found at an address where it is silent, and the same run of it answers at another one: its address
   * has changed. Only a bridge that is vouched for as well as this one can say so.
   */
  #hasMoved(neighbour: Neighbour): boolean {
    if (neighbour.state !== 'silent') return false;
    return [...this.#neighbours.values()].some(
      (other) => other.state === 'answers' && other.id === neighbour.id && (other.vouchedFor || !neighbour.vouchedFor),
    );
  }

  #look(): void {
    for (const file of [this.#token, this.#authority]) {
      try {
        file?.refresh();
      } catch (error) {
        this.#notice(`${messageOf(error)} Its former content stays in use until it is corrected.`);
      }
    }
    for (const [url, neighbour] of this.#neighbours) {
      const { source, id } = neighbour;
      const isDouble = source !== 'configured' && id !== null && (this.#answersByName(id) || this.#hasMoved(neighbour));
      if (isDouble || neighbour.isForgotten()) this.#neighbours.delete(url);
      else void neighbour.look();
    }
  }
}

/** Whether requests to a URL can be overheard on a network. */
function isOverheard({ protocol, hostname: name }: URL): boolean {
  return protocol === 'http:' && !isLoopback(name);
}

/** @param host a name or an address, with or without brackets */
function isLoopback(host: string): boolean {
  return host === 'localhost' || /^\[?::1\]?$|^127\./.test(host);
}

/** The token in a text. @throws {Error} */
function tokenIn(text: string): string {
  const token = text.split('\n', 1)[0]!.trim();
  if (token === '') throw new Error('has an empty first line, where the token should be');
  return token;
}
