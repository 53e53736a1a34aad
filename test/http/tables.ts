import { openApi } from '../../src/http/openapi.ts';
import type { Access, Route } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/routes/index.ts';

/** The tables of docs/http.md that are made of the declarations of the routes. */

interface Schema {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
}

const { schemas } = openApi({ token: false, dialect: 'standard' }).components as {
  readonly schemas: Readonly<Record<string, Schema>>;
};

/** The schema itself, and whether null may stand in its place. */
function plain(schema: Schema): { readonly schema: Schema; readonly nullable: boolean } {
  if (schema.$ref !== undefined) return { ...plain(schemas[schema.$ref.split('/').at(-1)!]!), nullable: false };
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (others.length === 1) {
    const { anyOf: _all, ...outer } = schema;
    return { schema: { ...plain(others[0]!).schema, ...outer }, nullable: true };
  }
  const { type } = schema;
  if (!Array.isArray(type)) return { schema, nullable: false };
  return { schema: { ...schema, type: type.find((one) => one !== 'null') }, nullable: type.includes('null') };
}

const NAMES: Readonly<Record<string, string>> = { string: 'text', array: 'list', object: 'object' };

function typeOf(field: Schema): string {
  const { schema, nullable } = plain(field);
  const { type, items, additionalProperties: values } = schema;
  const isMap = typeof values === 'object';
  const word = isMap
    ? `object of name to ${typeOf(values)}`
    : schema.enum !== undefined
      ? schema.enum.map((one) => `\`${one}\``).join(', ')
      : items === undefined
        ? (NAMES[String(type)] ?? String(type))
        : `list of ${typeOf(items)}`;
  return nullable ? `${word} or null` : word;
}

/** The largest integers that a number holds exactly are no bound of the interface. */
const isExtreme = (bound: number): boolean => Math.abs(bound) >= Number.MAX_SAFE_INTEGER;

function boundsOf(field: Schema): string {
  const { minimum, exclusiveMinimum, maximum, minItems, maxItems, maxLength, maxProperties } = plain(field).schema;
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum;
  const sign = exclusiveMinimum === undefined ? '>=' : '>';
  const parts: string[] = [];
  if (least !== undefined && !isExtreme(least)) {
    parts.push(maximum === undefined || isExtreme(maximum) ? `${sign} ${least}` : `${least} .. ${maximum}`);
  }
  if (minItems !== undefined && minItems > 0) parts.push(`${minItems} .. ${maxItems} of them`);
  else if (maxItems !== undefined) parts.push(`at most ${maxItems}`);
  if (maxProperties !== undefined) parts.push(`at most ${maxProperties}`);
  if (maxLength !== undefined) parts.push(`at most ${maxLength} characters`);
  return parts.join(', ');
}

type Row = readonly string[];

function rowsOf(schema: Schema, prefix: string): Row[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]): Row[] => {
    const path = `${prefix}${name}`;
    const fallback =
      field.default === undefined || field.default === null ? '' : `\`${JSON.stringify(field.default)}\``;
    const row = [
      `\`${path}\``,
      typeOf(field),
      required.includes(name) ? 'required' : fallback,
      boundsOf(field),
      field.description ?? '',
    ];
    const inner = plain(field).schema;
    const item = inner.items === undefined ? inner : plain(inner.items).schema;
    return [row, ...rowsOf(item, `${path}${inner.items === undefined ? '' : '[]'}.`)];
  });
}

function table(head: Row, rows: readonly Row[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const line = (cells: Row): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const NEEDS: Readonly<Record<Access, string>> = {
  open: 'nothing',
  stop: 'any token',
  read: 'any token',
  control: 'control',
};

function codesOf({ refusals, body, target, query }: Route): string {
  const own = Object.keys(refusals).map(Number);
  const takes =
    body !== undefined || query !== undefined || target === 'one' || target === 'each' || target === 'driven';
  return [...new Set([...own, ...(takes ? [422] : [])])].sort().join(', ');
}

function operations(): string {
  const rows = ROUTES.map((route) => [
    `\`${route.method} ${route.path}\``,
    route.summary,
    NEEDS[route.access],
    codesOf(route),
  ]);
  return table(['operation', 'what it does', 'token', 'refusals of its own'], rows);
}

function fields(name: string): string {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`docs/http.md: there is no schema ${name}`);
  return table(['field', 'type', 'default', 'bounds', 'meaning'], rowsOf(schema, ''));
}

/** docs/http.md with its tables as they are to be: each stands between two comments that say of what it is. */
export function withTables(text: string): string {
  return text.replace(
    /(<!-- (operations|fields \w+): begin -->\n)[\s\S]*?(<!-- \2: end -->)/g,
    (_all, begin: string, what: string, end: string) =>
      `${begin}\n${what === 'operations' ? operations() : fields(what.slice('fields '.length))}\n\n${end}`,
  );
}

/** Names of the schemas whose fields a document tells. */
export function toldSchemas(text: string): string[] {
  return [...text.matchAll(/<!-- fields (\w+): begin -->/g)].map(([, name]) => name!);
}
