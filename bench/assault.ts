/** Sends hostile requests to a bridge and watches that it bears them: its answers, and what its arms do. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Attack, attackOf, type Kind, type Target, targetsOf } from './hostile-requests.ts';

/** Attacks at once. */
const AT_ONCE = 16;
/** After so many attacks a stop is reset, so that those who ask for motion find arms that may move. */
const CALM = 20;
/** An answer is waited for so long, ms: a move goes on for longer, and its client has gone then. */
const PATIENCE = 250;
/** Joints may be measured so far outside their limits, rad: servos are springs, and limp arms lie where they come to lie. */
const OUTSIDE = 0.05;
/** Setpoints keep to the limits but for what the droop of a hold is off by, rad. */
const OFF = 0.01;
/**
 * Speed is judged over so long, s: samples bear the time at which their read began, and its answer may come late. A joint with
 * torque is never quicker than so many times its speed for moves, which is that of mirroring and a margin; and so much, rad.
 */
const SPAN = 0.5;
const QUICKER = 2.5;
const MARGIN = 0.3;

export interface AssaultReport {
  readonly sent: Readonly<Record<Kind, number>>;
  /** Answers by status. */
  readonly answers: ReadonlyMap<number, number>;
  /** Answers of 500 and more, other than those of probes, for people; the first ones. */
  readonly failures: readonly string[];
  /** Motion that must not have been, for people; the first ones. */
  readonly faults: readonly string[];
  /** Frames in which the arms were watched. */
  readonly watched: number;
}

interface JointFacts {
  readonly name: string;
  readonly lower: number;
  readonly upper: number;
  readonly velocity: number;
}

interface ArmFrame {
  readonly id: number;
  readonly state: string;
  readonly torque: boolean;
  readonly sampled: number;
  readonly joints: { readonly position: readonly (number | null)[]; readonly goal: readonly (number | null)[] };
}

const MOST_FAULTS = 20;
/** Of a request and of its answer people are shown so many characters. */
const SHOWN = 600;

/** Judges every frame of the arms. */
class Watch {
  frames = 0;
  readonly #joints = new Map<number, readonly JointFacts[]>();
  /** The frame by which the speed of each arm is judged. */
  readonly #first = new Map<number, ArmFrame>();
  readonly #fault: (text: string) => void;
  readonly #socket: WebSocket;

  constructor(url: string, fault: (text: string) => void) {
    this.#fault = fault;
    this.#socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/v1/live`);
    this.#socket.on('open', () =>
      this.#socket.send(JSON.stringify({ type: 'subscribe', topics: ['arms'], rate: 100 })),
    );
    this.#socket.on('message', (data) => this.#take(JSON.parse(String(data))));
    this.#socket.on('error', (error) => fault(`the live stream failed: ${error.message}`));
  }

  /** Resolves with the first frame. */
  async begin(): Promise<void> {
    while (this.frames === 0) await sleep(5);
  }

  close(): void {
    this.#socket.removeAllListeners('message');
    this.#socket.close();
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages are those of docs/http.md
  #take(message: any): void {
    if (message.type === 'hello') for (const { id, joints } of message.arms) this.#joints.set(id, joints);
    if (message.type !== 'arms') return;
    this.frames++;
    for (const arm of message.arms as ArmFrame[]) this.#judge(arm);
  }

  #judge(arm: ArmFrame): void {
    const { position, goal } = arm.joints;
    const joints = this.#joints.get(arm.id)!;
    for (const [i, { name, lower, upper }] of joints.entries()) {
      const beyond = (value: number | null | undefined, slack: number): boolean =>
        typeof value === 'number' && (value < lower - slack || value > upper + slack);
      if (beyond(position[i], OUTSIDE)) this.#fault(`arm ${arm.id}, ${name}: measured at ${position[i]} rad`);
      if (beyond(goal[i], OFF)) this.#fault(`arm ${arm.id}, ${name}: is to be at ${goal[i]} rad`);
    }
    const first = this.#first.get(arm.id);
    const span = first === undefined ? 0 : arm.sampled - first.sampled;
    // A limp arm falls as it likes.
    if (!arm.torque || arm.state === 'disconnected') this.#first.delete(arm.id);
    else if (first === undefined || span >= SPAN) this.#first.set(arm.id, arm);
    if (first === undefined || !arm.torque || span < SPAN) return;
    for (const [i, { name, velocity }] of joints.entries()) {
      const way = Math.abs((position[i] ?? Number.NaN) - (first.joints.position[i] ?? Number.NaN));
      if (way > QUICKER * velocity * span + MARGIN) this.#fault(`arm ${arm.id}, ${name}: ${way} rad in ${span} s`);
    }
  }
}

