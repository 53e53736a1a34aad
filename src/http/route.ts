import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Act } from '../arm/journal.ts';
import type { Arm, ErrorCode } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import { RECORDING_NAME } from '../recording/recording-service.ts';
import { LONGEST_NAME } from '../sizes.ts';
import type { Asks } from './asks.ts';
import type { Callers } from './callers.ts';
import { originOf } from './callers.ts';
import type { Clients } from './clients.ts';
import type { DatagramPort } from './datagrams.ts';
import { asProblem, HttpProblem, retryHeaders, shortened } from './errors.ts';
import { queryBoolean, queryInteger, text, word } from './fields.ts';
import type { Guard } from './guard.ts';
import type { Limits } from './limits.ts';
import type { Hub } from './live/hub.ts';
import type { StreamSessions } from './live/stream-sessions.ts';
import type { RequestCounts } from './metrics.ts';
import type { Motions } from './motions.ts';
import type { RequestIds } from './request-ids.ts';
import type { Datagram } from './routes/teleop-datagrams.ts';
import { armById, armByName, armsById, drivenArmsById, type HttpServices, idNamed } from './services.ts';
import { type BodyShape, bodyReader, Faults, MOST_ECHO, readQuery, repeatingLittle } from './validation.ts';
import { writerOf } from './writer.ts';

/**
 * A route is declared once, as an object under routes/. It is the source of validation, the guard's scopes, OpenAPI,
 * the tables of docs/http.md, the page /docs and the types of the control page.
 */

/**
 * Who may call a route. `open`: everybody, because the route checks tokens itself or reveals nothing. `read`: any valid
 * token. `control`: a control token. `stop`: any valid token, without the rate and connection limits.
 */
export type Access = 'open' | 'stop' | 'read' | 'control';

export const TAGS = {
  control: 'Motion of the arms.',
  status: 'State of the bridge.',
  arms: 'Arms by name, in SI units.',
  recordings: 'What arms have done: episodes, files, datasets.',
  live: 'State as it changes.',
  simulation: 'Simulated arms only.',
} as const;

/** Query parameters by name; each schema reads text. */
type Fields = Readonly<Record<string, z.ZodType>>;

/**
 * How a route selects its arms. `one`: by `robot_id`, 0 if left out. `each`: by `robot_id`, all if left out. `driven`:
 * as `each`, without arms that were disconnected on purpose. `named`: by `{name}` in the path. `recording`: no arm;
 * `{name}` in the path names a recording. `none`: no arm, or arms in the body.
 */
type Target = 'one' | 'each' | 'driven' | 'named' | 'recording' | 'none';

interface Body<Schema extends z.ZodType> extends BodyShape<Schema> {
  /** A valid body for the default configuration. */
  readonly example: z.input<Schema>;
}

/** Descriptions of headers, by name. */
export type Headers = Readonly<Record<string, string>>;

/** A JSON response, serialised by its schema: fields outside the schema are dropped. */
interface JsonAnswer<Schema extends z.ZodType> {
  readonly headers?: Headers;
  /** 200 if left out; the handler sets the status. */
  readonly status?: 202;
  readonly description: string;
  readonly schema: Schema;
  readonly example: z.input<Schema>;
}

/** A response in another media type; the handler sends it. */
interface MediaAnswer {
  readonly status?: undefined;
  readonly headers?: Headers;
  /** A part of it, if the request asks for one. */
  readonly part?: { readonly description: string; readonly headers: Headers };
  /** Nothing, if the client has it already. */
  readonly known?: { readonly description: string; readonly headers: Headers };
  readonly description: string;
  readonly media: string;
  /** Schema of each event of a stream; left out: plain text. */
  readonly schema?: z.ZodType;
  readonly example: string;
}

type Answer<Schema extends z.ZodType> = JsonAnswer<Schema> | MediaAnswer;

/** Shared parts that handlers use. */
export interface Parts {
  readonly services: HttpServices;
  readonly callers: Callers;
  readonly clients: Clients;
  readonly motions: Motions;
  readonly asks: Asks;
  /** Ids of WebSocket requests, which Fastify does not number. */
  readonly ids: RequestIds;
  readonly guard: Guard;
  readonly limits: Limits;
  readonly hub: Hub;
  readonly streams: StreamSessions;
  readonly datagrams: DatagramPort<Datagram>;
  readonly requests: RequestCounts;
  /** Address on which the bridge listens. */
  readonly address: () => { readonly host: string; readonly port: number };
}

/** A request that has passed validation. */
export interface Input<T extends Target, Query extends Fields, Schema extends z.ZodType> {
  /** For targets `one` and `named`. */
  readonly arm: T extends 'one' | 'named' ? Arm : undefined;
  /** For targets `each` and `driven`. */
  readonly arms: T extends 'each' | 'driven' ? readonly Arm[] : undefined;
  /** For target `recording`: its name. The recording need not exist. */
  readonly recording: T extends 'recording' ? string : undefined;
  readonly query: { readonly [Name in keyof Query]: z.output<Query[Name]> };
  readonly body: z.output<Schema>;
  readonly params: Readonly<Record<string, string>>;
  readonly request: FastifyRequest;
}

