import type { Json } from '../../src/http/openapi.ts';

/** TypedDicts of component schemas, as clients/python has them. */

const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  null: 'None',
};

const WIDTH = 116;

class Writer {
  readonly #classes: string[] = [];
  readonly #names = new Set<string>();

  get text(): string {
    return this.#classes.join('\n\n');
  }

  /** Writes a schema under its name: a class for an object, else another name of a type. */
  declare(name: string, schema: Json): void {
    if (schema.properties === undefined) this.#classes.push(`${name} = ${this.#type(name, schema)}\n`);
    else this.#object(name, schema);
  }

  #object(name: string, schema: Json): string {
    if (this.#names.has(name)) throw new Error(`two types are called ${name}`);
    this.#names.add(name);
    const required = new Set((schema.required ?? []) as string[]);
    const fields = Object.entries(schema.properties as Record<string, Json>).map(([field, property]) => ({
      field,
      type: this.#type(`${name}${camel(field)}`, property),
      text: property.description === undefined ? '' : comment(String(property.description)),
    }));
    const lines = (wanted: boolean): string[] =>
      fields
        .filter(({ field }) => required.has(field) === wanted)
        .map(({ field, type, text }) => `${text}    ${field}: ${type}\n`);
    const [needed, optional] = [lines(true), lines(false)];
    const title = schema.description === undefined ? '' : `    """${String(schema.description)}"""\n\n`;
    const body = (own: string[]): string => `${title}${own.join('')}` || '    pass\n';
    if (optional.length === 0) this.#classes.push(`class ${name}(TypedDict):\n${body(needed)}`);
    else if (needed.length === 0) this.#classes.push(`class ${name}(TypedDict, total=False):\n${body(optional)}`);
    else {
      this.#classes.push(`class _${name}(TypedDict):\n${needed.join('')}`);
      this.#classes.push(`class ${name}(_${name}, total=False):\n${body(optional)}`);
    }
    return name;
  }

  #type(name: string, schema: Json): string {
    const { $ref: reference, type, anyOf, oneOf, items, properties, const: constant } = schema;
    if (typeof reference === 'string') return `"${reference.split('/').at(-1)}"`;
    const choices = (anyOf ?? oneOf) as Json[] | undefined;
    if (choices !== undefined) {
      const types = choices.map((choice, i) => this.#type(choices.length > 2 ? `${name}${i}` : name, choice));
      return `Union[${[...new Set(types)].join(', ')}]`;
    }
    if (schema.enum !== undefined)
      return `Literal[${(schema.enum as unknown[]).map((one) => JSON.stringify(one)).join(', ')}]`;
    if (constant !== undefined) return `Literal[${JSON.stringify(constant)}]`;
    if (type === 'array') return `List[${items === undefined ? 'Any' : this.#type(name, items as Json)}]`;
    if (properties !== undefined) return `"${this.#object(name, schema)}"`;
    if (type === 'object') {
      const values = schema.additionalProperties as Json | boolean | undefined;
      return `Dict[str, ${typeof values === 'object' && Object.keys(values).length > 0 ? this.#type(name, values) : 'Any'}]`;
    }
    if (Array.isArray(type))
      return `Union[${type.map((one) => this.#type(name, { ...schema, type: one })).join(', ')}]`;
    return PLAIN[String(type)] ?? 'Any';
  }
}

function camel(field: string): string {
  return field.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Lines of a comment above a field. */
function comment(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`    # ${word}`);
  }
  return `${lines.join('\n')}\n`;
}

/** @param schemas by name */
export function pythonTypes(schemas: Readonly<Record<string, Json>>): string {
  const writer = new Writer();
  // Classes come before the names of unions of them.
  const isObject = ([, schema]: [string, Json]): boolean => schema.properties !== undefined;
  const entries = Object.entries(schemas);
  for (const [name, schema] of [...entries.filter(isObject), ...entries.filter((entry) => !isObject(entry))]) {
    writer.declare(name, schema);
  }
  return (
    '"""Bodies and answers of the interface. Made of src/http by test/http/generated.test.ts: do not edit."""\n\n' +
    `from typing import Any, Dict, List, Literal, TypedDict, Union\n\n\n${writer.text}`
  );
}
