/**
 * The interface as the bridge describes it, at `/docs`: every operation of /openapi.json with its fields, an example that can
 * be changed and sent, and the answer.
 */

import { byId, h, setText } from './dom.ts';

/** Longer answers are cut, characters. */
const LONGEST_ANSWER = 20_000;

/** What this page reads of JSON Schema. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
}

type Contents = Readonly<Record<string, { readonly schema: Schema; readonly example: unknown }>>;

interface Answer {
  readonly $ref?: string;
  readonly description: string;
  readonly content?: Contents;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Description {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

class Page {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #answers: Readonly<Record<string, Answer>>;

  constructor({ components }: Description) {
    this.#schemas = components.schemas;
    this.#answers = components.responses;
  }

  /** The schema itself, where another one stands for it or beside null. */
  #resolved(schema: Schema): Schema {
    if (schema.$ref !== undefined) return this.#schemas[schema.$ref.split('/').at(-1)!] ?? {};
    const named = schema.anyOf?.find(({ $ref }) => $ref !== undefined);
    return named === undefined ? schema : this.#resolved(named);
  }

  #typeOf(schema: Schema): string {
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
    if (schema.anyOf !== undefined) return schema.anyOf.map((one) => this.#typeOf(one)).join(' or ');
    if (schema.$ref !== undefined) return this.#typeOf(this.#resolved(schema));
    if (schema.items !== undefined) return `list of ${this.#typeOf(schema.items)}`;
    const { minimum, maximum, exclusiveMinimum } = schema;
    const least = exclusiveMinimum === undefined ? minimum : `above ${exclusiveMinimum}`;
    // The largest integers that a number holds exactly are no bound of the interface.
    const bounds = [least, maximum].filter((bound) => bound !== undefined && !isExtreme(bound));
    return `${schema.type ?? 'any'}${bounds.length === 0 ? '' : ` (${bounds.join(' .. ')})`}`;
  }

  #fields(schema: Schema, prefix = ''): HTMLTableRowElement[] {
    const { properties = {}, required = [] } = this.#resolved(schema);
    return Object.entries(properties).flatMap(([name, field]) => {
      const inner = this.#resolved(field.items ?? field);
      const value = required.includes(name)
        ? 'required'
        : field.default === undefined
          ? ''
          : JSON.stringify(field.default);
      const path = `${prefix}${name}`;
      return [
        h(
          'tr',
          {},
          h('td', {}, h('code', {}, path)),
          h('td', {}, this.#typeOf(field)),
          h('td', {}, value),
          h('td', {}, field.description ?? ''),
        ),
        ...(inner.properties === undefined
          ? []
          : this.#fields(inner, `${path}${field.items === undefined ? '' : '[]'}.`)),
      ];
    });
  }

  #table(caption: string, schema: Schema): HTMLElement[] {
    const rows = this.#fields(schema);
    if (rows.length === 0) return [];
    const head = ['Field', 'Type', 'Default', 'Meaning'].map((text) => h('th', { scope: 'col' }, text));
    const table = h(
      'table',
      {},
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, ...head)),
      h('tbody', {}, ...rows),
    );
    return [h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption }, table)];
  }

  /** What is below the line of an operation. */
  operation(method: string, path: string, operation: Operation): HTMLElement {
    const { operationId, parameters = [], requestBody, responses } = operation;
    const { schema: body, example } = requestBody?.content['application/json'] ?? {};
    const fields = parameters.map((parameter) => ({ parameter, field: inputOf(operationId, parameter) }));
    const id = `${operationId}-body`;
    const text = h('textarea', { id, rows: 4, spellcheck: false });
    text.value = example === undefined ? '' : JSON.stringify(example, null, 2);
    const outcome = h('pre', { 'aria-label': 'Answer', tabindex: 0, hidden: true });
    const send = h('button', { type: 'submit', class: 'main' }, 'Send');
    const [media, answer] = Object.entries(responses['200']?.content ?? {})[0] ?? [];
    const shown = typeof answer?.example === 'string' ? answer.example : JSON.stringify(answer?.example, null, 2);
    const form = h(
      'form',
      { class: 'operation' },
      h('p', {}, operation.description),
      ...fields.map(({ parameter, field }) =>
        h('label', { for: field.id }, h('code', {}, parameter.name), field, parameter.description),
      ),
      ...(body === undefined
        ? []
        : [...this.#table('Body', body), h('label', { for: id }, 'Body, as it is sent'), text]),
      // A stream has no end to wait for.
      media === 'text/event-stream' ? h('pre', {}, `curl -N ${location.origin}${path}`) : send,
      outcome,
      h(
        'ul',
        {},
        ...Object.entries(responses).map(([status, { $ref, description }]) => {
          const text = $ref === undefined ? description : this.#answers[$ref.split('/').at(-1)!]!.description;
          return h('li', {}, h('code', {}, status), ` ${text}`);
        }),
      ),
      h('p', {}, 'What comes back, for example:'),
      h('pre', { tabindex: 0 }, shown ?? ''),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const query = new URLSearchParams();
      let url = path;
      for (const { parameter, field } of fields) {
        if (parameter.in === 'path') url = url.replace(`{${parameter.name}}`, encodeURIComponent(field.value));
        else if (field.value !== '') query.set(parameter.name, field.value);
      }
      const target = query.size === 0 ? url : `${url}?${query}`;
      send.disabled = true;
      void answerTo(method, target, text.value).then((answer) => {
        send.disabled = false;
        outcome.hidden = false;
        setText(outcome, answer);
      });
    });
    return form;
  }
}

