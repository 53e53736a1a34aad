import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ROS_PYTHON, rosEnvironment } from './bridge.ts';

/** A recorded sensor_msgs/JointState: epoch seconds and rad. */
export interface JointRow {
  readonly stamp: number;
  /** When it was handed to DDS, whenever this peer has come to take it. */
  readonly published: number;
  readonly names: string[];
  readonly position: number[];
}

export interface PoseRow {
  readonly stamp: number;
  readonly published: number;
  readonly frame: string;
  readonly position: [number, number, number];
  /** x, y, z, w */
  readonly orientation: [number, number, number, number];
}

export interface MirrorRow {
  readonly stamp: number;
  readonly active: boolean;
  readonly pairs: { readonly leader: string; readonly follower: string; readonly state: string }[];
  readonly reason: string;
}

interface Rows {
  joints: JointRow;
  pose: PoseRow;
  mirror: MirrorRow;
}

/** An rclpy process on the ROS domain of this test process: what other programs see of the bridge, and do to it. */
export class Peer {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  private constructor() {
    const file = fileURLToPath(new URL('./peer.py', import.meta.url));
    this.#child = spawn(ROS_PYTHON, [file], { env: rosEnvironment(), stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface(this.#child.stdout!)[Symbol.asyncIterator]();
  }

  static async start(): Promise<Peer> {
    const peer = new Peer();
    await peer.#answer();
    return peer;
  }

  async #answer(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the rclpy process has ended');
    const answer: { result?: unknown; error?: string } = JSON.parse(value);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }

  #ask(request: { readonly do: string; readonly [key: string]: unknown }): Promise<unknown> {
    const answer = this.#last.then(() => {
      // JSON has no NaN, but Python reads it.
      const text = JSON.stringify(request, (_, value) => (Number.isNaN(value) ? '#NaN' : value));
      this.#child.stdin!.write(`${text.replaceAll('"#NaN"', 'NaN')}\n`);
      return this.#answer();
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  /**
   * Keeps what comes on a topic from now on, once somebody publishes it.
   * @returns hands over, and forgets, what has come
   */
  async record<Kind extends keyof Rows>(kind: Kind, topic: string): Promise<() => Promise<Rows[Kind][]>> {
    await this.#ask({ do: 'record', kind, topic });
    return async () => (await this.#ask({ do: 'take', topic })) as Rows[Kind][];
  }

  /** Nodes that publish a topic. */
  async publishersOf(topic: string): Promise<string[]> {
    return (await this.#ask({ do: 'publishers_of', topic })) as string[];
  }

  /** Makes a publisher of JointState; resolves when somebody reads it. */
  async advertise(topic: string): Promise<void> {
    await this.#ask({ do: 'advertise', topic });
  }

  /** Publishes points, one each `period` s; resolves with the time after the last one, epoch s. */
  async publish(topic: string, points: readonly Readonly<Record<string, number>>[], period: number): Promise<number> {
    return (await this.#ask({ do: 'publish', topic, points, period })) as number;
  }

  /** Finds a std_srvs/Trigger service, so that a call of it later has nothing to wait for. */
  async find(service: string): Promise<void> {
    await this.#ask({ do: 'find', service });
  }

  /** Calls a std_srvs/Trigger service. */
  async call(service: string): Promise<{ success: boolean; message: string }> {
    return (await this.#ask({ do: 'call', service })) as { success: boolean; message: string };
  }

  /** Sends a signal; resolves when the process has ended, of which SIGSTOP is no end. */
  async kill(signal: 'SIGSTOP' | 'SIGKILL'): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }

  async close(): Promise<void> {
    await this.#last;
    const exited = once(this.#child, 'exit');
    this.#child.stdin!.end();
    await exited;
  }
}

export interface Speeds {
  /** Epoch s of the later of the two messages. */
  readonly time: number;
  /** rad/s, one per joint. */
  readonly speeds: number[];
}

/** Mean speeds over each `span` messages that follow each other. */
export function speedsOf(rows: readonly JointRow[], span = 1): Speeds[] {
  return rows.slice(span).map((row, i) => {
    const before = rows[i]!;
    return {
      time: row.stamp,
      speeds: row.position.map((angle, j) => (angle - before.position[j]!) / (row.stamp - before.stamp)),
    };
  });
}

/** The largest speed of any joint, rad/s, over `span` messages. */
export function topSpeed(rows: readonly JointRow[], span = 1): number {
  return Math.max(0, ...speedsOf(rows, span).flatMap(({ speeds }) => speeds.map(Math.abs)));
}

/** The same, of half of the time. */
export function medianSpeed(rows: readonly JointRow[], span = 1): number {
  const speeds = speedsOf(rows, span).map((at) => Math.max(...at.speeds.map(Math.abs)));
  return speeds.sort((a, b) => a - b)[speeds.length >> 1] ?? 0;
}

/** A step that took this much longer or shorter than a cycle says little of the speed that was meant, s. */
const REGULAR = 0.001;

export interface SpeedChange {
  /** From the middle of one step to that of the next, s. */
  readonly dt: number;
  /** rad/s, one per joint, without sign. */
  readonly changes: readonly number[];
}

/**
 * By how much speed changes from each step of goals to the next, where both took about `cycle` (s): a cycle that is late
 * steps as one of two at most, so that its goals are slower than their stamps tell. Less what stamps explain that are
 * not a cycle apart: a step that took a tenth longer by its stamps looks a tenth slower.
 */
export function speedChangesOf(rows: readonly JointRow[], cycle: number): SpeedChange[] {
  const speeds = speedsOf(rows);
  const took = speeds.map(({ time }, i) => time - rows[i]!.stamp);
  const regular = (i: number): boolean => Math.abs(took[i]! - cycle) <= REGULAR;
  return speeds.slice(1).flatMap(({ speeds: after }, i) => {
    if (!regular(i) || !regular(i + 1)) return [];
    const before = speeds[i]!.speeds;
    const unsure = (step: number): number => Math.abs(took[step]! - cycle) / cycle;
    const changes = after.map((speed, j) => {
      const byStamps = Math.abs(before[j]!) * unsure(i) + Math.abs(speed) * unsure(i + 1);
      return Math.max(0, Math.abs(speed - before[j]!) - byStamps);
    });
    return [{ dt: (took[i]! + took[i + 1]!) / 2, changes }];
  });
}
