/** What loads the bridge of bench/soak.ts: HTTP requests, live clients, and a ROS 2 reader. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

/** Requests that move nothing, in turn. */
const READS = [
  ['GET', '/status'],
  ['POST', '/end-effector/read?robot_id=1'],
  ['POST', '/joints/read?robot_id=1'],
  ['GET', '/api/v1/arms'],
  ['GET', '/metrics'],
] as const;
const PEER = fileURLToPath(new URL('../../../bench/ros-peer.py', import.meta.url));

/** Connections that each read `rate` times a second. */
export class Readers {
  /** Answers by status; those that did not come, by the error's code. */
  readonly answers = new Map<string, number>();
  readonly #agent: Agent;
  readonly #timers: NodeJS.Timeout[] = [];
  #turn = 0;
  /** What is cut off by the end is nobody's fault. */
  #stopped = false;

  constructor(url: string, connections: number, rate: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    for (let i = 0; i < connections; i++) this.#timers.push(setInterval(() => this.#ask(url), 1000 / rate));
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#agent.destroy();
  }

  #ask(url: string): void {
    const [method, path] = READS[this.#turn++ % READS.length]!;
    const asked = request(`${url}${path}`, { method, agent: this.#agent }, (response) => {
      response.resume().on('end', () => this.#count(String(response.statusCode)));
    });
    asked.on('error', (error: NodeJS.ErrnoException) => this.#count(error.code ?? error.message));
    asked.end();
  }

  #count(what: string): void {
    if (this.#stopped) return;
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1);
  }
}

/** Live clients, the first of which stops reading. */
export class LiveClients {
  frames = 0;
  readonly #sockets: WebSocket[] = [];

  constructor(url: string, count: number, rate: number) {
    for (let i = 0; i < count; i++) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/live`);
      socket.on('open', () => {
        socket.send(JSON.stringify({ type: 'subscribe', topics: ['arms', 'pairs', 'loop', 'log'], rate }));
        if (i === 0) socket.pause();
      });
      socket.on('message', () => this.frames++);
      socket.on('error', () => {});
      this.#sockets.push(socket);
    }
  }

  stop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}

/** A program of rclpy that reads the joint states of an arm. */
export class RosReader {
  readonly #process: ChildProcess;

  constructor(python: string, arm: string) {
    this.#process = spawn(python, ['-B', PEER, 'read', `${arm}/joint_states`], {
      env: { ...process.env, LD_LIBRARY_PATH: process.env.ARM_BRIDGE_ROS_LD_LIBRARY_PATH ?? '' },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin!.end();
    if (this.#process.exitCode === null) await ended;
  }
}
