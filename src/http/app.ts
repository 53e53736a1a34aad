import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { ConfigError } from '../config/load.ts';
import type { HttpConfig } from '../config/schema.ts';
import { pathOf } from './addresses.ts';
import { Callers } from './callers.ts';
import { endSilent } from './connections.ts';
import { HttpProblem, INTERNAL_ERROR, problemOf } from './errors.ts';
import { Guard } from './guard.ts';
import { Limits } from './limits.ts';
import { Hub } from './live/hub.ts';
import { serveWebSockets } from './live/upgrade.ts';
import { openApi } from './openapi.ts';
import { pageRoutes } from './page.ts';
import { armRoutes } from './routes/arms.ts';
import { bridgeRoutes } from './routes/bridge.ts';
import { calibrationRoutes } from './routes/calibration.ts';
import { connectionRoutes } from './routes/connections.ts';
import { deviceRoutes } from './routes/devices.ts';
import { healthRoutes } from './routes/health.ts';
import { jointRoutes } from './routes/joints.ts';
import { LIVE, liveRoutes } from './routes/live.ts';
import { mirrorRoutes } from './routes/mirror.ts';
import { moveRoutes } from './routes/moves.ts';
import { recordingRoutes } from './routes/recording.ts';
import { servoRoutes } from './routes/servos.ts';
import { sessionRoutes } from './routes/session.ts';
import { simulationRoutes } from './routes/simulation.ts';
import { statusRoutes } from './routes/status.ts';
import { stopRoutes } from './routes/stop.ts';
import { TELEOP_SOCKET, teleopRoutes } from './routes/teleop.ts';
import { torqueRoutes } from './routes/torque.ts';
import type { HttpServices } from './services.ts';
import { checkBind, type Tokens } from './tokens.ts';

export type { HttpServices, SimulationControl } from './services.ts';

