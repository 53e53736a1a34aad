/** Watches the live stream of a bridge with many clients, some of which stop reading, and prints what they were sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { WatchOptions, WatchReport } from './messages.ts';

const { port, clients, deaf, rate, seconds }: WatchOptions = JSON.parse(process.argv[2]!);
const frames = new Array<number>(clients).fill(0);
let lost = 0;
let running = true;

function watch(index: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/live`, { perMessageDeflate: false });
  socket.on('message', (data) => {
    if (String(data).startsWith('{"type":"arms"')) frames[index]!++;
  });
  socket.on('close', () => {
    if (running && index >= deaf) lost++;
  });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'subscribe', rate }));
      resolve(socket);
    });
  });
}

const sockets = await Promise.all(frames.map((_, index) => watch(index)));
for (const socket of sockets.slice(0, deaf)) socket.pause();
frames.fill(0);
const began = performance.now();
await sleep(1000 * seconds);
const took = (performance.now() - began) / 1000;
running = false;
for (const socket of sockets) socket.terminate();
const report: WatchReport = { rate: Math.min(...frames.slice(deaf)) / took, lost };
process.stdout.write(`${JSON.stringify(report)}\n`);
