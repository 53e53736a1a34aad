import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import loadMujoco from '@mujoco/mujoco';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { VirtualTime } from '../../explore/virtual-clock.ts';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { Bridge } from '../../src/bridge.ts';
import { configSchema } from '../../src/config/schema.ts';
import type { LineOptions, SimFault } from '../../src/sim/servo-line.ts';

/** A leader and its follower, both simulated. */
export const PAIR = {
  arms: [
    { name: 'leader', id: 0, bus: 'sim:so101' },
    { name: 'follower', id: 1, bus: 'sim:so101' },
  ],
  pairs: [{ leader: 'leader', follower: 'follower' }],
};

const mj = await loadMujoco();

/** A machine in virtual time whose arms have contacts. @param time that it shares with other machines @param line to its servos */
export const hostWithContacts = (time?: VirtualTime, line?: LineOptions): VirtualHost =>
  new VirtualHost(mj, time, null, line);

/** Longest virtual time that a test waits for a promise, s. */
const LIMIT = 60;
/** What is waited for is looked at so often, s. */
const LOOK = 0.02;
/** Level of a warning in the log. */
const WARNING = 40;

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field by the tests
  readonly body: any;
}

/**
 * The whole bridge in virtual time, over emulated servos and MuJoCo, in this thread. Nothing waits for the machine: what a
 * test sees depends on the code alone.
 */
export class VirtualBridge {
  readonly host: VirtualHost;
  readonly bridge: Bridge;
  readonly folder: string;
  /** Lines of its log, the newest last. */
  readonly lines: { readonly level: number; readonly msg: string }[];

  readonly #config: object;
  #killed = false;

  private constructor(
    host: VirtualHost,
    bridge: Bridge,
    folder: string,
    lines: VirtualBridge['lines'],
    config: object,
  ) {
    this.#config = config;
    this.host = host;
    this.bridge = bridge;
    this.folder = folder;
    this.lines = lines;
  }

  /**
   * @param config differs from one simulated SO-101 named `arm`
   * @param folder where what outlives it is kept; left out: one of its own
   */
  static async start(config: object = {}, folder?: string, host = hostWithContacts()): Promise<VirtualBridge> {
    const kept = folder ?? mkdtempSync(join(tmpdir(), 'arm-bridge-virtual-'));
    if (folder === undefined) onTestFinished(() => rmSync(kept, { recursive: true, force: true }));
    const lines: { level: number; msg: string }[] = [];
    const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
    const { recording = {} } = config as { readonly recording?: object };
    const parsed = configSchema.parse({
      state_folder: kept,
      ros: { enabled: false },
      arms: [{ name: 'arm', bus: 'sim:so101' }],
      ...config,
      recording: { folder: join(kept, 'recordings'), ...recording },
    });
    const bridge = await host.time.until(Bridge.start(parsed, logger, host), LIMIT);
    const made = new VirtualBridge(host, bridge, kept, lines, config);
    bridge.autostart();
    onTestFinished(() => made.end());
    return made;
  }

  /** What a promise settles to, in virtual time. @param limit s */
  until<T>(promise: Promise<T>, limit = LIMIT): Promise<T> {
    return this.host.time.until(promise, limit);
  }

  /** Lets time pass, s. */
  async pass(duration: number): Promise<void> {
    await this.host.time.run(this.host.time.now + duration);
  }

  /** A request by HTTP. @param headers besides that of the host @throws {Error} for a path that no route has */
  async ask(
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { statusCode, payload } = await this.until(
      this.bridge.http.inject({
        method,
        url,
        headers: { host: '127.0.0.1', ...headers },
        ...(body === undefined ? {} : { payload: body }),
      }),
    );
    const told = payload === '' ? null : JSON.parse(payload);
    if (told?.detail === 'Not Found') throw new Error(`there is no route ${method} ${url}: mend the test`);
    return { status: statusCode, body: told };
  }

  /** What is not awaited at once runs beside what is. */
  post(url: string, body?: object): Promise<Answer> {
    return this.ask('POST', url, body);
  }

  get(url: string): Promise<Answer> {
    return this.ask('GET', url);
  }

  /** An arm's entry of GET /status. */
  async status(id: number): Promise<Answer['body']> {
    return (await this.ask('GET', '/status')).body.arms.find((arm: { id: number }) => arm.id === id);
  }

  /** Where the joints of an arm are by its physics, rad. */
  async truth(arm: string): Promise<number[]> {
    return (await this.until(this.host.arms!.truth(arm))).positions;
  }

  /** Makes something go wrong on the bus of an arm. */
  fault(arm: string, fault: SimFault): Promise<void> {
    return this.until(this.host.arms!.fault(arm, fault));
  }

  /** A hand leads joints of an arm to these angles, rad, within `duration` s; null: it lets go. */
  lead(arm: string, joints: Readonly<Record<string, number>> | null, duration = 0): Promise<void> {
    return this.until(this.host.arms!.hand(arm, joints, duration));
  }

  /** Lets time pass until a check holds. @param limit s; later its failure stands */
  async becomes(check: () => void | Promise<void>, limit = 20): Promise<void> {
    const deadline = this.host.time.now + limit;
    for (;;) {
      try {
        return await check();
      } catch (error) {
        if (this.host.time.now > deadline) throw error;
      }
      await this.pass(LOOK);
    }
  }

  /** Warnings and errors of its log that contain this text. */
  told(text = ''): string[] {
    return this.lines.filter(({ level, msg }) => level >= WARNING && msg.includes(text)).map(({ msg }) => msg);
  }

  /** The arm of a name, or the first one. */
  arm(name?: string): Bridge['arms']['all'][number] {
    return name === undefined ? this.bridge.arms.all[0]! : this.bridge.arms.byName(name)!;
  }

  /** Lowers the arms and ends all parts, once. */
  async end(): Promise<void> {
    if (!this.#killed) await this.until(this.bridge.close());
  }

  /** The same, without contacts: several times as fast. */
  static startLight(config: object = {}): Promise<VirtualBridge> {
    return VirtualBridge.start(config, undefined, new VirtualHost(null));
  }

  /** As `kill -9` does. @returns a host for another bridge, over the same arms */
  kill(): VirtualHost {
    this.#killed = true;
    return this.host.killed();
  }

  /** The same bridge after `kill -9`, over the same arms. @param away time in between, s @param meanwhile what happens then */
  async killAndStart(away = 1, meanwhile = () => {}): Promise<VirtualBridge> {
    const next = this.kill();
    await next.time.run(next.time.now + away);
    meanwhile();
    return VirtualBridge.start(this.#config, this.folder, next);
  }

  /** The same bridge after it has ended properly, over the same arms. */
  async restart(): Promise<VirtualBridge> {
    this.host.armsOutlive = true;
    await this.end();
    this.#killed = true;
    return VirtualBridge.start(this.#config, this.folder, this.host.killed());
  }
}
