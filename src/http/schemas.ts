import { z } from 'zod';
import { REMEDIES } from '../arm/types.ts';
import { KNOWN_CODES } from './errors.ts';
import { components } from './fields.ts';

/** Shared answers of routes. */

const requestId = z.string().describe('Id of the request, as in its header X-Request-Id and in the log.');

/** Request id of an answer in the shape of a success; only a failure has it. */
export const failedRequest = requestId.optional();

export const outcome = {
  status: z.enum(['ok', 'error']).default('ok').describe('Whether it was done.'),
  message: z.string().nullable().optional().describe('What went wrong, or what was done.'),
  request_id: failedRequest,
};

export const statusResponse = z.looseObject(outcome).register(components, { id: 'StatusResponse' });
export type StatusResponse = z.input<typeof statusResponse>;

/** Success answer. @param message human-readable: what was done */
export const ok = (message: string | null = null) => ({ status: 'ok' as const, message });

/** Failure answer. @param message human-readable: why it was not done */
export const failed = (message: string) => ({ status: 'error' as const, message });

/** The usual `answer` of a route declaration. */
export const statusAnswer = (message: string | null = null) => ({
  description: 'Done, or `status: "error"` with a message that says why not.',
  schema: statusResponse,
  example: ok(message),
});

export const validationError = z
  .looseObject({
    loc: z
      .array(z.union([z.string(), z.int()]))
      .describe('Location of the fault: body or query, then fields and indexes.'),
    msg: z.string(),
    type: z.string(),
  })
  .register(components, { id: 'ValidationError' });

export const httpValidationError = z
  .object({
    detail: z.array(validationError).max(21).describe('At most 20, then how many more there are.'),
    request_id: requestId,
  })
  .register(components, { id: 'HTTPValidationError' });

export const httpError = z
  .object({ detail: z.string().describe('What is wrong and what to do next.'), request_id: requestId })
  .register(components, { id: 'HTTPError' });

export const problemDetails = z
  .object({
    type: z.string().describe('urn:arm-bridge:problem: and the code.'),
    title: z.string().describe('Text of the HTTP status.'),
    status: z.int().describe('HTTP status.'),
    detail: z.string().describe('What is wrong and what to do next.'),
    message: z.string().describe('What is wrong alone: `remedy` is the next step.'),
    code: z
      .string()
      .describe(`What is wrong, for programs: ${KNOWN_CODES.map((code) => `\`${code}\``).join(', ')}. More may come.`),
    remedy: z.enum(REMEDIES).nullable().describe('The next step, where another part of the bridge offers one.'),
    request_id: z.string().describe('Id of the request, as in X-Request-Id and in the log.'),
    errors: z.array(validationError).max(21).optional().describe('Faults of a request that fails validation.'),
  })
  .describe('An error as RFC 9457 has it, for those who accept application/problem+json.')
  .register(components, { id: 'ProblemDetails' });
