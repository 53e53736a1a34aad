import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Origin } from '../arm/types.ts';
import { ConfigError } from '../config/load.ts';
import type { HttpConfig } from '../config/schema.ts';
import { pathOf } from './addresses.ts';
import { Asks } from './asks.ts';
import { asyncApi } from './asyncapi.ts';
import { Callers } from './callers.ts';
import { CLIENT_HEADER, type Client, Clients, LEASE } from './clients.ts';
import { endSilent, refuseConnection, SERVER } from './connections.ts';
import { DatagramPort } from './datagrams.ts';
import {
  HttpProblem,
  INTERNAL_ERROR,
  PROBLEM_TYPE,
  problemDetails,
  problemOf,
  retryHeaders,
  wantsProblem,
} from './errors.ts';
import { etagOf, isKnown } from './etag.ts';
import { type Admission, Guard } from './guard.ts';
import { Limits } from './limits.ts';
import { Hub } from './live/hub.ts';
import { StreamSessions } from './live/stream-sessions.ts';
import { serveWebSockets } from './live/upgrade.ts';
import { RequestCounts } from './metrics.ts';
import { Motions } from './motions.ts';
import { openApi } from './openapi.ts';
import { pageRoutes } from './page.ts';
import { REQUEST_HEADER, RequestIds } from './request-ids.ts';
import { type Access, handlerOf, JSON_TYPE, type Parts, serverPath } from './route.ts';
import { CHANNELS, ROUTES } from './routes/index.ts';
import type { HttpServices } from './services.ts';
import { checkBind, type Tokens } from './tokens.ts';

export type { HttpServices, SimulationControl } from './services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; left out: any valid token. */
    readonly access?: Access;
  }
  interface FastifyRequest {
    /** Content-Type of the request, hidden from Fastify's own choice of a parser. */
    sentType: string | undefined;
    /** Declared path of the route; one fixed text for requests without a route. */
    routed: string;
    /** Method and path if the URL equals the declared path; empty otherwise. */
    named: string;
    /** When the request head had been read, s, monotonic clock. */
    began: number;
    /** Proven access rights, and the sender; both null on open routes. */
    admission: Admission | null;
    client: Client | null;
    /** Call it when the request is answered. */
    answered: () => void;
    /** For the journal, once something of the request is recorded there: see `originOf` of callers.ts. */
    origin: Origin | null;
  }
}

/** Largest body, bytes. */
const BODY_LIMIT = 64 * 1024;
/** Keeps browsers from guessing another content type. */
const TYPE_OPTIONS = 'x-content-type-options';
const NOSNIFF = 'nosniff';
/** Response headers that pages of a listed origin may read. */
const READABLE = [
  REQUEST_HEADER,
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'etag',
  'location',
  'content-range',
  'accept-ranges',
  'content-disposition',
].join(', ');
/** Request headers that such pages may send. */
const SENDABLE = [
  'authorization',
  'content-type',
  CLIENT_HEADER,
  REQUEST_HEADER,
  'idempotency-key',
  'if-none-match',
  'range',
].join(', ');
/** Of a request whose answer nobody waits to be told of. */
const NOBODY_TOLD = (): void => {};
/** Route label of requests that match no route. */
const UNROUTED = 'unknown';

function send(reply: FastifyReply, problem: HttpProblem): FastifyReply {
  const { id, headers } = reply.request;
  const vary = reply.hasHeader('vary') ? `${reply.getHeader('vary')}, Accept` : 'Accept';
  reply.code(problem.status).headers({ vary, ...retryHeaders(problem.status), ...problem.headers });
  if (!wantsProblem(headers.accept)) return reply.send({ detail: problem.detail, request_id: id });
  return reply.type(PROBLEM_TYPE).send(JSON.stringify(problemDetails(problem, id)));
}