interface Declaration<T extends Target, Query extends Fields, Schema extends z.ZodType, Out extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `{name}` for a path parameter. */
  readonly path: string;
  readonly access: Access;
  /** Its act on arms, for the journal; left out: none. */
  readonly act?: Act;
  /** Operation id, unique. */
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string;
  readonly target: T;
  readonly query?: Query;
  /** Request headers that its handler reads, besides those that count on every route. */
  readonly headers?: Headers;
  /** Further path parameters beside the arm; each is text. */
  readonly params?: readonly string[];
  readonly body?: Body<Schema>;
  /** Instead of a JSON body: a file, which the handler reads from the stream `request.body`. */
  readonly file?: {
    readonly description: string;
    readonly media: string;
    /** Maximum size, bytes. */
    readonly most: number;
    readonly example: string;
  };
  readonly answer: Answer<Out>;
  /** Body of a 503 response in place of the usual error. */
  readonly failure?: JsonAnswer<Out>;
  /** Descriptions of route-specific error responses, by status. */
  readonly refusals: Readonly<Record<number, string>>;
  /** Statuses by which this route overrides the usual ones. */
  readonly statuses?: Partial<Readonly<Record<ErrorCode, number>>>;
  /** In the phosphobot dialect: the answer in place of 409, which its clients do not handle. */
  conflict?(message: string): z.input<Out>;
  /** @returns the answer, or `reply` if the handler has sent it */
  handler(
    parts: Parts,
    input: Input<T, Query, Schema>,
    reply: FastifyReply,
  ): z.input<Out> | FastifyReply | Promise<z.input<Out> | FastifyReply>;
}

/** A declared route, with its types erased. */
export type Route = Declaration<Target, Fields, z.ZodType, z.ZodType>;

/** Declares a route; the types of its handler follow from its schemas. */
export function route<
  Out extends z.ZodType,
  T extends Target,
  Query extends Fields = Readonly<Record<never, never>>,
  Schema extends z.ZodType = z.ZodUndefined,
>(declaration: Declaration<T, Query, Schema, Out>): Route {
  // Sound because `handlerOf` reads the handler's input by the same declaration.
  return declaration as unknown as Route;
}

/** Shared query parameters. */
const ROBOT_ID = queryInteger().prefault(0).describe('Id of the arm, as in the configuration.');
const ROBOT_ID_OR_ALL = queryInteger()
  .optional()
  .describe('Id of the arm, as in the configuration; left out: all arms.');
export const NAMED_ARM = word(LONGEST_NAME).optional().describe('Name of the arm; it counts in place of robot_id.');
export const takeOver = queryBoolean().prefault(false).describe('Take the arm from whoever drives it.');
const uncalibrated = queryBoolean()
  .prefault(false)
  .describe('Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s.');
/** Query parameters of motion requests. */
export const moving = { take_over: takeOver, uncalibrated } as const;
const ARM_NAME = word(LONGEST_NAME).describe('Name of the arm, as in the configuration.');

const RECORDING = text(RECORDING_NAME).describe('Name of the recording.');

/** Shared descriptions of error responses. */
export const CONFLICT = 'Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset).';
export const UNKNOWN_ARM = 'The arm is unknown.';
export const NOT_THERE = 'The arm is unknown or disconnected.';
export const NO_ARM = 'There is no arm of this name.';

/** Query schema of a route, with the parameters that select its arms. */
export function querySchema({ target, query }: Route): z.ZodObject {
  const named = target === 'one' ? { robot_id: ROBOT_ID, arm: NAMED_ARM } : {};
  const each = target === 'each' || target === 'driven' ? { robot_id: ROBOT_ID_OR_ALL, arm: NAMED_ARM } : {};
  return z.object({ ...named, ...each, ...query });
}

/** Path parameters of a route. */
export function pathSchema({ target, params = [] }: Route): z.ZodObject {
  if (target === 'recording') return z.object({ name: RECORDING });
  const others = params.map((name) => [name, word(LONGEST_NAME).describe('As it was given.')]);
  return z.object({ ...(target === 'named' ? { name: ARM_NAME } : {}), ...Object.fromEntries(others) });
}

/** Path of a route in Fastify's syntax. */
export function serverPath({ path }: Route): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function armsOf(
  target: Target,
  query: Readonly<Record<string, unknown>>,
  request: FastifyRequest,
  services: HttpServices,
) {
  const none = { arm: undefined, arms: undefined, recording: undefined };
  const id = (): number | undefined => idNamed(services, query as Parameters<typeof idNamed>[1]);
  switch (target) {
    case 'one':
      return { ...none, arm: armById(services, id()!) };
    case 'named':
      return { ...none, arm: armByName(services, (request.params as { name: string }).name) };
    case 'recording':
      return { ...none, recording: recordingName((request.params as { name: string }).name) };
    case 'each':
      return { ...none, arms: armsById(services, id() ?? null) };
    case 'driven':
      return { ...none, arms: drivenArmsById(services, id() ?? null) };
    case 'none':
      return none;
  }
}

