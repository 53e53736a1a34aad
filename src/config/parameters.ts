import { z } from 'zod';
import { type Config, configSchema } from './schema.ts';

/** Sections of the configuration that are ROS parameters of the process. */
export const PARAMETER_SECTIONS = ['http', 'ros', 'control', 'log'] as const;

/** Parameters that can change while the bridge runs. */
const LIVE = /^(ros\.joint_state_rate|ros\.diagnostics\..*|log\.level)$/;

/** A configuration value as a parameter. */
export interface ConfigParameter {
  /** Path in the configuration file: `http.port`. */
  readonly name: string;
  readonly kind: 'boolean' | 'integer' | 'double' | 'string' | 'strings';
  readonly description: string;
  /** Null: no bound. */
  readonly minimum: number | null;
  readonly maximum: number | null;
  /** Can change at run time. */
  readonly live: boolean;
}

interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

const KINDS: Readonly<Record<string, ConfigParameter['kind']>> = {
  boolean: 'boolean',
  integer: 'integer',
  number: 'double',
  array: 'strings',
};

/** All values of those sections, from the schema. A union of types becomes a string. */
export const CONFIG_PARAMETERS: readonly ConfigParameter[] = (() => {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return PARAMETER_SECTIONS.flatMap((section) => describe(section, schema.properties![section]!));
})();

function describe(name: string, schema: JsonSchema): ConfigParameter[] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([key, inner]) => describe(`${name}.${key}`, inner));
  }
  const { type = '', description = '', minimum = null, maximum = null } = schema;
  return [{ name, kind: KINDS[type] ?? 'string', description, minimum, maximum, live: LIVE.test(name) }];
}

/** A configuration value as a parameter value: null becomes an empty text. */
export function parameterValue(config: Config, { name, kind }: ConfigParameter): unknown {
  let value: unknown = config;
  for (const key of name.split('.')) value = (value as Record<string, unknown>)[key];
  return kind === 'string' ? String(value ?? '') : value;
}

/** Human-readable value; not plain JSON, which has no NaN or infinity. */
export function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Human-readable reason why a parameter cannot have a value; null if it can. */
export function parameterFault(config: Config, name: string, value: unknown): string | null {
  const [section, ...path] = name.split('.');
  const present = PARAMETER_SECTIONS.find((known) => known === section)!;
  const tree: Record<string, unknown> = structuredClone(config[present]);
  const holder = path.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, tree);
  holder[path.at(-1)!] = value;
  const result = configSchema.shape[present].safeParse(tree);
  if (result.success) return null;
  return `${name} cannot be ${shown(value)}: ${result.error.issues.map(({ message }) => message).join('; ')}`;
}
