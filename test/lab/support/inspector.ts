/** The debugger of a Node process, by which a test lets its main thread do what no bridge would. */
import type { Machine } from './machine.ts';
import { until } from './run.ts';

/** Runs on the machine, whose network the process has: one message to the debugger, and no wait for its answer. */
const CLIENT = `
const [, expression] = process.argv;
const [{ webSocketDebuggerUrl }] = await (await fetch('http://127.0.0.1:9229/json/list')).json();
const socket = new WebSocket(webSocketDebuggerUrl);
socket.onopen = () => {
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
  setTimeout(() => process.exit(), 1000);
};
`;

export class Inspector {
  readonly #machine: Machine;

  private constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Waits for the debugger of the one process that has got SIGUSR1. */
  static async attach(machine: Machine): Promise<Inspector> {
    await until('the debugger answers', async () => {
      const { code } = await machine.outcome('curl', ['-sf', 'http://127.0.0.1:9229/json/list']);
      return code === 0 ? true : null;
    });
    return new Inspector(machine);
  }

  async evaluate(expression: string): Promise<void> {
    // Node 24 has WebSocket.
    await this.#machine.run(process.env.ARM_BRIDGE_NODE_24!, ['--input-type=module', '-e', CLIENT, expression]);
  }
}
