import { type Bridge, type Meaning, overview, type Release, type Schemas } from './bridge.ts';
import type { LiveOptions } from './live.ts';
import { Motion } from './motion.ts';

/** Where a move goes: centimetres and degrees in the absolute frame, `open` 0 closed to 1 open. */
export type Move = Schemas['AbsoluteMoveRequest'];
export type RelativeMove = Schemas['RelativeMoveRequest'];
type Unit = 'rad' | 'degrees' | 'motor_units';
interface GravityOptions extends Omit<Meaning, 'signal'> {
  readonly values?: Schemas['GravityCompensationValues'];
  readonly release?: Release;
}
type StreamOptions = Pick<LiveOptions, 'rate' | 'signal' | 'onConnection'>;

/** One arm of a bridge. Every motion passes the bridge's gate, and is answered when it has ended. */
export class Arm {
  readonly bridge: Bridge;
  /** Name or id. */
  readonly key: string | number;

  /** Use bridge.arm(). */
  constructor(bridge: Bridge, key: string | number) {
    this.bridge = bridge;
    this.key = key;
  }

  /** What stands in a path for the arm. */
  async #path(): Promise<{ name: string }> {
    return { name: await this.bridge.nameOf(this.key) };
  }

  #query(meaning: Meaning = {}): { robot_id?: number; arm?: string; take_over?: boolean; uncalibrated?: boolean } {
    const { signal: _, ...words } = meaning;
    return { ...(typeof this.key === 'string' ? { arm: this.key } : { robot_id: this.key }), ...words };
  }

  /** Torque on, then to the initial pose: the zero of x, y, z and of all angles. It comes before other moves. */
  async init(meaning?: Meaning): Promise<Schemas['MoveAllResponse']> {
    return this.bridge.call('post', '/move/init', { query: this.#query(meaning), ...signalOf(meaning) });
  }

  /** To a position in the absolute frame. A coordinate that is left out keeps its goal, an angle is free. */
  async move(to: Move, meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    const query = this.#query(meaning);
    return this.bridge.call('post', '/move/absolute', { body: to, query, ...signalOf(meaning) });
  }

  /** From the present goal; `open` is no change, but 0 closed to 1 open. */
  async moveRelative(by: RelativeMove, meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    const query = this.#query(meaning);
    return this.bridge.call('post', '/move/relative', { body: by, query, ...signalOf(meaning) });
  }

  /** The gripper alone: 0 closed to 1 open. */
  gripper(open: number, meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    return this.move({ open }, meaning);
  }

  /** Waves. */
  async hello(meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    return this.bridge.call('post', '/move/hello', { query: this.#query(meaning), ...signalOf(meaning) });
  }

  /** Down to the rest pose; there the torque goes off. */
  async sleep(meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    return this.bridge.call('post', '/move/sleep', { query: this.#query(meaning), ...signalOf(meaning) });
  }

  /**
   * Measured position, angles and opening of the end effector in the absolute frame: cm and degrees.
   * @param sync wait for a read of the motors that begins after the request
   */
  async position(sync = false): Promise<Schemas['EndEffectorPosition']> {
    return this.bridge.call('post', '/end-effector/read', { body: { sync }, query: this.#query() });
  }

  /** Measured positions of the joints, in the order of the arm. */
  async joints(unit: Unit = 'rad'): Promise<(number | null)[]> {
    const query = this.#query();
    const { angles } = await this.bridge.call('post', '/joints/read', { body: { unit }, query });
    return angles;
  }

  /**
   * Towards goals of the joints: those of the first ones, or by their places. Answered when accepted; the newest wins, so that
   * it may be called in a loop.
   */
  async writeJoints(
    goals: readonly number[] | Readonly<Record<number, number>>,
    unit: Unit = 'rad',
    meaning?: Meaning,
  ): Promise<Schemas['StatusResponse']> {
    const body = Array.isArray(goals)
      ? { angles: [...(goals as readonly number[])], unit }
      : { angles: Object.values(goals), joints_ids: Object.keys(goals).map(Number), unit };
    const query = this.#query(meaning);
    return this.bridge.call('post', '/joints/write', { body, query, ...signalOf(meaning) });
  }

  /** On: it holds where it is. Off: it is lowered first. @param options `force` drops it */
  async torque(
    on: boolean,
    { force = false, ...rest }: { readonly force?: boolean } & Pick<Meaning, 'take_over'> = {},
  ): Promise<Schemas['StatusResponse']> {
    const body = { torque_status: on, force };
    return this.bridge.call('post', '/torque/toggle', { body, query: this.#query(rest) });
  }

  /** Brakes and holds, and refuses every motion until reset(). */
  async stop(): Promise<Schemas['StopResponse']> {
    return this.bridge.stop(this.#query());
  }

  /** Ends the stop. Nothing moves by that. */
  async reset(): Promise<Schemas['StopResponse']> {
    return this.bridge.reset(this.#query());
  }

  /** What the arm is, with its joints and poses, and in `now` how it is. */
  facts(): Promise<Schemas['ArmOverview']> {
    return overview(this.bridge, this.key);
  }

  /** How the arm is at this moment: metres, radians, seconds, Nm. */
  async state(): Promise<Schemas['ArmState']> {
    return (await this.facts()).now;
  }

  /** How the arm is, 20 times a second unless `rate` says otherwise, for ever. */
  async *states(options: StreamOptions = {}): AsyncGenerator<Schemas['ArmState'], void, void> {
    // Whoever asks for an arm that there is not is told so, in place of waiting for ever.
    let id = await this.bridge.idOf(this.key);
    for await (const frame of this.bridge.live({ ...options, topics: ['arms'] })) {
      if (frame.type === 'hello') {
        // A bridge that has started again may have given its arms other ids.
        id = frame.arms.find((arm) => arm.name === this.key)?.id ?? id;
        continue;
      }
      const state = frame.type === 'arms' ? frame.arms.find((arm) => arm.id === id) : undefined;
      if (state !== undefined) yield state;
    }
  }

  /** Where the joints are asked to be, rad; null without torque. */
  async *goals(options: StreamOptions = {}): AsyncGenerator<(number | null)[], void, void> {
    for await (const { joints } of this.states(options)) yield joints.goal;
  }

  /** The arm's model. */
  async urdf(): Promise<string> {
    const { name } = await this.#path();
    const response = await this.bridge.send('GET', `/api/v1/arms/${encodeURIComponent(name)}/urdf`, { accept: '*/*' });
    return response.text();
  }

  /** Records the joints as measured, whoever drives the arm. */
  async startRecording(request: Schemas['RecordingStartRequest'] = {}): Promise<Schemas['RecordingStartResponse']> {
    return this.bridge.call('post', '/recording/start', { body: request, query: this.#query() });
  }

  /** Ends the recording; its file is complete with the answer. */
  async stopRecording(request: Schemas['RecordingStopRequest'] = {}): Promise<Schemas['RecordingStopResponse']> {
    return this.bridge.call('post', '/recording/stop', { body: request, query: this.#query() });
  }

  /**
   * Replays a recording, from its first pose on: the joints of the recorded arm `source`, or of the one of the same name. Answered when it has ended. Node waits no longer than five minutes for an answer:
   * begin({ replay }) is for what takes longer.
   */
  async play(
    name: string,
    speed = 1,
    { source = null, ...meaning }: Meaning & { readonly source?: string | null } = {},
  ): Promise<Schemas['RecordingPlayResponse']> {
    const query = this.#query(meaning);
    return this.bridge.call('post', '/recording/play', { body: { name, speed, source }, query, ...signalOf(meaning) });
  }

  /**
   * Begins one motion, and resolves as soon as it is under way. Metres and radians. The arm holds when its program has not been
   * heard for 30 s.
   * @param options `key`: two requests with the same one are one motion
   */
  async begin(
    request: Schemas['MotionRequest'],
    { key, signal, ...query }: Meaning & { readonly key?: string } = {},
  ): Promise<Motion> {
    const path = await this.#path();
    const { id } = await this.bridge.call('post', '/api/v1/arms/{name}/motions', {
      path,
      body: request,
      query,
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
      ...signalOf({ ...(signal === undefined ? {} : { signal }) }),
    });
    const motion = new Motion(this.bridge, { ...path, motion: id });
    const cancel = (): void => void motion.cancel().catch(() => {});
    if (signal?.aborted) cancel();
    else signal?.addEventListener('abort', cancel, { once: true });
    return motion;
  }

  /**
   * Follows positions (rad) at times (s) after the observation, as a policy gives them; they take over smoothly from the chunk
   * before. The arm comes to rest and holds when it has no next chunk in time.
   * @param request `observed` is `sampled` of the state that the policy has seen: points whose time has passed are skipped
   */
  async chunk(request: Schemas['Chunk'], meaning?: Meaning): Promise<Schemas['ChunkOutcome']> {
    const { signal: _, ...query } = meaning ?? {};
    return this.bridge.call('post', '/api/v1/arms/{name}/chunks', {
      path: await this.#path(),
      body: request,
      query,
      ...signalOf(meaning),
    });
  }

  /** The motions that are under way and the newest that are over, of whoever asked for them by HTTP. */
  async motions(limit?: number): Promise<Schemas['MotionFacts'][]> {
    const query = limit === undefined ? {} : { limit };
    return (await this.bridge.call('get', '/api/v1/arms/{name}/motions', { path: await this.#path(), query })).motions;
  }

  /** What drives the arm now, and whose it is. */
  async motion(): Promise<Schemas['MotionState']> {
    return this.bridge.call('get', '/api/v1/arms/{name}/motion', { path: await this.#path() });
  }

  /** Ends what drives the arm: it holds, and the next motion may begin at once. */
  async halt(query: Pick<Meaning, 'take_over'> = {}): Promise<Schemas['StatusResponse']> {
    return this.bridge.call('delete', '/api/v1/arms/{name}/motion', { path: await this.#path(), query });
  }

  /** Takes the arm from whoever drives it, until release(). */
  async takeOver(): Promise<Schemas['StatusResponse']> {
    return this.bridge.call('post', '/api/v1/arms/{name}/take-over', { path: await this.#path() });
  }

  /** Gives the arm back; it holds. */
  async release(query: Pick<Meaning, 'take_over'> = {}): Promise<Schemas['StatusResponse']> {
    return this.bridge.call('post', '/api/v1/arms/{name}/release', { path: await this.#path(), query });
  }

  /** Asks the person who has the arm for it, or tells how that stands; `ask` is null where nobody else has it. Nothing moves. */
  async ask(): Promise<Schemas['AskAnswer']> {
    return this.bridge.call('post', '/api/v1/arms/{name}/ask', { path: await this.#path() });
  }

  /** For who is asked for the arm. @param id of the ask, as the live stream tells it @param give false: not now */
  async answer(id: string, give: boolean): Promise<Schemas['AskAnswer']> {
    const path = { ...(await this.#path()), ask: id };
    return this.bridge.call('post', '/api/v1/arms/{name}/ask/{ask}', { path, body: { give } });
  }

  /** What move() would come to, in its units. Nothing moves. */
  async reachable(to: Move): Promise<Schemas['ReachableAnswer']> {
    return this.bridge.call('post', '/api/v1/arms/{name}/reachable', { path: await this.#path(), body: to });
  }

  /**
   * On: the arm carries its weight and yields to the hand. Off: it holds, unless `release` says that it is lowered, or falls.
   * @param options `values`: percentages for shoulder, elbow and wrist
   */
  async gravityCompensation(
    on = true,
    { values, release, ...meaning }: GravityOptions = {},
  ): Promise<Schemas['StatusResponse']> {
    const query = this.#query(meaning);
    if (!on) return this.bridge.call('post', '/gravity/stop', { query: { ...query, ...(release ? { release } : {}) } });
    const body = values === undefined ? {} : { gravity_compensation_values: values };
    return this.bridge.call('post', '/gravity/start', { body, query });
  }

  /**
   * The next step of a calibration; the answer says what to do before the one after it.
   * @param reversed at the last one: joints that went the other way than was said
   */
  async calibrate(
    reversed: readonly string[] = [],
    meaning: Pick<Meaning, 'take_over'> = {},
  ): Promise<Schemas['CalibrateResponse']> {
    const query = { ...this.#query(meaning), ...(reversed.length === 0 ? {} : { reversed: [...reversed] }) };
    return this.bridge.call('post', '/calibrate', { query });
  }

  /** How far the calibration is that is under way. */
  async calibration(): Promise<Schemas['CalibrationState']> {
    return this.bridge.call('get', '/api/v1/arms/{name}/calibration', { path: await this.#path() });
  }

  /** Ends it; the servos get back what they had. An arm that holds goes limp: take hold of it first. */
  async cancelCalibration(): Promise<Schemas['StatusResponse']> {
    return this.bridge.call('delete', '/api/v1/arms/{name}/calibration', { path: await this.#path() });
  }
}

function signalOf(meaning: Meaning | undefined): { signal?: AbortSignal } {
  return meaning?.signal === undefined ? {} : { signal: meaning.signal };
}
