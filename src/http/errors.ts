import { STATUS_CODES } from 'node:http';
import type { FastifyError } from 'fastify';
import { BridgeError, ERROR_CODES, type ErrorCode, type Remedy } from '../arm/types.ts';
import type { Dialect } from './dialect.ts';

/** One fault of a request, in the format that clients of this interface expect. */
export interface FieldError {
  readonly type: string;
  /** Location: ["body", field, index, ...] or ["query", name]. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** The value sent, shortened. */
  readonly input: unknown;
  /** The violated bounds. */
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Machine-readable part of an error: a code, and the next step if there is one. */
export interface Named {
  readonly code: string;
  readonly remedy: Remedy | null;
}

/** For an arm id or name that does not exist. */
export const UNKNOWN: Named = { code: 'unknown_arm', remedy: null };

/** Error codes of refusals that come from HTTP alone, by status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorised',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'too_slow',
  409: 'conflict',
  411: 'no_length',
  413: 'too_large',
  415: 'compressed',
  416: 'no_such_bytes',
  417: 'unknown_expectation',
  422: 'invalid',
  429: 'too_many',
  503: 'unavailable',
};

/** All codes that errors can have. */
export const KNOWN_CODES: readonly string[] = [...new Set([...ERROR_CODES, ...Object.values(CODES)])];

/** Error response: `{detail: text}`, or `{detail: [fault, ...]}` for an invalid request. */
export class HttpProblem extends Error {
  constructor(
    readonly status: number,
    readonly detail: string | readonly FieldError[],
    readonly headers: Readonly<Record<string, string>> = {},
    readonly named: Named = { code: CODES[status] ?? 'internal', remedy: null },
  ) {
    super(typeof detail === 'string' ? detail : detail.map((item) => `${item.loc.join('.')}: ${item.msg}`).join('; '));
    this.name = 'HttpProblem';
  }
}

/** An error with a shorter text. @param brief shortens it; faults of a validation are short already */
export function shortened(problem: HttpProblem, brief: (text: string) => string): HttpProblem {
  const { status, detail, headers, named } = problem;
  if (typeof detail !== 'string') return problem;
  const text = brief(detail);
  if (text === detail) return problem;
  return new HttpProblem(status, text, headers, { code: named.code, remedy: named.remedy });
}

/** Statuses that ask the client to retry, and the default Retry-After, s. */
const ASK_AGAIN: ReadonlySet<number> = new Set([429, 503]);
const ASK_AGAIN_AFTER = '1';

/** Headers that every response of a status has. */
export function retryHeaders(status: number): Readonly<Record<string, string>> {
  return ASK_AGAIN.has(status) ? { 'retry-after': ASK_AGAIN_AFTER } : {};
}

/** Response to any internal fault. The reason is in the log, not in the response. */
export const INTERNAL_ERROR = new HttpProblem(500, 'Internal Server Error');

const STATUS: Readonly<Record<ErrorCode, number>> = {
  unknown_arm: 400,
  unknown_recording: 400,
  disconnected: 400,
  stopped: 409,
  owned: 409,
  not_initialised: 400,
  uncalibrated: 409,
  bad_pair: 400,
  already_mirroring: 400,
  no_sample: 400,
  not_simulated: 400,
  bad_request: 400,
  unsupported: 400,
  unavailable: 503,
  unattended: 503,
  internal: 500,
};

/** Request context of an error. */
export interface ProblemContext {
  /** Path of the route. */
  readonly route: string;
  readonly dialect?: Dialect;
  /** Id of the requested arm. */
  readonly armId?: number;
  /** Statuses by which this route overrides the usual ones. */
  readonly status?: Partial<Readonly<Record<ErrorCode, number>>>;
}

/** Wording of each remedy for HTTP clients. */
const REMEDY: Readonly<Record<Remedy, (armId: number) => string>> = {
  init: (armId) => `call /move/init?robot_id=${armId}`,
  reset: (armId) => `release it with POST /stop/reset?robot_id=${armId}`,
  torque_on: () => 'switch its torque on first, for example by /move/init',
  take_over: () => 'wait until it has ended, or take it with ?take_over=true',
  stop_mirroring: () => 'to stop it, call /move/leader/stop; ?take_over=true replaces it',
  stop_recording: () => '/recording/stop ends that',
  list_ports: () => '/local/scan-devices lists the ports',
  connect: () => '/robot/add-connection connects it',
  calibrate: () => 'calibrate it (arm-bridge calibrate), or move it at 0.3 rad/s with ?uncalibrated=true',
};

/** Message of an error, with the remedy. */
export function inWords({ message, remedy, arm }: BridgeError): string {
  if (remedy === null) return message;
  const step = REMEDY[remedy](arm?.id ?? 0);
  return message.endsWith('.') ? `${message} ${step[0]!.toUpperCase()}${step.slice(1)}.` : `${message}: ${step}`;
}

/** Converts a BridgeError to its HTTP response; internal faults and other errors are returned unchanged. */
export function asProblem(error: unknown, context: ProblemContext): unknown {
  if (!(error instanceof BridgeError) || error.code === 'internal') return error;
  const status = context.status?.[error.code] ?? STATUS[error.code];
  return new HttpProblem(status, sentence(error, context), {}, error);
}

function sentence(error: BridgeError, context: ProblemContext): string {
  switch (error.code) {
    case 'not_initialised':
      return (
        `Before using ${context.route} you need to call /move/init?robot_id=${context.armId ?? 0} ` +
        "to initialize the robot's position and orientation."
      );
    case 'already_mirroring':
      return context.dialect === 'phosphobot'
        ? 'Leader-follower control is already running. To stop it, call /move/leader/stop'
        : inWords(error);
    default:
      return inWords(error);
  }
}

/** Response to anything that a handler or Fastify threw; null for an internal fault, which must be logged. */
export function problemOf(error: unknown): HttpProblem | null {
  if (error instanceof HttpProblem) return error;
  if (error instanceof BridgeError) {
    return error.code === 'internal' ? null : new HttpProblem(STATUS[error.code], inWords(error), {}, error);
  }
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (typeof code !== 'string' || !code.startsWith('FST_')) return null;
  if (statusCode === 413) return new HttpProblem(413, 'The request body is larger than 64 KiB.');
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null;
  return new HttpProblem(statusCode, message ?? 'Bad Request');
}

/** Media type of RFC 9457 problem details. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Whether an Accept header asks for RFC 9457 problem details. */
export function wantsProblem(accept: string | undefined): boolean {
  return accept !== undefined && /application\/problem\+json(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept);
}

/** An error as RFC 9457 problem details. @param request id of the request */
export function problemDetails({ status, detail, message, named }: HttpProblem, request: string): object {
  const { code, remedy } = named;
  return {
    type: `urn:arm-bridge:problem:${code}`,
    title: STATUS_CODES[status],
    status,
    detail: message,
    message: named instanceof BridgeError ? named.message : message,
    code,
    remedy,
    request_id: request,
    ...(typeof detail === 'string' ? {} : { errors: detail }),
  };
}
