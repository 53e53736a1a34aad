import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, vi } from 'vitest';
import { loadRclnodejs } from '../../../src/ros/rclnodejs.ts';
import { freeDomain } from '../../support/domain.ts';

/** Why tests with a real ROS 2 cannot run here; null when they can. */
async function missing(): Promise<string | null> {
  const load = await loadRclnodejs();
  if (!load.ok) return load.reason;
  if (!process.env.ARM_BRIDGE_ROS_PYTHON) return 'ARM_BRIDGE_ROS_PYTHON does not name a Python with rclpy';
  return null;
}

const reason = await missing();
if (reason !== null && process.env.ARM_BRIDGE_REQUIRE_ROS) throw new Error(`ROS 2 is required: ${reason}`);
if (reason !== null) console.warn(`\n*** TESTS WITH ROS 2 ARE SKIPPED: ${reason} ***\n`);

/** `describe` for tests that need a real ROS 2. */
export const describeRos = describe.skipIf(reason !== null);

/**
 * Gives this process a ROS domain of its own, found on loopback alone, and a log folder of its own.
 * @returns what puts the environment back and removes the folder
 */
export function isolateRos(): () => void {
  const logs = mkdtempSync(join(tmpdir(), 'arm-bridge-ros-'));
  const names = ['ROS_DOMAIN_ID', 'ROS_LOG_DIR', 'ROS_AUTOMATIC_DISCOVERY_RANGE'] as const;
  const before = names.map((name) => process.env[name]);
  process.env.ROS_DOMAIN_ID = String(freeDomain());
  process.env.ROS_LOG_DIR = logs;
  process.env.ROS_AUTOMATIC_DISCOVERY_RANGE = 'LOCALHOST';
  return () => {
    for (const [index, name] of names.entries()) {
      const value = before[index];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(logs, { recursive: true, force: true });
  };
}

export interface Quality {
  readonly reliability?: 'RELIABLE' | 'BEST_EFFORT';
  readonly durability?: 'VOLATILE' | 'TRANSIENT_LOCAL';
  readonly depth?: number;
}

export interface Received<Message> {
  /** When rclpy got it, seconds since the epoch. */
  readonly at: number;
  readonly message: Message;
}

export interface JointStateMessage {
  readonly header: { readonly stamp: { readonly sec: number; readonly nanosec: number }; readonly frame_id: string };
  readonly name: string[];
  readonly position: number[];
  readonly velocity: number[];
  readonly effort: number[];
}

export interface PoseStampedMessage {
  readonly header: JointStateMessage['header'];
  readonly pose: {
    readonly position: { readonly x: number; readonly y: number; readonly z: number };
    readonly orientation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
  };
}

export interface MirrorStateMessage {
  readonly header: JointStateMessage['header'];
  readonly active: boolean;
  readonly pairs: {
    readonly leader: string;
    readonly follower: string;
    readonly state: string;
    readonly owner: string;
    readonly rate: number;
    readonly latency: number;
    readonly reason: string;
  }[];
  readonly reason: string;
}

/** How a goal of an action ended. */
export interface Ended<Result, Feedback> {
  readonly status: 'succeeded' | 'canceled' | 'aborted';
  readonly result: Result;
  readonly feedback: Feedback[];
}

export interface TransformMessage {
  readonly translation: { readonly x: number; readonly y: number; readonly z: number };
  readonly rotation: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
}

export interface Graph {
  readonly nodes: string[];
  readonly topics: Record<
    string,
    {
      readonly types: string[];
      readonly publishers: { readonly node: string; readonly reliability: string; readonly durability: string }[];
      readonly subscribers: number;
    }
  >;
  readonly services: Record<string, string[]>;
}

/** Seconds within which anything on the graph must have happened; far more than it takes. */
const TIMEOUT = 20;

/** What a busy machine may have prevented is asked for so often. */
const TRIES = 20;

/** A process with rclpy, the other implementation of ROS 2, on the domain of this process. */
export class Witness {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  readonly #closed: Promise<unknown>;
  #errors = '';
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  private constructor(environment: NodeJS.ProcessEnv) {
    const script = fileURLToPath(new URL('./witness.py', import.meta.url));
    this.#process = spawn(process.env.ARM_BRIDGE_ROS_PYTHON!, [script], {
      env: { ...environment, LD_LIBRARY_PATH: process.env.ARM_BRIDGE_ROS_LD_LIBRARY_PATH ?? '' },
    });
    this.#process.stderr.on('data', (data) => {
      this.#errors += data;
    });
    this.#closed = new Promise((resolve) => this.#process.on('close', resolve));
    this.#answers = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  static async start(environment: NodeJS.ProcessEnv = {}): Promise<Witness> {
    const witness = new Witness({ ...process.env, ...environment });
    await witness.#answer();
    return witness;
  }

  async #answer(): Promise<unknown> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the rclpy witness ended:\n${this.#errors}`);
    const answer: { result?: unknown; error?: string } = JSON.parse(value);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.result;
  }

  #ask(request: object): Promise<unknown> {
    const answer = this.#last.then(() => {
      // JSON has no NaN; Python reads it all the same.
      const text = JSON.stringify(request, (_, value) => (Number.isNaN(value) ? '#NaN' : value));
      this.#process.stdin.write(`${text.replaceAll('"#NaN"', 'NaN')}\n`);
      return this.#answer();
    });
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** @returns how to wait for, and take, at least `count` messages */
  async subscribe<Message>(type: string, topic: string, quality: Quality = {}) {
    const id = `${this.#count++}`;
    await this.#ask({ op: 'subscribe', id, type, topic, ...quality });
    return async (count: number, timeout = TIMEOUT): Promise<Received<Message>[]> =>
      (await this.#ask({ op: 'messages', id, count, timeout })) as Received<Message>[];
  }

  /** Resolves when there are as many readers as said. @returns how to publish messages, `period` s apart */
  async advertise(type: string, topic: string, quality: Quality = {}, readers = 1) {
    const id = `${this.#count++}`;
    const found = await this.#ask({ op: 'advertise', id, type, topic, readers, timeout: TIMEOUT, ...quality });
    if (!found) throw new Error(`nobody reads ${topic}`);
    return (messages: object[], period = 0) => this.#ask({ op: 'publish', id, messages, period });
  }

  async trigger(service: string): Promise<{ success: boolean; message: string }> {
    const answer = await this.#ask({ op: 'call', type: 'std_srvs/srv/Trigger', service, timeout: TIMEOUT });
    return answer as { success: boolean; message: string };
  }

  /** Has a service do what it is for, again where a busy machine has kept it from that. @throws {Error} with what it said last */
  async perform(service: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      // One that is not answered in time may have been done too late.
      const unanswered = (error: unknown) => ({ success: false, message: String(error) });
      const { success, message } = await this.trigger(service).catch(unanswered);
      if (success) return;
      if (tries === TRIES) throw new Error(`${service}: ${message}`);
      await setTimeout(500);
    }
  }

  /** Calls a service. */
  async call<Answer>(type: string, service: string, fields: object = {}): Promise<Answer> {
    return (await this.#ask({ op: 'call', type, service, fields, timeout: TIMEOUT })) as Answer;
  }

  /** Sends a request whose answer this client can never take; it may be lost while both ends do not know each other yet. */
  async askDeaf(type: string, service: string): Promise<void> {
    await this.#ask({ op: 'ask_deaf', type, service });
  }

  /** Sends a goal of an action, which must be accepted. */
  async goal<Result, Feedback = unknown>(type: string, action: string, fields: object) {
    const id = `${this.#count++}`;
    const accepted = await this.#ask({ op: 'send_goal', id, type, action, fields, timeout: TIMEOUT });
    if (accepted !== true) throw new Error(`goal of ${action} rejected`);
    return {
      /** @returns how many goals are being cancelled */
      cancel: () => this.#ask({ op: 'cancel_goal', id, timeout: TIMEOUT }),
      result: () => this.#ask({ op: 'goal_result', id, timeout: TIMEOUT }) as Promise<Ended<Result, Feedback>>,
    };
  }

  /** The transforms from `target` down to `source`, newest ones, as /tf and /tf_static tell them. */
  async transforms(target: string, source: string): Promise<readonly TransformMessage[] | null> {
    return (await this.#ask({ op: 'transform', target, source, timeout: TIMEOUT })) as TransformMessage[] | null;
  }

  async serialize(type: string, fields: object): Promise<Buffer> {
    return Buffer.from((await this.#ask({ op: 'serialize', type, fields })) as string, 'hex');
  }

  /** What the graph holds once `node` is seen, or after `timeout` s. */
  async graph(node: string, timeout = TIMEOUT): Promise<Graph> {
    return (await this.#ask({ op: 'graph', node, timeout })) as Graph;
  }

  /** Checks what the graph holds, again until it passes: a node is seen before all of its topics and services are. */
  async graphPasses(node: string, check: (graph: Graph) => void): Promise<void> {
    await vi.waitFor(async () => check(await this.graph(node)), { timeout: 30_000, interval: 100 });
  }

  /** Makes further nodes that read a topic each: crowd_1, crowd_2 and so on. */
  async crowd(count: number, type: string, topic: string): Promise<void> {
    await this.#ask({ op: 'crowd', count, type, topic });
  }

  /** How many nodes offer a service. */
  async servers(service: string): Promise<number> {
    return (await this.#ask({ op: 'servers', service })) as number;
  }

  /** Stops the process where it is: its readers read no more. */
  pause(): void {
    this.#process.kill('SIGSTOP');
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }

  async close(): Promise<void> {
    await this.#last;
    this.#process.stdin.end();
    await this.#closed;
  }
}