/** @throws {HttpProblem} 404 for an invalid name */
function recordingName(name: string): string {
  if (RECORDING_NAME.test(name)) return name;
  throw new HttpProblem(404, 'There is no recording of this name: names are 1 to 64 letters, digits, "_" and "-".');
}

/** Makes the reader of a route's requests. It checks the whole request before anything is done. */
function readerOf(route: Route, services: HttpServices) {
  const { target, body: shape } = route;
  const schema = querySchema(route);
  const readBody = shape === undefined ? null : bodyReader(shape, services.config.dialect);
  let parsed: Readonly<Record<string, unknown>> | undefined;
  /** Most requests have no query, so this is parsed once, and not before: the first time compiles the schema. */
  const defaults = (): Readonly<Record<string, unknown>> => {
    parsed ??= schema.parse({});
    return parsed;
  };
  return (request: FastifyRequest): Input<Target, Fields, z.ZodType> => {
    const faults = new Faults();
    const { url = '' } = request.raw;
    const query = url.includes('?') ? readQuery(url, schema, faults) : defaults();
    const body = readBody === null ? undefined : readBody(request.body, request.sentType, faults);
    faults.refuse();
    return {
      query,
      body,
      request,
      params: request.params,
      ...armsOf(target, query, request, services),
    } as Input<Target, Fields, z.ZodType>;
  };
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Outcome of a request, taken from its answer. */
function outcomeOf(answer: unknown): ['done' | 'failed', string | null] {
  const { status, calibration_status, message = null } = answer as Readonly<Record<string, string | null>>;
  return status === 'error' || calibration_status === 'error' ? ['failed', message] : ['done', null];
}

/**
 * Makes the writer of a request's outcome to the journal. It writes nothing if an arm has already recorded the request.
 * @returns null for a route without an act
 */
function writing(
  { act }: Route,
  { arm, arms }: Input<Target, Fields, z.ZodType>,
  request: FastifyRequest,
  { arms: { journal } }: HttpServices,
): ((outcome: 'done' | 'failed' | 'refused', message: string | null) => void) | null {
  if (act === undefined) return null;
  const before = journal.changes;
  const named = (arm as Arm | undefined) ?? (arms?.length === 1 ? arms[0] : undefined);
  return (outcome, message) => {
    const origin = originOf(request);
    if (journal.hasWritten(origin, before)) return;
    journal.record(act, named?.name ?? null, origin, outcome, message);
  };
}

/** Makes the Fastify handler of a route. */
export function handlerOf(route: Route, parts: Parts) {
  const { services } = parts;
  const read = readerOf(route, services);
  const writers = [route.answer, route.failure].map((answer) =>
    answer !== undefined && 'example' in answer && !('media' in answer) ? writerOf(answer.schema) : null,
  );
  const [write, writeFailure] = writers;
  const conflict = services.config.dialect === 'phosphobot' ? route.conflict : undefined;

  const send = (answer: unknown, reply: FastifyReply): void => {
    if (answer === reply) return;
    const writer = reply.statusCode === 503 ? writeFailure : write;
    const [result] = outcomeOf(answer);
    const told = result === 'failed' ? { ...(answer as object), request_id: reply.request.id } : answer;
    reply.headers({ ...retryHeaders(reply.statusCode), 'content-type': JSON_TYPE }).send(writer!(told));
  };
  /** Shortens what an answer repeats of the body of its request. */
  const brief = <T>(told: T, { body }: { readonly body: unknown }, request: FastifyRequest): T =>
    request.body instanceof Buffer && request.body.length > MOST_ECHO ? repeatingLittle(told, body) : told;
  const refuse = (error: unknown, input: ReturnType<typeof read>, reply: FastifyReply): void => {
    const { arm } = input as { readonly arm: Arm | undefined };
    const context = {
      route: route.path,
      dialect: services.config.dialect,
      ...(arm === undefined ? {} : { armId: arm.id }),
      status: route.statuses ?? {},
    };
    const whole = asProblem(error, context);
    const problem =
      whole instanceof HttpProblem ? shortened(whole, (text) => brief(text, input, reply.request)) : whole;
    if (conflict === undefined || !(problem instanceof HttpProblem) || problem.status !== 409) throw problem;
    send(conflict(problem.message), reply);
  };
  // Uses callbacks: a promise for each request would cost more than most routes do.
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const input = read(request);
    const note = writing(route, input, request, services);
    const tell = (outcome: unknown): void => {
      note?.(...outcomeOf(outcome));
      send(outcome === reply ? reply : brief(outcome, input, request), reply);
    };
    const fail = (error: unknown): void => {
      note?.('refused', messageOf(error));
      refuse(error, input, reply);
    };
    let answer: unknown;
    try {
      answer = route.handler(parts, input, reply);
    } catch (error) {
      fail(error);
      return;
    }
    if (!(answer instanceof Promise)) {
      tell(answer);
      return;
    }
    answer.then(tell, fail).catch((error) => reply.send(error));
  };
}
