import type { Bridge, Meaning, Schemas } from './bridge.ts';
import type { LiveOptions } from './live.ts';

/** Where a move goes: centimetres and degrees in the absolute frame, `open` 0 closed to 1 open. */
export type Move = Schemas['AbsoluteMoveRequest'];
export type RelativeMove = Schemas['RelativeMoveRequest'];
type Unit = 'rad' | 'degrees' | 'motor_units';
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

  async #query(meaning: Meaning = {}): Promise<{ robot_id: number; take_over?: boolean; uncalibrated?: boolean }> {
    const { signal: _, ...words } = meaning;
    return { robot_id: await this.bridge.idOf(this.key), ...words };
  }

  /** Torque on, then to the initial pose: the zero of x, y, z and of all angles. It comes before other moves. */
  async init(meaning?: Meaning): Promise<Schemas['MoveAllResponse']> {
    return this.bridge.call('post', '/move/init', { query: await this.#query(meaning), ...signalOf(meaning) });
  }

  /** To a position in the absolute frame. A coordinate that is left out keeps its goal, an angle is free. */
  async move(to: Move, meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    const query = await this.#query(meaning);
    return this.bridge.call('post', '/move/absolute', { body: to, query, ...signalOf(meaning) });
  }

  /** From the present goal; `open` is no change, but 0 closed to 1 open. */
  async moveRelative(by: RelativeMove, meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    const query = await this.#query(meaning);
    return this.bridge.call('post', '/move/relative', { body: by, query, ...signalOf(meaning) });
  }

  /** The gripper alone: 0 closed to 1 open. */
  gripper(open: number, meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    return this.move({ open }, meaning);
  }

  /** Waves. */
  async hello(meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    return this.bridge.call('post', '/move/hello', { query: await this.#query(meaning), ...signalOf(meaning) });
  }

  /** Down to the rest pose; there the torque goes off. */
  async sleep(meaning?: Meaning): Promise<Schemas['MoveResponse']> {
    return this.bridge.call('post', '/move/sleep', { query: await this.#query(meaning), ...signalOf(meaning) });
  }

  /**
   * Measured position, angles and opening of the end effector in the absolute frame: cm and degrees.
   * @param sync wait for a read of the motors that begins after the request
   */
  async position(sync = false): Promise<Schemas['EndEffectorPosition']> {
    return this.bridge.call('post', '/end-effector/read', { body: { sync }, query: await this.#query() });
  }

  /** Measured positions of the joints, in the order of the arm. */
  async joints(unit: Unit = 'rad'): Promise<(number | null)[]> {
    const query = await this.#query();
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
    const query = await this.#query(meaning);
    return this.bridge.call('post', '/joints/write', { body, query, ...signalOf(meaning) });
  }

  /** On: it holds where it is. Off: it is lowered first. @param force drop it */
  async torque(on: boolean, force = false): Promise<Schemas['StatusResponse']> {
    const body = { torque_status: on, force };
    return this.bridge.call('post', '/torque/toggle', { body, query: await this.#query() });
  }

  /** Brakes and holds, and refuses every motion until reset(). */
  async stop(): Promise<Schemas['StopResponse']> {
    return this.bridge.call('post', '/stop', { query: await this.#query() });
  }

  /** Ends the stop. Nothing moves by that. */
  async reset(): Promise<Schemas['StopResponse']> {
    return this.bridge.call('post', '/stop/reset', { query: await this.#query() });
  }

  /** What the arm is, with its joints and poses, and in `now` how it is. */
  async facts(): Promise<Schemas['ArmOverview']> {
    const id = await this.bridge.idOf(this.key);
    return (await this.bridge.arms()).find((arm) => arm.id === id)!;
  }

  /** How the arm is at this moment: metres, radians, seconds, Nm. */
  async state(): Promise<Schemas['ArmState']> {
    return (await this.facts()).now;
  }

  /** How the arm is, 20 times a second unless `rate` says otherwise, for ever. */
  async *states(options: StreamOptions = {}): AsyncGenerator<Schemas['ArmState'], void, void> {
    const id = await this.bridge.idOf(this.key);
    for await (const frame of this.bridge.live({ ...options, topics: ['arms'] })) {
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
    const { name } = await this.facts();
    const response = await this.bridge.send('GET', `/api/v1/arms/${encodeURIComponent(name)}/urdf`, { accept: '*/*' });
    return response.text();
  }

  /** Records the joints as measured, whoever drives the arm. */
  async startRecording(request: Schemas['RecordingStartRequest'] = {}): Promise<Schemas['RecordingStartResponse']> {
    return this.bridge.call('post', '/recording/start', { body: request, query: await this.#query() });
  }

  /** Ends the recording; its file is complete with the answer. */
  async stopRecording(): Promise<Schemas['RecordingStopResponse']> {
    return this.bridge.call('post', '/recording/stop', { query: await this.#query() });
  }

  /** Replays a recording, from its first pose on. */
  async play(name: string, speed = 1, meaning?: Meaning): Promise<Schemas['RecordingPlayResponse']> {
    const query = await this.#query(meaning);
    return this.bridge.call('post', '/recording/play', { body: { name, speed }, query, ...signalOf(meaning) });
  }
}

function signalOf(meaning: Meaning | undefined): { signal?: AbortSignal } {
  return meaning?.signal === undefined ? {} : { signal: meaning.signal };
}
