/**
 * Asks an HTTP server again and again on some connections, and prints how it answered. Costs far less than any server does;
 * a request is the next one as soon as the one before has been answered.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadOptions, LoadReport, Question } from './messages.ts';
import { percentile } from './table.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const OK = 200;

function bytesOf(port: number, { method, path, body }: Question): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  if (body !== null) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** One connection, which asks anew as soon as it has been answered. */
class Asker {
  readonly #socket: Socket;
  readonly #requests: readonly Buffer[];
  #next = 0;
  readonly #note: (took: number, error: string) => void;
  #began = 0;
  #pending: Buffer | null = null;
  #running = true;

  /** @param requests asked one after the other, again and again @param note is told of each answer: how long it took, s, and what is wrong with it, if anything */
  constructor(port: number, requests: readonly Buffer[], note: (took: number, error: string) => void) {
    this.#requests = requests;
    this.#note = note;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('connect', () => this.#ask());
    this.#socket.on('data', (bytes) => this.#take(bytes));
    this.#socket.on('error', (error) => this.#end(error.message));
    this.#socket.on('close', () => this.#end('the connection ended'));
  }

  async close(): Promise<void> {
    this.#running = false;
    if (this.#socket.destroyed) return;
    this.#socket.destroy();
    await once(this.#socket, 'close');
  }

  #ask(): void {
    this.#began = performance.now();
    this.#socket.write(this.#requests[this.#next]!);
    this.#next = (this.#next + 1) % this.#requests.length;
  }

  #take(bytes: Buffer): void {
    const all = this.#pending === null ? bytes : Buffer.concat([this.#pending, bytes]);
    const head = all.indexOf(HEAD_END);
    const text = head < 0 ? '' : all.toString('latin1', 0, head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text);
    if (head < 0 || (length !== null && all.length < head + HEAD_END.length + Number(length[1]))) {
      this.#pending = all;
      return;
    }
    this.#pending = null;
    const status = Number(text.slice(9, 12));
    const sound = status === OK && length !== null;
    this.#note((performance.now() - this.#began) / 1000, sound ? '' : text.split('\r\n', 1)[0]!);
    if (this.#running) this.#ask();
  }

  #end(error: string): void {
    if (!this.#running) return;
    this.#running = false;
    this.#note(Number.NaN, error);
  }
}

const { port, questions, connections, seconds, warmUp }: LoadOptions = JSON.parse(process.argv[2]!);
const requests = questions.map((question) => bytesOf(port, question));
const times: number[] = [];
let counting = false;
let errors = 0;
let error = '';
const note = (took: number, wrong: string): void => {
  if (wrong !== '') {
    if (errors++ === 0) error = wrong;
  } else if (counting) {
    times.push(took);
  }
};
const askers = Array.from(
  { length: connections },
  (_, i) => new Asker(port, [...requests.slice(i % requests.length), ...requests.slice(0, i % requests.length)], note),
);
await sleep(1000 * warmUp);
counting = true;
const began = performance.now();
await sleep(1000 * seconds);
counting = false;
const took = (performance.now() - began) / 1000;
await Promise.all(askers.map((asker) => asker.close()));
const ascending = Float64Array.from(times).sort();
const report: LoadReport = {
  rate: times.length / took,
  p50: percentile(ascending, 0.5),
  p99: percentile(ascending, 0.99),
  answers: times.length,
  errors,
  error,
};
process.stdout.write(`${JSON.stringify(report)}\n`);
