import fastJson from 'fast-json-stringify';
import { z } from 'zod';

type Json = Readonly<Record<string, unknown>>;

const each = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, plain(schema as Json)]));

/**
 * Adapts a JSON schema to fast-json-stringify: null beside another type becomes `nullable`, and descriptions, key
 * constraints and the schema version are dropped. An object with declared properties loses `additionalProperties`, so
 * that undeclared fields are not written.
 */
function plain({ description: _text, propertyNames: _names, $schema: _version, ...whole }: Json): Json {
  const { additionalProperties: _more, ...named } = whole;
  const schema = whole.properties === undefined ? whole : named;
  const { type, anyOf, properties, items, additionalProperties } = schema;
  const kinds = (anyOf as Json[] | undefined)?.filter((kind) => kind.type !== 'null') ?? [];
  if (kinds.length === 1) {
    const { anyOf: _both, ...outer } = schema;
    return { ...outer, ...plain(kinds[0]!), nullable: true };
  }
  const nullable = Array.isArray(type) && type.length === 2 && type.includes('null');
  return {
    ...schema,
    ...(nullable ? { type: type.find((one) => one !== 'null'), nullable } : {}),
    ...(kinds.length > 1 ? { anyOf: (anyOf as Json[]).map(plain) } : {}),
    ...(properties === undefined ? {} : { properties: each(properties as Json) }),
    ...(items === undefined ? {} : { items: plain(items as Json) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: plain(additionalProperties as Json) } : {}),
  };
}

/**
 * Serialises values by a schema, faster than JSON.stringify. Fields outside the schema are left out.
 * @returns the serialiser; it throws for a value that the schema forbids: a missing required field, or NaN
 */
export function writerOf<T extends z.ZodType>(schema: T): (value: z.input<T>) => string {
  let write: ((value: unknown) => string) | undefined;
  return (value) => {
    // Compiled on first use: a bridge has dozens of writers, and must start within a second.
    write ??= fastJson({ ...plain(z.toJSONSchema(schema, { io: 'input' })) } as fastJson.AnySchema);
    return write(value);
  };
}