/** @throws {HttpProblem} 415 for a compressed body */
function checkEncoding(request: FastifyRequest): void {
  const { 'content-encoding': encoding } = request.raw.headers;
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw new HttpProblem(415, 'The body is compressed: send it as it is, without Content-Encoding.', {
    'accept-encoding': 'identity',
  });
}

/** @throws {HttpProblem} 417 for an expectation other than `100-continue` */
function checkExpectation({ raw: { headers } }: FastifyRequest): void {
  const { expect } = headers;
  if (expect === undefined || /(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return;
  throw new HttpProblem(417, 'The bridge knows no such expectation: leave out Expect, or send "Expect: 100-continue".');
}

/** Keeps Fastify from waiting for a body. Node discards what comes of it; a connection with a large one ends instead. */
function leaveBody({ raw: { headers } }: FastifyRequest, reply: FastifyReply): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (coding !== undefined || Number(length) > BODY_LIMIT) reply.header('connection', 'close');
  headers['content-length'] = undefined;
  headers['transfer-encoding'] = undefined;
}

/** Leaves request bodies unparsed: they are files, and the handlers read them. */
function takesFile(app: FastifyInstance): FastifyInstance {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));
  return app;
}

/** Placeholders for the host that the client used, with and without port. */
const HERE = 'here.invalid';
const NAME_HERE = 'name.invalid';

/** The description for a client whose proxy says that it has come by TLS: another address, and nothing else. */
function forwarded(text: string, { headers }: FastifyRequest): string {
  if (headers['x-forwarded-proto'] !== 'https') return text;
  const socket = `"host":"${HERE}","protocol":"ws`;
  return text.replace(`"http://${HERE}"`, `"https://${HERE}"`).replace(`${socket}"`, `${socket}s"`);
}

/** Serves the OpenAPI and AsyncAPI descriptions. */
function describeRoutes(app: FastifyInstance, { config, tokens, certificate }: HttpServices): void {
  const described = {
    token: tokens !== null,
    dialect: config.dialect,
    server: { host: HERE, name: NAME_HERE, encrypted: certificate !== null },
    stops: config.stop_port !== 'off',
  };
  for (const [url, make] of [
    ['/openapi.json', openApi],
    ['/asyncapi.json', asyncApi],
  ] as const) {
    let text: string | undefined;
    const made = (): string => {
      text ??= JSON.stringify(make(described));
      return text;
    };
    // Made before the first request because it takes too long for one, and not earlier because most test apps never
    // serve it.
    app.addHook('onListen', (done) => {
      made();
      done();
    });
    app.get(url, (request, reply) => {
      const description = forwarded(made(), request).replace(HERE, request.host).replace(NAME_HERE, request.hostname);
      if (isKnown(request, reply, etagOf(description))) return;
      reply.header('content-type', JSON_TYPE).send(description);
    });
  }
}

const COMMAND_LINE: Origin = {
  who: 'the command line',
  from: 'this computer',
  what: 'arm-bridge token',
  request: null,
};

/** Reloads the named tokens. */
function followTokens({ named, logger, arms }: HttpServices): void {
  const namesOf = (): string[] => named.all.map(({ name, scope }) => `${name} (${scope})`);
  const before = namesOf();
  try {
    if (!named.refresh()) return;
  } catch (error) {
    logger.error((error as Error).message);
  }
  const now = namesOf();
  const told = [
    ...now.filter((name) => !before.includes(name)).map((name) => `token ${name} is valid`),
    ...before.filter((name) => !now.includes(name)).map((name) => `token ${name} is of no use any more`),
  ];
  for (const text of told) arms.journal.record('configuration', null, COMMAND_LINE, 'done', text);
}