function isExtreme(bound: number | string): boolean {
  return typeof bound === 'number' && Math.abs(bound) >= Number.MAX_SAFE_INTEGER;
}

function inputOf(operationId: string, { name, in: place, required, schema }: Parameter): HTMLInputElement {
  const input = h('input', { id: `${operationId}-${name}`, required, placeholder: String(schema.default ?? '') });
  if (place === 'path') input.value = 'follower';
  return input;
}

/** Sends a request. @returns the answer as text, or why there is none */
async function answerTo(method: string, url: string, body: string): Promise<string> {
  const json = { body, headers: { 'content-type': 'application/json' } };
  const began = performance.now();
  try {
    const answer = await fetch(url, { method, cache: 'no-store', ...(body.trim() === '' ? {} : json) });
    const text = await answer.text();
    const shown = answer.headers.get('content-type')?.includes('json')
      ? JSON.stringify(JSON.parse(text), null, 2)
      : text;
    const time = ((performance.now() - began) / 1000).toFixed(2);
    return `${answer.status} after ${time} s\n${shown.slice(0, LONGEST_ANSWER)}`;
  } catch {
    return 'The bridge does not answer.';
  }
}

function operationsOf({ paths }: Description, tag: string): [method: string, path: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => [method.toUpperCase(), path, operation] as [string, string, Operation]),
  );
}

function show(description: Description): void {
  const page = new Page(description);
  const sections = description.tags.map(({ name, description: text }) =>
    h(
      'section',
      { 'aria-label': name },
      h('h2', {}, name, ' ', h('small', {}, text)),
      ...operationsOf(description, name).map(([method, path, operation]) => {
        const line = h('summary', {}, h('b', {}, method), h('code', {}, path), h('span', {}, operation.summary));
        const details = h('details', { id: `operation-${operation.operationId}` }, line);
        details.addEventListener('toggle', () => details.append(page.operation(method, path, operation)), {
          once: true,
        });
        return details;
      }),
    ),
  );
  const { info } = description;
  const about = h(
    'p',
    {},
    `${info.description} Version ${info.version} of the interface; what is sent from here is done.`,
  );
  byId('operations').replaceChildren(about, ...sections);
}

async function load(): Promise<void> {
  const answer = await fetch('openapi.json', { cache: 'no-store' });
  if (answer.status === 401) {
    const page = h('a', { href: '/' }, 'the control page');
    byId('operations').replaceChildren(h('p', {}, 'This bridge wants a token: give it to ', page, ' and come back.'));
    return;
  }
  show((await answer.json()) as Description);
}

load().catch(() => setText(byId('operations'), 'The bridge does not answer: load this page again.'));
