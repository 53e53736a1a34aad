import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
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
import { asyncApi } from './asyncapi.ts';
import { Callers } from './callers.ts';
import { endSilent } from './connections.ts';
import { HttpProblem, INTERNAL_ERROR, problemOf } from './errors.ts';
import { Guard } from './guard.ts';
import { Limits } from './limits.ts';
import { Hub } from './live/hub.ts';
import { JogSessions } from './live/jog-sessions.ts';
import { serveWebSockets } from './live/upgrade.ts';
import { RequestCounts } from './metrics.ts';
import { openApi } from './openapi.ts';
import { pageRoutes } from './page.ts';
import { type Access, handlerOf, JSON_TYPE, type Parts, serverPath } from './route.ts';
import { CHANNELS, ROUTES } from './routes/index.ts';
import type { HttpServices } from './services.ts';
import { checkBind, type Tokens } from './tokens.ts';

export type { HttpServices, SimulationControl } from './services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call it; left out: whoever has any token. */
    readonly access?: Access;
  }
  interface FastifyRequest {
    /** Content-Type of the request; the server's own choice of a parser never sees it. */
    sentType: string | undefined;
  }
}

/** Largest body, bytes. */
const BODY_LIMIT = 64 * 1024;
/** Time a client has to say hello, to send its headers, and its whole request, ms. The answer of a move may take longer. */
const HELLO_TIMEOUT = 5000;
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 20_000;
const KEEP_ALIVE_TIMEOUT = 30_000;
const SERVER_OPTIONS = { headersTimeout: HEADERS_TIMEOUT, connectionsCheckingInterval: 5000 };
/** Browsers are not to take an answer for something else than it says it is. */
const NOSNIFF = { 'x-content-type-options': 'nosniff' };

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
      `X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** @throws {HttpProblem} 415 for a body that would have to be unpacked */
function checkEncoding(request: FastifyRequest): void {
  const { 'content-encoding': encoding } = request.raw.headers;
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw new HttpProblem(415, 'The body is compressed: send it as it is, without Content-Encoding.', {
    'accept-encoding': 'identity',
  });
}

/** Stands for the host by which a client reaches the bridge. */
const HERE = 'here.invalid';

/** Serves the descriptions of the interface. */
function describeRoutes(app: FastifyInstance, { config: { dialect }, tokens, certificate }: HttpServices): void {
  const described = { token: tokens !== null, dialect, server: { host: HERE, encrypted: certificate !== null } };
  for (const [url, make] of [
    ['/openapi.json', openApi],
    ['/asyncapi.json', asyncApi],
  ] as const) {
    let text: string | undefined;
    const made = (): string => {
      text ??= JSON.stringify(make(described));
      return text;
    };
    // Making it takes longer than a request may; many apps of tests never tell it.
    app.addHook('onListen', (done) => {
      made();
      done();
    });
    app.get(url, (request, reply) => {
      reply.header('content-type', JSON_TYPE).send(made().replace(HERE, request.host));
    });
  }
}

/** The HTTP service over the parts of the bridge. It does not listen yet: see {@link listen}. */
export function buildApp(services: HttpServices): FastifyInstance {
  const { certificate, clock, logger } = services;
  const guard = new Guard(services.config, services.tokens, clock);
  const limits = new Limits(services.config.rate_limit, clock);
  const callers = new Callers(guard.ownerKey, clock);
  const requests = new RequestCounts();
  const routes: { readonly pattern: RegExp; readonly methods: string[] }[] = [];
  /** Requests whose clients wait to be told that their body is wanted. */
  const expectant = new WeakSet<IncomingMessage>();

  const app: FastifyInstance = fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // Requests are logged below, at debug level, by their ids: they need no loggers of their own.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => logger as FastifyBaseLogger,
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
                handshakeTimeout: HELLO_TIMEOUT,
                requestTimeout: REQUEST_TIMEOUT,
                keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
              },
              handler,
            ),
        }),
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (_error, request, reply) => {
      // Only a path that cannot be decoded comes here: no route has such a name.
      logger.debug({ path: pathOf(request.url) }, 'path refused');
      send((reply as FastifyReply).headers(NOSNIFF), new HttpProblem(404, 'Not Found'));
    },
  });

  limits.watch(app.server);
  endSilent(app.server);
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectant.add(request);
    app.server.emit('request', request, response);
  });
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

  app.decorateRequest('sentType', undefined);
  // Hooks of every request call back: promises would cost more than what they do.
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asked } = request.raw.headers;
    reply.headers(NOSNIFF);
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
      const access = request.routeOptions.config.access ?? 'read';
      limits.check(request.raw.socket, access);
      if (access !== 'open') guard.checkScope(guard.admit(request.raw), access);
      checkEncoding(request);
    } catch (error) {
      // The body of a refused request is not read: the connection ends with the answer.
      reply.header('connection', 'close');
      throw error;
    }
    if (request.is404) {
      answerUnrouted(request, reply);
      return;
    }
    if (expectant.has(request.raw)) reply.raw.writeContinue();
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
      logger.debug(
        { request: request.id, path: pathOf(request.url) },
        'the client has gone before its request was whole',
      );
      return send(reply, new HttpProblem(400, 'The request did not arrive whole.'));
    }
    logger.error(
      { err: error, request: request.id, method: request.method, path: pathOf(request.url) },
      'request failed',
    );
    return send(reply, INTERNAL_ERROR);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { elapsedTime, statusCode: status } = reply;
    requests.add(request.method, request.routeOptions.url ?? 'unknown', status, elapsedTime / 1000);
    if (logger.isLevelEnabled('debug')) {
      const { id, method, url } = request;
      logger.debug({ request: id, method, path: pathOf(url), status, ms: Math.round(elapsedTime) }, 'request');
    }
    done();
  });
  app.addHook('preClose', () => callers.dismiss());

  const hub = new Hub(services);
  app.addHook('preClose', async () => hub.close());
  const parts: Parts = {
    services,
    callers,
    guard,
    limits,
    hub,
    requests,
    jogs: new JogSessions(services.arms, services.jogging, clock),
    address: () => {
      const bound = app.server.address();
      const { host, port } = services.config;
      return bound !== null && typeof bound === 'object' ? { host: bound.address, port: bound.port } : { host, port };
    },
  };
  for (const route of ROUTES) {
    const { method, access, answer } = route;
    // A stream has no end whose length could be told.
    const exposeHeadRoute = method === 'GET' && !('media' in answer && answer.media === 'text/event-stream');
    app.route({
      method,
      url: serverPath(route),
      config: { access },
      exposeHeadRoute,
      handler: handlerOf(route, parts),
    });
  }
  serveWebSockets(app, parts, CHANNELS);
  pageRoutes(app);
  describeRoutes(app, services);
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
