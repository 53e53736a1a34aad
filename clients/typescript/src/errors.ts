import type { components } from './interface.ts';

type Schemas = components['schemas'];

/** What to call about a remedy that the bridge names, in the words of this package. */
const REMEDIES: Readonly<Record<string, string>> = {
  start: 'start one, or say where it is: new Bridge(url)',
  origin:
    'start one, or have it answer this page: served, not opened as a file, and in http.cors_origins of its configuration',
  token: 'new Bridge(url, { token }); the bridge says at its start where its tokens are',
  init: 'call arm.init()',
  reset: 'call arm.reset() or bridge.reset()',
  torque_on: 'call arm.torque(true) or arm.init()',
  take_over: 'wait, or ask with { take_over: true }',
  stop_mirroring: 'call bridge.stopMirroring()',
  stop_recording: 'call arm.stopRecording()',
  list_ports: "bridge.call('post', '/local/scan-devices') lists the ports",
  connect: "connect it with bridge.call('post', '/robot/add-connection', { body })",
  calibrate: 'calibrate it, or ask with { uncalibrated: true } to move it slowly',
};

export interface ErrorFacts {
  /** For programs: `owned`, `stopped`, `not_initialised`, `invalid`, `not_done`, `unreachable` and others. */
  readonly code: string;
  /** The next step, where there is one. */
  readonly remedy?: string | null;
  /** By which the log of the bridge tells of the request. */
  readonly requestId?: string | null;
  /** Of HTTP; null where nothing was answered. */
  readonly status?: number | null;
  /** Of `not_done`: how far it came. */
  readonly answer?: unknown;
  /** Of `invalid`: the fields that are wrong. */
  readonly errors?: readonly Schemas['ValidationError'][];
  readonly cause?: unknown;
}

/** Anything that a bridge did not do: refused, not done, or nobody answered. */
export class BridgeError extends Error {
  override readonly name = 'BridgeError';
  /** What is wrong, for people; the message adds the next step and the request. */
  readonly detail: string;
  readonly code: string;
  readonly remedy: string | null;
  readonly requestId: string | null;
  readonly status: number | null;
  readonly answer: unknown;
  readonly errors: readonly Schemas['ValidationError'][];

  constructor(detail: string, { code, remedy = null, requestId = null, status = null, ...rest }: ErrorFacts) {
    const step = remedy === null ? undefined : REMEDIES[remedy];
    const asked = requestId === null ? '' : ` [request ${requestId}]`;
    super(`${detail}${step === undefined ? '' : ` (${step})`}${asked}`, { cause: rest.cause });
    this.detail = detail;
    this.code = code;
    this.remedy = remedy;
    this.requestId = requestId;
    this.status = status;
    this.answer = rest.answer ?? null;
    this.errors = rest.errors ?? [];
  }
}

/** The error for an answer that is one: RFC 9457 where the bridge speaks it, else `{"detail": ...}`. */
export function problemOf(status: number, body: unknown, requestId: string | null): BridgeError {
  const told = (typeof body === 'object' ? body : null) as Partial<Schemas['ProblemDetails']> | null;
  // The next step is said in the words of this package where it has some, else in those of HTTP, which are in `detail`.
  const alone = told?.remedy != null && told.remedy in REMEDIES ? told.message : undefined;
  const detail = (alone ?? told?.detail) as string | Schemas['ValidationError'][] | undefined;
  const errors = told?.errors ?? (Array.isArray(detail) ? detail : undefined);
  const words =
    errors?.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'body'}: ${msg}`).join('; ') ??
    (typeof detail === 'string' ? detail : `the bridge answered ${status}`);
  return new BridgeError(words, {
    code: told?.code ?? (status === 422 ? 'invalid' : `http_${status}`),
    remedy: told?.remedy ?? (status === 401 ? 'token' : null),
    requestId: told?.request_id ?? requestId,
    status,
    ...(errors === undefined ? {} : { errors }),
  });
}
