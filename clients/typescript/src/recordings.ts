import type { Bridge, Schemas } from './bridge.ts';

const fileOf = (name: string): string => `/api/v1/recordings/${encodeURIComponent(name)}/file`;

/** The recordings that a bridge keeps. */
export class Recordings {
  readonly #bridge: Bridge;

  /** Use bridge.recordings. */
  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** The newest first, `limit` (20) of them after `offset`; those of one dataset where it is named. */
  async list(query: { limit?: number; offset?: number; dataset?: string } = {}): Promise<Schemas['Recording'][]> {
    return (await this.#bridge.call('get', '/api/v1/recordings', { query })).recordings;
  }

  /** What is known of a recording, with its topics. */
  facts(name: string): Promise<Schemas['RecordingFacts']> {
    return this.#bridge.call('get', '/api/v1/recordings/{name}', { path: { name } });
  }

  /** The file of a recording, as it arrives. */
  async download(name: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    return (await this.#bridge.send('GET', fileOf(name), { accept: '*/*' })).body!;
  }

  /** Bytes of the file of a recording, as a slice has them: those before `stop`, or to its end. */
  async read(name: string, start = 0, stop?: number): Promise<Uint8Array<ArrayBuffer>> {
    if (start < 0 || (stop !== undefined && stop <= start)) {
      throw new RangeError(`no bytes from ${start} to ${stop}: 0 <= start < stop`);
    }
    const headers = { range: `bytes=${start}-${stop === undefined ? '' : stop - 1}` };
    const response = await this.#bridge.send('GET', fileOf(name), { accept: '*/*', headers });
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw this.#bridge.unreachable(cause);
    }
  }

  /** Sends an MCAP file with joint states, so that it can be replayed by this name. */
  async upload(name: string, file: Blob | Uint8Array<ArrayBuffer> | ArrayBuffer): Promise<Schemas['RecordingFacts']> {
    const response = await this.#bridge.send('POST', fileOf(name), { file });
    return ((await this.#bridge.read(response)) as Schemas['RecordingResponse']).recording;
  }

  /** Renames a recording, or says what an episode shows and whether it is to be used. */
  async change(
    name: string,
    { new_name, ...said }: Omit<Schemas['RecordingChangeRequest'], 'name'> & { readonly new_name?: string },
  ): Promise<Schemas['RecordingFacts']> {
    const body = { ...said, ...(new_name === undefined ? {} : { name: new_name }) };
    return (await this.#bridge.call('post', '/api/v1/recordings/{name}', { path: { name }, body })).recording;
  }

  /** Joints of one recorded arm (`source`) over time, as curves: `points` (300) samples between two times, s. */
  samples(
    name: string,
    query: { source?: string; begin?: number; end?: number; points?: number } = {},
  ): Promise<Schemas['RecordingSamples']> {
    return this.#bridge.call('get', '/api/v1/recordings/{name}/samples', { path: { name }, query });
  }

  /** What an arm would do of a recording, and what of it the arm cannot reach. Nothing moves. */
  async foresee(
    name: string,
    arm: string | number,
    query: { source?: string; points?: number } = {},
  ): Promise<Schemas['RecordingForeseen']> {
    const robot_id = await this.#bridge.idOf(arm);
    const path = '/api/v1/recordings/{name}/replay';
    return this.#bridge.call('get', path, { path: { name }, query: { ...query, robot_id } });
  }

  /** Makes the part between two times (s) a recording of its own; the old one stays. */
  async trim(name: string, request: Schemas['RecordingTrimRequest']): Promise<Schemas['RecordingFacts']> {
    const body = request;
    return (await this.#bridge.call('post', '/api/v1/recordings/{name}/trim', { path: { name }, body })).recording;
  }

  /** Deletes a recording for good. */
  delete(name: string): Promise<Schemas['StatusResponse']> {
    return this.#bridge.call('delete', '/api/v1/recordings/{name}', { path: { name } });
  }
}

/** What all arms do in each cycle of the control loop, as one recording. */
export class Episode {
  readonly #bridge: Bridge;

  /** Use bridge.episode. */
  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** The episode that is being recorded, or null. */
  async state(): Promise<Schemas['RunningEpisode'] | null> {
    return (await this.#bridge.call('get', '/api/v1/episode')).episode;
  }

  /** Begins to record. Nothing moves. */
  async start(request: Schemas['EpisodeStartRequest'] = {}): Promise<Schemas['RunningEpisode']> {
    return (await this.#bridge.call('post', '/api/v1/episode/start', { body: request })).episode!;
  }

  /** Puts an event with a text into it. */
  mark(text = ''): Promise<Schemas['StatusResponse']> {
    return this.#bridge.call('post', '/api/v1/episode/mark', { body: { text } });
  }

  /** Ends it; its file is complete with the answer, or gone where it is not to be kept. */
  stop(request: Schemas['EpisodeStopRequest'] = {}): Promise<Schemas['EpisodeStopResponse']> {
    return this.#bridge.call('post', '/api/v1/episode/stop', { body: request });
  }
}
