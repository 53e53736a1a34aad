import { alarmTexts } from '../arm/alarms.ts';
import type { Arm } from '../arm/arm.ts';
import { type Camera, type CameraType, cameraAt } from '../cameras.ts';
import type { Clock } from '../clock.ts';
import type { EventLevel } from './messages.ts';
import type { RecordingClient } from './recording-client.ts';

/** Period at which the owners of the arms are checked, s. */
const LOOK = 0.1;
/**
 * Most bytes of camera messages that may wait for the disk. With more, the thread that writes them would keep the arms
 * waiting for longer than their history lasts, and a slow disk would take all memory.
 */
const MOST_WAITING = 32e6;
/** A camera of which nothing has come for so long is silent, s; many give one image a second. */
const SILENCE = 2;

/**
 * Reports what the snapshots of an episode's arms lack to the recording thread: reasons of states, alarms, owners,
 * and what cameras see.
 */
export class EpisodeWatch {
  readonly #name: string;
  readonly #client: RecordingClient;
  readonly #clock: Clock;
  readonly #ends: (() => void)[] = [];
  readonly #owners = new Map<Arm, string>();
  /** Alarm bits of each arm's joints that have been told. */
  readonly #alarms = new Map<Arm, Float64Array>();
  /** Bytes of camera messages that wait for the disk, and messages left out since the last one that was not. */
  #waiting = 0;
  #leftOut = 0;
  /** When each topic of a camera was heard last, or the episode began, s. */
  readonly #heard: Map<string, number>;
  readonly #types: ReadonlyMap<string, CameraType>;
  readonly #silent = new Set<string>();
  readonly #notice: (text: string) => void;

  /**
   * @param cameras that are to be recorded
   * @param notice tells people what they should see to while the episode runs
   */
  constructor(
    name: string,
    arms: readonly Arm[],
    cameras: readonly Camera[],
    client: RecordingClient,
    clock: Clock,
    notice: (text: string) => void,
  ) {
    this.#name = name;
    this.#heard = new Map(cameras.map(({ topic }) => [topic, clock.now()]));
    this.#types = new Map(cameras.map(({ topic, type }) => [topic, type]));
    this.#notice = notice;
    this.#client = client;
    this.#clock = clock;
    for (const arm of arms) {
      this.#ends.push(
        arm.onState((state, reason) => {
          if (reason === '') return;
          const fault = state === 'stopped' || state === 'disconnected';
          this.tell(fault ? 'warn' : 'info', arm.name, fault ? 'fault' : 'reason', `${state}: ${reason}`);
        }),
      );
    }
    const look = clock.every(LOOK, () => this.#look(arms), true);
    this.#ends.push(() => look.cancel());
    this.#look(arms);
  }

  /** Topics of cameras of which nothing comes. */
  get silent(): readonly string[] {
    return [...this.#silent];
  }

  tell(level: EventLevel, source: string, what: string, text: string): void {
    this.#client.tell({ kind: 'event', recording: this.#name, instant: this.#clock.now(), level, source, what, text });
  }

  /**
   * Adds a camera message, or leaves it out while too many wait for the disk.
   * @param data CDR; if it fills its buffer, that buffer is transferred
   */
  see(topic: string, data: Uint8Array): void {
    const { byteLength } = data;
    this.#heard.set(topic, this.#clock.now());
    if (this.#silent.delete(topic)) this.tell('info', '', 'camera', `${topic} comes again`);
    if (this.#waiting > 0 && this.#waiting + byteLength > MOST_WAITING) {
      this.#leftOut++;
      return;
    }
    this.#tellLeftOut();
    this.#waiting += byteLength;
    // Posting transfers the whole buffer, so a view is copied first.
    const own = byteLength === data.buffer.byteLength ? data : new Uint8Array(data);
    const type = this.#types.get(topic) ?? cameraAt(topic).type;
    this.#client.tell({ kind: 'camera', recording: this.#name, instant: this.#clock.now(), topic, type, data: own });
  }

  /** So many bytes of camera messages have been written. */
  written(bytes: number): void {
    this.#waiting -= bytes;
  }

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return;
    this.tell('warn', '', 'lost', `the disk is too slow: ${this.#leftOut} messages of cameras were not recorded`);
    this.#leftOut = 0;
  }

  close(): void {
    this.#tellLeftOut();
    for (const end of this.#ends) end();
  }

  #look(arms: readonly Arm[]): void {
    for (const [topic, heard] of this.#heard) {
      if (this.#silent.has(topic) || this.#clock.now() - heard < SILENCE) continue;
      this.#silent.add(topic);
      this.tell('warn', '', 'camera', `nothing comes of ${topic}`);
      this.#notice(
        `the episode "${this.#name}" is recorded without ${topic}, of which nothing has come for ${SILENCE} s: see whether that ` +
          'camera runs, and whether its topic is on the ROS graph of this bridge',
      );
    }
    for (const arm of arms) {
      this.#lookForAlarms(arm);
      const owner = arm.owner?.name ?? '';
      if (this.#owners.get(arm) === owner) continue;
      this.#owners.set(arm, owner);
      this.tell('info', arm.name, 'owner', owner === '' ? 'nobody' : owner);
    }
  }

  /** Tells of alarms of servos, also of such as stop nothing. */
  #lookForAlarms(arm: Arm): void {
    const { state, alarms } = arm.read();
    if (state === 'disconnected') return;
    const told = this.#alarms.get(arm) ?? new Float64Array(alarms.length);
    this.#alarms.set(arm, told);
    for (const [joint, bits] of alarms.entries()) {
      if (bits === told[joint]) continue;
      told[joint] = bits;
      const { name } = arm.model.joints[joint]!;
      const texts = alarmTexts(arm.model.family).flatMap(([bit, text]) => ((bits & bit) === 0 ? [] : [text]));
      if (bits === 0) this.tell('info', arm.name, 'fault', `${name}: its servo reports no alarm any more`);
      else this.tell('warn', arm.name, 'fault', `${name}: its servo reports ${texts.join(', ') || `alarm ${bits}`}`);
    }
  }
}