const BODY_LIMIT = 1024 * 1024;
/** Time a client has to send its headers, and its whole request, ms. The answer of a move may take longer. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 20_000;
const KEEP_ALIVE_TIMEOUT = 30_000;
const SERVER_OPTIONS = { headersTimeout: HEADERS_TIMEOUT, connectionsCheckingInterval: 5000 };

function send(reply: FastifyReply, problem: HttpProblem): FastifyReply {
  return reply.code(problem.status).headers(problem.headers).send({ detail: problem.detail });
}

/** Answers a connection that sent no valid HTTP, or nothing in time. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request did not arrive in time.']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large.']
        : ['400 Bad Request', 'This is no valid HTTP request.'];
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

/** The HTTP service over the parts of the bridge. It does not listen yet: see {@link listen}. */
export function buildApp(services: HttpServices): FastifyInstance {
  const { certificate } = services;
  const guard = new Guard(services.config, services.tokens, services.clock);
  const limits = new Limits(services.config.rate_limit, services.clock);
  const callers = new Callers(guard.ownerKey, services.clock);
  const routes: { readonly pattern: RegExp; readonly methods: string[] }[] = [];

  const app: FastifyInstance = fastify({
    loggerInstance: services.logger as FastifyBaseLogger,
    // Clients may ask many times a second: requests are logged below, at debug level.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    ...(certificate === null
      ? { http: SERVER_OPTIONS }
      : {
          serverFactory: (handler: RequestListener) =>
            createServer(
              {
                ...certificate,
                ...SERVER_OPTIONS,
                requestTimeout: REQUEST_TIMEOUT,
                keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
              },
              handler,
            ),
        }),
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (_error, request, reply) => {
      // Only a path that cannot be decoded comes here: no route has such a name.
      services.logger.debug({ path: pathOf(request.url) }, 'path refused');
      send(reply as FastifyReply, new HttpProblem(404, 'Not Found'));
    },
  });

  limits.watch(app.server, certificate !== null);
  endSilent(app.server);
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
    routes.push({ pattern, methods: [method].flat() });
  });

  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = pathOf(request.url);
    const allowed = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    if (allowed.length === 0) return send(reply, new HttpProblem(404, 'Not Found'));
    return send(reply, new HttpProblem(405, 'Method Not Allowed', { allow: allowed.join(', ') }));
  };

  app.decorate('dialect', services.config.dialect);
  app.decorateRequest('sentType', undefined);
  // Hooks of every request call back: promises would cost more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asked } = request.headers;
    try {
      guard.checkSource(request.raw);
      if (origin !== undefined) {
        reply.header('vary', 'Origin');
        const mayRead = guard.mayRead(origin);
        if (mayRead) reply.header('access-control-allow-origin', origin);
        if (request.method === 'OPTIONS' && asked !== undefined) {
          if (mayRead) {
            reply.headers({
              'access-control-allow-methods': 'GET, POST, DELETE',
              'access-control-allow-headers': 'authorization, content-type',
              'access-control-max-age': '600',
            });
          }
          reply.code(200).type('text/plain; charset=utf-8').send('OK');
          return;
        }
      }
      limits.check(request.raw.socket, request.url);
      const { url: route = '', config } = request.routeOptions;
      if (config.open !== true) guard.checkScope(guard.admit(request.raw), request.method, route);
    } catch (error) {
      // The body of a refused request is not read: the connection ends with the answer.
      reply.header('connection', 'close');
      throw error;
    }
    if (request.is404) {
      answerUnrouted(request, reply);
      return;
    }
    const { headers } = request.raw;
    request.sentType = headers['content-type'];
    // Content types are judged by validation.ts alone; the server would refuse unknown ones in its own words.
    headers['content-type'] = undefined;
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler(answerUnrouted);

  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    if (problem !== null) return send(reply, problem);
    // A client that goes in the middle of its body is no fault of the bridge: it must not fill the log.
    if (request.raw.destroyed && (error as NodeJS.ErrnoException).code === 'ECONNRESET') {
      services.logger.debug(
        { request: request.id, path: pathOf(request.url) },
        'the client has gone before its request was whole',
      );
      return send(reply, new HttpProblem(400, 'The request did not arrive whole.'));
    }
    services.logger.error(
      { err: error, request: request.id, method: request.method, path: pathOf(request.url) },
      'request failed',
    );
    return send(reply, INTERNAL_ERROR);
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (services.logger.isLevelEnabled('debug')) {
      const { id, method, url } = request;
      const ms = Math.round(reply.elapsedTime);
      services.logger.debug({ request: id, method, path: pathOf(url), status: reply.statusCode, ms }, 'request');
    }
    done();
  });
  app.addHook('preClose', () => callers.dismiss());

  moveRoutes(app, services, callers);
  jointRoutes(app, services, callers);
  torqueRoutes(app, services, callers);
  servoRoutes(app, services, callers);
  connectionRoutes(app, services, callers);
  recordingRoutes(app, services, callers);
  calibrationRoutes(app, services, callers);
  mirrorRoutes(app, services, callers);
  stopRoutes(app, services);
  statusRoutes(app, services);
  simulationRoutes(app, services);
  armRoutes(app, services, callers);
  bridgeRoutes(app, services);
  sessionRoutes(app, guard);
  deviceRoutes(app, services);
  const hub = new Hub(services);
  healthRoutes(app, services, () => hub.size);
  const live = liveRoutes(app, services, { callers, guard, limits, hub });
  const teleop = teleopRoutes(app, services, { callers, guard, limits });
  serveWebSockets(
    app,
    new Map([
      [LIVE, live],
      [TELEOP_SOCKET, teleop],
    ]),
    services.clock,
  );
  pageRoutes(app);
  const description = openApi({ token: services.tokens !== null, dialect: services.config.dialect });
  app.get('/openapi.json', async () => description);
  return app;
}

/**
 * Listens as configured.
 * @returns the address and port in use, which differ from the configured ones for port 0 or a host name
 * @throws {ConfigError} for an address that other computers reach without a token or encryption, or that cannot be had
 */
export async function listen(
  app: FastifyInstance,
  config: HttpConfig,
  tokens: Tokens | null,
): Promise<{ host: string; port: number }> {
  checkBind(config, tokens);
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const place = `${config.host} port ${config.port}`;
    if (code === 'EADDRINUSE') {
      throw new ConfigError(
        `http.port: ${place} is in use, perhaps by another bridge. Stop that program, or choose another port with ` +
          '--port or http.port (0 takes a free one).',
      );
    }
    if (code === 'EACCES') {
      throw new ConfigError(`http.port: ${place} needs privileges. Choose a port from 1024 on.`);
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new ConfigError(`http.host: ${config.host} is no address of this computer (${code}).`);
    }
    throw error;
  }
  const bound = app.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the HTTP server has no address after listening');
  return { host: bound.address, port: bound.port };
}
