/** What operations of the OpenAPI description are made of. */
export type Json = Record<string, unknown>;

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
export const content = (name: string): Json => ({ content: { 'application/json': { schema: reference(name) } } });
export const answer = (description: string, name: string): Json => ({ description, ...content(name) });

export const ROBOT_ID = {
  name: 'robot_id',
  in: 'query',
  required: false,
  description: 'Id of the arm, as in the configuration.',
  schema: { type: 'integer', default: 0 },
};
export const ROBOT_ID_OR_ALL = {
  name: 'robot_id',
  in: 'query',
  required: false,
  description: 'Id of the arm, as in the configuration; left out: all arms.',
  schema: { type: 'integer' },
};
export const TAKE_OVER = {
  name: 'take_over',
  in: 'query',
  required: false,
  description: 'Take the arm from whoever drives it.',
  schema: { type: 'boolean', default: false },
};

export const ARM_NAME: Json = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'Name of the arm, as in the configuration.',
  schema: { type: 'string' },
};
export const NO_ARM = 'There is no arm of this name.';

export const release = (fallback: string): Json => ({
  name: 'release',
  in: 'query',
  required: false,
  description:
    'What becomes of an arm that floated: lower = it is lowered to its rest pose and released, now = it is released ' +
    'and falls unless a hand has it, hold = it goes on holding.',
  schema: { type: 'string', enum: ['lower', 'now', 'hold'], default: fallback },
});

export interface Operation {
  readonly id: string;
  readonly tag: 'control' | 'status' | 'simulation' | 'arms' | 'live';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Json[];
  readonly body?: { readonly name: string; readonly required: boolean };
  /** A component as JSON, or text of a media type. */
  readonly answer: { readonly description: string } & ({ readonly name: string } | { readonly media: string });
  /** When it answers 503 with a StatusResponse. */
  readonly failure?: string;
  /** Descriptions of the documented refusals, by status. */
  readonly refusals: Readonly<Record<string, string>>;
}

export const STATUS_ANSWER = {
  name: 'StatusResponse',
  description: 'Done, or `status: "error"` with a message that says why not.',
};
export const MOVE_ANSWER = {
  name: 'StatusResponse',
  description:
    'The motion has ended. `error`: the message says why and how far it came. Further fields: `position_error` (cm), ' +
    '`orientation_error` (degrees), `trials`, `duration` (s).',
};
export const CONFLICT = 'Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset).';
export const UNKNOWN_ARM = 'The arm is unknown.';

/** Operations by path and method. */
export type Operations = Readonly<Record<string, Partial<Readonly<Record<'get' | 'post' | 'delete', Operation>>>>>;
