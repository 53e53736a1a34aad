import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { HttpProblem } from '../errors.ts';
import type { Parts } from '../route.ts';
import { Faults, readQuery } from '../validation.ts';
import { type Admit, WebSockets } from '../web-sockets.ts';
import type { Channel } from './channel.ts';

/** Largest message of a client, bytes. */
const MOST_PAYLOAD = 64 * 1024;

/** Serves the channels of the interface. */
export function serveWebSockets(app: FastifyInstance, parts: Parts, channels: readonly Channel[]): void {
  const admissions = new Map(channels.map((channel) => [channel.path, admissionTo(channel, parts)]));
  const sockets = new WebSockets(app.server, {
    clock: parts.services.clock,
    maxPayload: MOST_PAYLOAD,
    admissionTo: (path) => admissions.get(path),
    ids: parts.ids,
    onFault: (error) => parts.services.logger.error({ err: error }, 'upgrade failed'),
  });
  app.addHook('preClose', async () => sockets.close());
}

/** Makes the admission of a channel: it checks requests by their headers and URL. */
function admissionTo(channel: Channel, parts: Parts): Admit {
  const { guard, limits, clients } = parts;
  const schema = z.object(channel.query);
  let open = 0;
  return (request, id) => {
    guard.checkSource(request);
    limits.check(request.socket, channel.access);
    const admission = guard.admit(request);
    const { scope } = admission;
    guard.checkScope(scope, channel.access);
    const client = clients.of(request, admission);
    const faults = new Faults();
    const query = readQuery(request.url ?? '', schema, faults);
    faults.refuse();
    if (open >= channel.most) throw new HttpProblem(503, channel.full);
    const address = request.socket.remoteAddress ?? '';
    const what = `WebSocket ${channel.path}`;
    const origin = {
      // A getter, because the client's name may change before it acts.
      get who() {
        return client.owner.name;
      },
      from: client.from,
      what,
      request: id,
    };
    const serve = channel.open(parts, { query, scope, client, origin, address });
    return (socket) => {
      open++;
      const leave = clients.stays(client, admission, () => socket.terminate());
      socket.once('close', () => {
        open--;
        leave();
      });
      serve(socket);
    };
  };
}