interface Answer {
  readonly status: number;
  /** Its head and body, or their beginning. */
  readonly text: string;
}

/** Carries one attack out; resolves with its answers. */
async function carryOut(port: number, { chunks, pause, halfClosed }: Attack): Promise<Answer[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  const over = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      if (text.length < 100_000) text += bytes.toString('latin1');
      // One answer, whole or nearly: further ones of a pipeline are waited for no longer than the others.
      if (chunks.length === 1 && !halfClosed && text.includes('\r\n\r\n')) setTimeout(resolve, 1);
    });
    for (const event of ['end', 'close', 'error'] as const) socket.on(event, () => resolve());
    setTimeout(resolve, PATIENCE).unref();
  });
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('error', () => resolve());
  });
  for (const chunk of chunks) {
    if (socket.destroyed || socket.writableEnded) break;
    socket.write(chunk);
    if (pause > 0) await sleep(pause);
  }
  if (halfClosed) socket.end();
  await over;
  socket.destroy();
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(({ 1: status, index }) => ({
    status: Number(status),
    text: text.slice(index, index + SHOWN),
  }));
}

async function calm(url: string): Promise<void> {
  await (await fetch(`${url}/stop/reset`, { method: 'POST' })).text();
}

/**
 * Carries out the attacks `from` to `from + count - 1` of a seed.
 * @param url of a bridge that needs no token
 */
export async function assault(url: string, seed: number, from: number, count: number): Promise<AssaultReport> {
  const faults: string[] = [];
  const failures: string[] = [];
  const fault = (text: string): void => {
    if (faults.length < MOST_FAULTS) faults.push(text);
  };
  const fail = (text: string): void => {
    if (failures.length < MOST_FAULTS) failures.push(text);
  };
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as Readonly<Record<string, unknown>>;
  const { arms } = (await (await fetch(`${url}/api/v1/arms`)).json()) as { arms: { name: string }[] };
  const targets: readonly Target[] = targetsOf(description, arms[0]!.name);
  const port = Number(new URL(url).port);
  const sent: Partial<Record<Kind, number>> = {};
  const answers = new Map<number, number>();
  const watch = new Watch(url, fault);
  await watch.begin();
  let next = from;
  const attackers = Array.from({ length: AT_ONCE }, async () => {
    for (let index = next++; index < from + count; index = next++) {
      if (index % CALM === 0) await calm(url);
      const attack = attackOf(targets, seed, index);
      sent[attack.kind] = (sent[attack.kind] ?? 0) + 1;
      for (const { status, text } of await carryOut(port, attack)) {
        answers.set(status, (answers.get(status) ?? 0) + 1);
        if (status >= 500 && !(status === 503 && isProbe(attack)))
          fail(`attack ${index} (${attack.kind}) ${shown(attack)} was answered ${JSON.stringify(text)}`);
      }
    }
  });
  await Promise.all(attackers);
  watch.close();
  return { sent: sent as Record<Kind, number>, answers, failures, faults, watched: watch.frames };
}

/** Probes say 503 while an arm is away, as the simulated ones are for a moment on a machine that is too busy for them. */
function isProbe({ chunks }: Attack): boolean {
  return /\/(readyz|healthz)/.test(Buffer.concat(chunks).toString('latin1'));
}

function shown({ chunks }: Attack): string {
  return JSON.stringify(Buffer.concat(chunks).toString('latin1').slice(0, SHOWN));
}
