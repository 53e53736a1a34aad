/** The longest value that a JSON schema allows: what costs most to read of all that is legal. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
}

/**
 * @param components what references lead to
 * @param most items of a list, where a body of fewer is as large as bodies may be
 */
export function longest(
  schema: Schema,
  components: Readonly<Record<string, Schema>> = {},
  most = Number.POSITIVE_INFINITY,
): unknown {
  const { $ref, anyOf, items, properties, additionalProperties: values } = schema;
  const inner = (part: Schema): unknown => longest(part, components, most);
  if ($ref !== undefined) return inner(components[$ref.split('/').at(-1)!]!);
  if (anyOf !== undefined) return inner(anyOf.find(({ type }) => type !== 'null')!);
  if (schema.enum !== undefined) return schema.enum.at(-1);
  const types = [schema.type ?? []].flat();
  if (types.includes('array')) return Array(Math.min(schema.maxItems ?? 0, most)).fill(inner(items ?? {}));
  if (types.includes('string')) return 'Z'.repeat(schema.maxLength ?? 64);
  if (types.includes('boolean')) return true;
  if (types.includes('integer')) return schema.maximum ?? 1;
  if (types.includes('number')) return schema.maximum ?? (schema.minimum ?? 0) + 0.1234567890123456;
  if (typeof values === 'object') {
    const names = Array.from({ length: schema.maxProperties ?? 0 }, (_, i) => `${'Z'.repeat(61)}${100 + i}`);
    return Object.fromEntries(names.map((name) => [name, inner(values)]));
  }
  return Object.fromEntries(Object.entries(properties ?? {}).map(([name, field]) => [name, inner(field)]));
}

/** The longest body that a schema allows, cut at lists where it would not be read. @param room bytes that a body may have */
export function longestWithin(room: number, schema: Schema, components: Readonly<Record<string, Schema>> = {}): string {
  let body = JSON.stringify(longest(schema, components));
  for (let most = 500; body.length > room; most -= 5) body = JSON.stringify(longest(schema, components, most));
  return body;
}