/** Builds the HTTP service. It does not listen yet: see {@link listen}. */
export function buildApp(services: HttpServices): FastifyInstance {
  const { certificate, clock, logger } = services;
  const guard = new Guard(services.config, services.tokens, services.named, clock);
  guard.onSession = services.onSession;
  const limits = new Limits(services.config.rate_limit, clock);
  const clients = new Clients(services.config.dialect, clock);
  const callers = new Callers(clock);
  const motions = new Motions(clock);
  const asks = new Asks(services, clients);
  const ids = new RequestIds(clock);
  const requests = new RequestCounts();
  const routes: { readonly pattern: RegExp; readonly methods: string[] }[] = [];
  /** Requests whose clients wait for 100 Continue. */
  const expectant = new WeakSet<IncomingMessage>();

  const app: FastifyInstance = fastify({
    // Requests are logged below, at debug level, with their ids, so they need no child loggers. Fastify's own request
    // logging would add a listener to the end of each answer.
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => logger as FastifyBaseLogger,
    genReqId: ({ headers }) => ids.of(headers[REQUEST_HEADER]),
    bodyLimit: BODY_LIMIT,
    requestTimeout: SERVER.requestTimeout,
    keepAliveTimeout: SERVER.keepAliveTimeout,
    ...(certificate === null
      ? { http: SERVER }
      : {
          serverFactory: (handler: RequestListener) => createServer({ ...certificate, ...SERVER }, handler),
        }),
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, ids.next()),
    frameworkErrors: (_error, request, reply) => {
      // Only an undecodable path gets here: no route matches it.
      logger.debug({ path: pathOf(request.url) }, 'path refused');
      send(
        (reply as FastifyReply).header(TYPE_OPTIONS, NOSNIFF).header(REQUEST_HEADER, request.id),
        new HttpProblem(404, 'Not Found'),
      );
    },
  });

  limits.watch(app.server);
  endSilent(app.server);
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectant.add(request);
    app.server.emit('request', request, response);
  });
  // Node would answer 417 itself, without the id of the request.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
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
  app.decorateRequest('routed', UNROUTED);
  app.decorateRequest('named', '');
  app.decorateRequest('began', 0);
  app.decorateRequest('admission', null);
  app.decorateRequest('client', null);
  app.decorateRequest('answered', NOBODY_TOLD);
  app.decorateRequest('origin', null);
  /** Checks a request by its head, before its body is read. */
  const receive = (request: FastifyRequest, reply: FastifyReply, access: Access, done: () => void): void => {
    const { raw } = request;
    const { headers, socket } = raw;
    const { origin } = headers;
    request.began = clock.now();
    reply.header(TYPE_OPTIONS, NOSNIFF).header(REQUEST_HEADER, request.id);
    try {
      guard.checkSource(raw);
      if (origin !== undefined) {
        const asked = headers['access-control-request-method'];
        reply.header('vary', 'Origin');
        const mayRead = guard.mayRead(origin);
        if (mayRead) {
          reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', READABLE);
        }
        if (request.method === 'OPTIONS' && asked !== undefined) {
          if (mayRead) {
            reply.headers({
              'access-control-allow-methods': 'GET, POST, DELETE',
              'access-control-allow-headers': SENDABLE,
              'access-control-max-age': '600',
            });
          }
          reply.code(200).type('text/plain; charset=utf-8').send('OK');
          return;
        }
      }
      const told = limits.told(socket.remoteAddress);
      if (told !== null) reply.headers(told);
      limits.check(socket, access);
      if (access !== 'open') {
        const admission = guard.admit(raw);
        guard.checkScope(admission.scope, access);
        request.admission = admission;
        request.client = access === 'stop' ? clients.ofStop(raw, admission) : clients.of(raw, admission);
        if (access === 'control') request.answered = clients.waits(request.client);
      }
      // A stop is obeyed whatever else its request asks for, and before its body has come, which says nothing.
      if (access === 'stop') leaveBody(request, reply);
      else {
        checkEncoding(request);
        checkExpectation(request);
      }
    } catch (error) {
      // The body of a refused request stays unread, so the connection must end with the answer.
      reply.header('connection', 'close');
      throw error;
    }
    if (request.is404) {
      answerUnrouted(request, reply);
      return;
    }
    // Fastify refuses a longer body by its announced length.
    const isTooLong = Number(headers['content-length']) > (request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY);
    if (expectant.has(raw) && !isTooLong) reply.raw.writeContinue();
    request.sentType = headers['content-type'];
    // validation.ts alone checks the content type; Fastify would refuse unknown types in its own words.
    headers['content-type'] = undefined;
    done();
  };
  // Hooks on every request use callbacks: promises would cost more than the hooks themselves.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) receive(request, reply, 'read', done);
    else done();
  });
  app.addHook('onRoute', (options) => {
    const { url, method, config } = options;
    const access = config?.access ?? 'read';
    const named = `${method} ${url}`;
    options.onRequest = (request, reply, done) => {
      request.routed = url;
      if (request.raw.url === url) request.named = named;
      receive(request, reply, access, done);
    };
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler(answerUnrouted);

  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    if (problem !== null) return send(reply, problem);
    // A client that disconnects within its body is not a fault of the bridge, so it is not logged as an error.
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
  const count = (request: FastifyRequest, { statusCode: status }: FastifyReply): void => {
    const { id, method, url, routed, began } = request;
    request.answered();
    request.answered = NOBODY_TOLD;
    const took = clock.now() - began;
    requests.add(method, routed, status, took);
    if (!logger.isLevelEnabled('debug')) return;
    logger.debug({ request: id, method, path: pathOf(url), status, ms: Math.round(1000 * took) }, 'request');
  };
  // An answer in one piece is counted when it is sent, a stream when it ends.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'object' && payload !== null && 'pipe' in payload) {
      reply.raw.once('close', () => count(request, reply));
    } else {
      count(request, reply);
    }
    done();
  });
  app.addHook('preClose', () => callers.dismiss());
  const watch = clients.watch(() => {
    followTokens(services);
    clients.endUnless((admission) => guard.stillAdmits(admission));
    motions.endForsaken(clients);
    asks.look();
    services.setup.endForsaken((owner) => clients.hasGone(owner));
    services.calibration.endForsaken((owner) => clients.hasGone(owner));
    for (const arm of services.arms.all) {
      const { keeper } = arm;
      if (keeper !== null && clients.hasGone(keeper)) arm.lapse(`has not been heard for ${LEASE} s`);
    }
  });
  app.addHook('preClose', async () => {
    watch.cancel();
    motions.close();
  });

  const hub = new Hub(services, asks);
  app.addHook('preClose', async () => hub.close());
  const datagrams: Parts['datagrams'] = new DatagramPort(clock);
  app.addHook('preClose', async () => datagrams.close());
  const parts: Parts = {
    services,
    datagrams,
    callers,
    clients,
    motions,
    asks,
    guard,
    ids,
    limits,
    hub,
    requests,
    streams: new StreamSessions(services.arms, services.jogging, services.streams, clock),
    address: () => {
      const bound = app.server.address();
      const { host, port } = services.config;
      return bound !== null && typeof bound === 'object' ? { host: bound.address, port: bound.port } : { host, port };
    },
  };
  for (const route of ROUTES) {
    const { method, access, answer } = route;
    // HEAD would need a length, which an endless stream does not have.
    const exposeHeadRoute = method === 'GET' && !('media' in answer && answer.media === 'text/event-stream');
    const served = {
      method,
      url: serverPath(route),
      config: { access },
      exposeHeadRoute,
      handler: handlerOf(route, parts),
    };
    if (route.file === undefined) app.route(served);
    else {
      app.register((inner, _options, done) => {
        takesFile(inner).route(served);
        done();
      });
    }
  }
  serveWebSockets(app, parts, CHANNELS);
  pageRoutes(app, { stopPort: services.stopPort, secure: certificate !== null });
  describeRoutes(app, services);
  return app;
}

/**
 * Listens as configured.
 * @returns the address and port in use; they differ from the configured ones for port 0 or a host name
 * @throws {ConfigError} if other computers reach the address without a token or encryption, or if binding to it fails
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
