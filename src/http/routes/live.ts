import type { OutgoingHttpHeaders } from 'node:http';
import type { WebSocket } from 'ws';
import { BridgeError, type Origin } from '../../arm/types.ts';
import { callerOf } from '../callers.ts';
import { takeChunk } from '../chunks.ts';
import type { Client } from '../clients.ts';
import { HttpProblem, inWords } from '../errors.ts';
import { oneOf, queryList, queryNumber } from '../fields.ts';
import { type Asker, type ChannelFacts, channel } from '../live/channel.ts';
import { helloFrame } from '../live/frames.ts';
import { MOST_WAITING, MOST_WATCHERS, type Watcher } from '../live/hub.ts';
import {
  type ChunkMessage,
  chunkAnswer,
  DEFAULT_RATE,
  frames,
  hello,
  liveEvent,
  MAX_RATE,
  MIN_RATE,
  readClientMessage,
  received,
  refusal,
  stopped,
  TOPICS,
} from '../live/protocol.ts';
import { type Parts, route } from '../route.ts';
import { isStopMessage } from '../stop-answer.ts';
import { writerOf } from '../writer.ts';
import { scopesOf } from './session.ts';
import { stopArms } from './stop.ts';

const LIVE = '/api/v1/live';
/** Interval of a comment in a stream of events, s: by it each side notices that the other one is gone. */
const SIGN_OF_LIFE = 10;
const FULL = 'Too many clients watch the bridge: close some of them.';

const query = {
  topics: queryList(oneOf(TOPICS), { min: 1, max: TOPICS.length })
    .optional()
    .describe('Of arms, objects, pairs, loop, log, events and asks, separated by commas; left out: all.'),
  rate: queryNumber({ min: MIN_RATE, max: MAX_RATE })
    .prefault(DEFAULT_RATE)
    .describe('Frames of arms, and of objects that move, per second; the others come at most 5 times a second.'),
};

const writeRefusal = writerOf(refusal);
const writeStopped = writerOf(stopped);
const writeChunkAnswer = writerOf(chunkAnswer);

/**
 * Greets a client again when an arm is added or the client's name changes.
 * @returns ends it
 */
