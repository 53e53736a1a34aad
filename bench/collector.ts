import { once } from 'node:events';
import { WebSocket } from 'ws';

/**
 * Has a Node process collect garbage, in all of its threads, by its debugger's port (the Chrome DevTools Protocol, and
 * Node's domain NodeWorker in it). What is left is what it still holds on to.
 */
export class Collector {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, () => void>();
  readonly #threads = new Set<string>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#take(JSON.parse(String(data))));
  }

  /** @param url as a process that was started with `--inspect` tells it: `ws://...` */
  static async connect(url: string): Promise<Collector> {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    const collector = new Collector(socket);
    await collector.#ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return collector;
  }

  async collect(): Promise<void> {
    const method = 'HeapProfiler.collectGarbage';
    await this.#ask(method);
    for (const sessionId of this.#threads) {
      const answered = this.#expect();
      const message = JSON.stringify({ id: this.#last, method });
      await this.#ask('NodeWorker.sendMessageToWorker', { sessionId, message });
      await answered;
    }
  }

  close(): void {
    this.#socket.terminate();
  }

  #ask(method: string, params: object = {}): Promise<void> {
    const answered = this.#expect();
    this.#socket.send(JSON.stringify({ id: this.#last, method, params }));
    return answered;
  }

  #expect(): Promise<void> {
    const id = ++this.#last;
    return new Promise((resolve) => this.#asked.set(id, resolve));
  }

  #take({ id, method, params }: { id?: number; method?: string; params?: Record<string, string> }): void {
    if (id !== undefined) {
      this.#asked.get(id)?.();
      this.#asked.delete(id);
    } else if (method === 'NodeWorker.receivedMessageFromWorker') this.#take(JSON.parse(params!.message!));
    else if (method === 'NodeWorker.attachedToWorker') this.#threads.add(params!.sessionId!);
    else if (method === 'NodeWorker.detachedFromWorker') this.#threads.delete(params!.sessionId!);
  }
}
