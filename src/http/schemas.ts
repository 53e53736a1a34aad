import { z } from 'zod';
import { components } from './fields.ts';

/** Answers that many routes give. */

export const outcome = {
  status: z.enum(['ok', 'error']).default('ok').describe('Whether it was done.'),
  message: z.string().nullable().optional().describe('What went wrong, or what was done.'),
};

export const statusResponse = z.looseObject(outcome).register(components, { id: 'StatusResponse' });
export type StatusResponse = z.input<typeof statusResponse>;

/** It is done. @param message what was done, for people */
export const ok = (message: string | null = null) => ({ status: 'ok' as const, message });

/** It is not done. @param message why not, for people */
export const failed = (message: string) => ({ status: 'error' as const, message });

/** How most operations answer, in the description of a route. */
export const statusAnswer = (message: string | null = null) => ({
  description: 'Done, or `status: "error"` with a message that says why not.',
  schema: statusResponse,
  example: ok(message),
});

export const validationError = z
  .looseObject({
    loc: z.array(z.union([z.string(), z.int()])).describe('Place: body or query, then fields and indexes.'),
    msg: z.string(),
    type: z.string(),
  })
  .register(components, { id: 'ValidationError' });

export const httpValidationError = z
  .object({ detail: z.array(validationError).max(21).describe('At most 20, then how many more there are.') })
  .register(components, { id: 'HTTPValidationError' });

export const httpError = z
  .object({ detail: z.string().describe('What is wrong and what to do next.') })
  .register(components, { id: 'HTTPError' });