function keepGreeting({ services, clients }: Parts, client: Client, watcher: Watcher): () => void {
  const ends = [
    services.connections.onAdded(() => {
      watcher.greeting = true;
      // The next frame of arms has the new one, which hello describes.
      watcher.isNew = true;
    }),
    clients.onRenamed(client, () => {
      watcher.greeting = true;
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

async function stopAll({ services }: Parts, socket: WebSocket, origin: Origin): Promise<void> {
  const { status, message } = await stopArms(services.arms.all, 'a stop on the live stream', origin, services.clock);
  // Answers are dropped for a client that does not read.
  if (socket.readyState === socket.OPEN && socket.bufferedAmount < MOST_WAITING)
    socket.send(writeStopped({ type: 'stop', status, message }));
}

/** @returns human-readable reason for a refusal; null if the chunk was answered */
async function follow(parts: Parts, socket: WebSocket, message: ChunkMessage, who: Asker): Promise<string | null> {
  const { type: _, arm: id, take_over, uncalibrated, ...chunk } = message;
  const { arms } = parts.services;
  const arm = arms.all.find((candidate) => candidate.id === id);
  if (arm === undefined)
    return `Robot ID ${id} is unknown. Known ids: ${arms.all.map((known) => known.id).join(', ')}.`;
  try {
    const outcome = await takeChunk(
      parts,
      arm,
      chunk,
      callerOf(who.client, who.origin, { take_over, uncalibrated }),
      socket,
    );
    if (socket.readyState !== socket.OPEN) parts.services.chunks.leave(socket);
    else if (socket.bufferedAmount < MOST_WAITING)
      socket.send(writeChunkAnswer({ type: 'chunk', arm: id, ...outcome }));
    return null;
  } catch (error) {
    if (!(error instanceof BridgeError || error instanceof HttpProblem)) throw error;
    const refused = error instanceof BridgeError ? inWords(error) : error.message;
    arms.journal.record('motion', arm.name, who.origin, 'refused', refused);
    return refused;
  }
}

function take(parts: Parts, socket: WebSocket, watcher: Watcher, text: string, who: Asker): void {
  const { limits, hub, streams } = parts;
  const refuse = (request: string, reason: string, arm?: number): void => {
    // Refusals are dropped for a client that does not read.
    if (socket.bufferedAmount >= MOST_WAITING) return;
    socket.send(writeRefusal({ type: 'refused', request, reason, ...(arm === undefined ? {} : { arm }) }));
  };
  if (!isStopMessage(text) && !limits.allows(who.address)) {
    refuse('unknown', 'too many messages a second: this one is dropped');
    return;
  }
  const message = readClientMessage(text);
  if ('fault' in message) {
    refuse('unknown', message.fault);
    return;
  }
  if (message.type === 'subscribe') {
    hub.subscribe(watcher, message.topics ?? TOPICS, message.rate ?? DEFAULT_RATE);
    return;
  }
  if (message.type === 'stop') {
    void stopAll(parts, socket, who.origin);
    return;
  }
  if (who.scope !== 'control') {
    refuse(message.type, 'this token may only read and stop', message.arm);
    return;
  }
  if (message.type === 'chunk') {
    void follow(parts, socket, message, who).then((refused) => {
      if (refused !== null) refuse('chunk', refused, message.arm);
    });
    return;
  }
  const refused = streams.take(socket, message, callerOf(who.client, who.origin, message));
  if (refused === null) return;
  const arm = parts.services.arms.all.find(({ id }) => id === message.arm);
  if (arm !== undefined) parts.services.arms.journal.record('motion', arm.name, who.origin, 'refused', refused);
  refuse(message.type, refused, message.arm);
}

export const liveChannel = channel({
  path: LIVE,
  access: 'read',
  id: 'live',
  summary: 'Watch arms, pairs, the loop, the log and who does what; jog, lead joints; follow chunks; stop',
  description:
    'The frames of GET /api/v1/live. The client may say anew what it watches, jogs arms or leads their joints by messages that ' +
    'it repeats at least 10 times a second, lets them follow chunks of a policy, and stops all arms.',
  query: {},
  received,
  sent: { hello, ...frames, refused: refusal, stopped, chunked: chunkAnswer },
  most: MOST_WATCHERS,
  full: FULL,
  open(parts, asker) {
    const { services, hub, streams } = parts;
    const { scope, client, address } = asker;
    if (!hub.hasRoom(address)) throw new HttpProblem(503, FULL);
    return (socket) => {
      const greet = (): void => socket.send(helloFrame(services, scopesOf(scope), client.owner.name));
      greet();
      const watcher = hub.add({
        address,
        waiting: () => socket.bufferedAmount,
        send: (_topic, frame) => socket.send(frame, { binary: false }),
        greet,
        close: () => socket.terminate(),
      });
      socket.on('message', (data) => take(parts, socket, watcher, String(data), asker));
      const unlisten = keepGreeting(parts, client, watcher);
      socket.on('close', () => {
        unlisten();
        hub.remove(watcher);
        streams.leave(socket);
        services.chunks.leave(socket);
      });
    };
  },
});

/**
 * The WebSocket on the stop port (`src/stop`). The stop thread reads and writes these messages without a schema
 * library, so this declaration only describes them.
 */
export const stopLine: ChannelFacts = {
  path: '/api/v1/stop',
  id: 'stop',
  summary: 'Stop all arms, whatever else the bridge is busy with',
  description: 'For programs that keep a connection ready. Any token may stop.',
  query: {},
  received: { stop: received.stop },
  sent: { stopped, refused: refusal },
};

export const liveRoutes = [
  route({
    method: 'GET',
    path: LIVE,
    access: 'read',
    id: 'live',
    tag: 'live',
    summary: 'Watch arms, pairs, the loop, the log and who does what',
    description:
      'Server-sent events without an end. A request that asks for a WebSocket gets one, which takes messages too: see ' +
      '/asyncapi.json.',
    target: 'none',
    query,
    answer: {
      description: 'An event for each frame, named after its type.',
      media: 'text/event-stream',
      schema: liveEvent,
      example: 'event: pairs\ndata: {"type":"pairs","t":1767323045.5,"active":false,"reason":"","pairs":[]}\n\n',
    },
    refusals: { 400: 'Earlier requests on the same connection are not answered yet.' },
    handler: (parts, { query: { topics, rate }, request }, reply) => {
      const { services, hub, clients } = parts;
      const address = request.raw.socket.remoteAddress ?? '';
      if (!hub.hasRoom(address)) throw new HttpProblem(503, FULL);
      // A pipelined response gets its socket after the earlier ones: until then frames would pile up, and its end go
      // unnoticed.
      if (reply.raw.socket === null) {
        throw new HttpProblem(
          400,
          'Earlier requests on this connection are not answered yet: give the stream one of its own.',
        );
      }
      const client = request.client!;
      const scopes = scopesOf(request.admission!.scope);
      const headers = reply.getHeaders() as OutgoingHttpHeaders;
      reply.hijack();
      const response = reply.raw;
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      const send = (topic: string, frame: Buffer | string): void => {
        response.cork();
        response.write(`event: ${topic}\ndata: `);
        response.write(frame);
        response.write('\n\n');
        response.uncork();
      };
      const greet = (): void => send('hello', helloFrame(services, scopes, client.owner.name));
      greet();
      const watcher = hub.add({
        address,
        waiting: () => response.writableLength,
        send,
        greet,
        close: () => response.destroy(),
      });
      hub.subscribe(watcher, topics ?? TOPICS, rate);
      const unlisten = keepGreeting(parts, client, watcher);
      const leave = clients.stays(client, request.admission!, () => response.destroy());
      const sign = services.clock.every(SIGN_OF_LIFE, () => response.write(':\n\n'), true);
      response.once('close', () => {
        sign.cancel();
        leave();
        unlisten();
        hub.remove(watcher);
      });
      return reply;
    },
  }),
];
