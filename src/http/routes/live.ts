import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import type { Callers } from '../callers.ts';
import { HttpProblem } from '../errors.ts';
import type { Guard } from '../guard.ts';
import type { Limits } from '../limits.ts';
import { helloView } from '../live/frames.ts';
import { type Hub, MOST_WAITING, type Watcher } from '../live/hub.ts';
import { JogSessions } from '../live/jog-sessions.ts';
import { DEFAULT_RATE, isStopMessage, MAX_RATE, MIN_RATE, readMessage, TOPICS, type Topic } from '../live/protocol.ts';
import type { Admission } from '../live/upgrade.ts';
import type { HttpServices } from '../services.ts';
import type { Scope } from '../tokens.ts';
import { aboveBound, belowBound, notANumber, notOneOf, queryOf } from '../validation.ts';
import { scopesOf } from './session.ts';
import { stopArms } from './stop.ts';

export const LIVE = '/api/v1/live';

function topicsOf(text: string | undefined): readonly Topic[] {
  if (text === undefined) return TOPICS;
  return text.split(',').map((word) => {
    const topic = TOPICS.find((known) => known === word.trim());
    if (topic === undefined) throw new HttpProblem(422, [notOneOf(['query', 'topics'], text, TOPICS)]);
    return topic;
  });
}

function rateOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_RATE;
  const rate = text.trim() === '' ? Number.NaN : Number(text);
  const loc = ['query', 'rate'];
  if (!Number.isFinite(rate)) throw new HttpProblem(422, [notANumber(loc, text)]);
  if (rate < MIN_RATE) throw new HttpProblem(422, [belowBound(loc, rate, MIN_RATE)]);
  if (rate > MAX_RATE) throw new HttpProblem(422, [aboveBound(loc, rate, MAX_RATE)]);
  return rate;
}

/**
 * The live stream: GET /api/v1/live as a WebSocket, with jogging and a stop, and as server-sent events.
 * @returns what to do with requests for the WebSocket
 */
export function liveRoutes(
  app: FastifyInstance,
  services: HttpServices,
  {
    callers,
    guard,
    limits,
    hub,
  }: {
    readonly callers: Callers;
    readonly guard: Guard;
    readonly limits: Limits;
    readonly hub: Hub;
  },
): Admission {
  const desk = new JogSessions(services.arms, services.jogging, services.clock);
  app.addHook('preClose', async () => hub.close());

  function requireRoom(): void {
    if (!hub.hasRoom) throw new HttpProblem(503, 'Too many clients watch the bridge: close some of them.');
  }

  /** A client is told anew what there is as an arm is added, and then of the log from the beginning. */
  function onAdded(watcher: Watcher, greet: () => void): () => void {
    return services.connections.onAdded(() => {
      greet();
      watcher.seen = 0;
    });
  }

  async function stopAll(socket: WebSocket): Promise<void> {
    const { status, message } = await stopArms(
      services.arms.all,
      'a stop on the live stream by an HTTP client',
      services.clock,
    );
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'stop', status, message }));
  }

  function take(socket: WebSocket, watcher: Watcher, text: string, who: { scope: Scope; address: string }): void {
    const refuse = (request: string, reason: string, more: object = {}): void => {
      // One who sends without reading is told no more than it takes.
      if (socket.bufferedAmount < MOST_WAITING)
        socket.send(JSON.stringify({ type: 'refused', request, reason, ...more }));
    };
    if (!isStopMessage(text) && !limits.allows(who.address)) {
      refuse('unknown', 'too many messages a second: this one is dropped');
      return;
    }
    const message = readMessage(text);
    if ('fault' in message) {
      refuse('unknown', message.fault);
      return;
    }
    if (message.type === 'subscribe') {
      hub.subscribe(watcher, message.topics ?? TOPICS, message.rate ?? DEFAULT_RATE);
      return;
    }
    if (message.type === 'stop') {
      void stopAll(socket);
      return;
    }
    if (who.scope !== 'control') {
      refuse('jog', 'this token may only read and stop', { arm: message.arm });
      return;
    }
    const refused = desk.take(socket, message, { owner: callers.owner, takeOver: false });
    if (refused !== null) refuse('jog', refused, { arm: message.arm });
  }

  const admit: Admission = (request) => {
    guard.checkSource(request);
    limits.check(request.socket, LIVE);
    const scope = guard.admit(request);
    const address = request.socket.remoteAddress ?? '';
    requireRoom();
    return (socket) => {
      const greet = (): void => socket.send(JSON.stringify(helloView(services, scopesOf(scope))));
      greet();
      const watcher = hub.add({
        waiting: () => socket.bufferedAmount,
        send: (_topic, frame) => socket.send(frame, { binary: false }),
        close: () => socket.terminate(),
      });
      socket.on('message', (data) => take(socket, watcher, String(data), { scope, address }));
      const unlisten = onAdded(watcher, greet);
      socket.on('close', () => {
        unlisten();
        hub.remove(watcher);
        desk.leave(socket);
      });
    };
  };
  app.get(LIVE, (request: FastifyRequest, reply) => {
    const query = queryOf(request);
    const topics = topicsOf(query.get('topics'));
    const rate = rateOf(query.get('rate'));
    requireRoom();
    // An answer has its connection once all before it have left: until then frames would pile up, and nobody hear of its end.
    if (reply.raw.socket === null) {
      throw new HttpProblem(
        400,
        'Earlier requests on this connection are not answered yet: give the stream one of its own.',
      );
    }
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
    const scopes = scopesOf(guard.admit(request.raw));
    const greet = (): void => send('hello', JSON.stringify(helloView(services, scopes)));
    greet();
    const watcher = hub.add({ waiting: () => response.writableLength, send, close: () => response.destroy() });
    hub.subscribe(watcher, topics, rate);
    const unlisten = onAdded(watcher, greet);
    response.once('close', () => {
      unlisten();
      hub.remove(watcher);
    });
  });
  return admit;
}
