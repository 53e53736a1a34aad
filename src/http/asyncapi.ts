import { z } from 'zod';
import type { ChannelFacts } from './live/channel.ts';
import { componentSchemas, DEFAULT_SERVER, type Described, info, type Json, reference } from './openapi.ts';
import { CHANNELS } from './routes/index.ts';
import { stopLine } from './routes/live.ts';

/** Schemas that `roots` reference, directly or through other schemas. */
function reached(roots: unknown, schemas: Readonly<Record<string, Json>>): Record<string, Json> {
  const found: Record<string, Json> = {};
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found[name!] !== undefined) continue;
      found[name!] = schemas[name!]!;
      visit(schemas[name!]);
    }
  };
  visit(roots);
  return found;
}

function messagesOf(messages: ChannelFacts['received']): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(messages).map(([name, schema]) => [name, { name, payload: reference(schema) }]),
  );
}

/** @param server name of the server entry that serves the channel */
function channelOf({ path, summary, description, query, received, sent }: ChannelFacts, server: string): Json {
  const { $schema: _version, ...parameters } = z.toJSONSchema(z.object(query), { io: 'input' });
  return {
    address: path,
    title: summary,
    description,
    servers: [{ $ref: `#/servers/${server}` }],
    messages: { ...messagesOf(received), ...messagesOf(sent) },
    bindings: { ws: { method: 'GET', query: parameters, bindingVersion: '0.1.0' } },
  };
}

function operationsOf({ id, summary, received, sent }: ChannelFacts): Record<string, Json> {
  const channel = { $ref: `#/channels/${id}` };
  const operation = (action: string, messages: ChannelFacts['received']): Json => ({
    action,
    channel,
    summary,
    messages: Object.keys(messages).map((name) => ({ $ref: `#/channels/${id}/messages/${name}` })),
  });
  return { [`${id}_receive`]: operation('receive', received), [`${id}_send`]: operation('send', sent) };
}

/** AsyncAPI 3 description of the WebSockets, made from the channel declarations. Actions are from the bridge's side. */
export function asyncApi({ token, dialect, server = DEFAULT_SERVER, stops = true }: Described): Json {
  const all: readonly (readonly [ChannelFacts, string])[] = [
    ...CHANNELS.map((channel) => [channel, 'bridge'] as const),
    ...(stops ? [[stopLine, 'stops'] as const] : []),
  ];
  const channels = Object.fromEntries(all.map(([channel, name]) => [channel.id, channelOf(channel, name)]));
  const common = {
    protocol: server.encrypted ? 'wss' : 'ws',
    ...(token ? { security: [{ $ref: '#/components/securitySchemes/bearer' }] } : {}),
  };
  const port = { default: '8021', description: '`stop_port` of GET /status.' };
  return {
    asyncapi: '3.0.0',
    info: {
      ...info('Live state of robot arms, jogging, teleoperation and the stop over WebSockets.', dialect),
      license: { name: 'Apache License 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      bridge: { host: server.host, ...common },
      ...(stops ? { stops: { host: `${server.name}:{port}`, variables: { port }, ...common } } : {}),
    },
    channels,
    operations: Object.assign({}, ...all.map(([channel]) => operationsOf(channel))),
    components: {
      schemas: reached(channels, componentSchemas(dialect)),
      ...(token ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  };
}
