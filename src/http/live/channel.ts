import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { Origin } from '../../arm/types.ts';
import type { Scope } from '../../named-tokens.ts';
import type { Client } from '../clients.ts';
import type { Access, Parts } from '../route.ts';

type Fields = Readonly<Record<string, z.ZodType>>;
/** Message schemas by name. */
type Messages = Readonly<Record<string, z.ZodType>>;

/** An admitted request for a WebSocket. */
export interface Asker<Query extends Fields = Fields> {
  readonly query: { readonly [Name in keyof Query]: z.output<Query[Name]> };
  readonly scope: Scope;
  readonly client: Client;
  /** The request for the WebSocket. */
  readonly origin: Origin;
  /** Address of the client's computer. */
  readonly address: string;
}

interface Declaration<Query extends Fields> {
  readonly path: string;
  readonly access: Access;
  /** Channel id, unique. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly query: Query;
  /** Messages from clients. */
  readonly received: Messages;
  /** Messages to clients. */
  readonly sent: Messages;
  /** Most connections at once, and the refusal of further ones. */
  readonly most: number;
  readonly full: string;
  /**
   * Called before the upgrade.
   * @returns serves the opened WebSocket
   * @throws {HttpProblem} if the request is refused
   */
  open(parts: Parts, asker: Asker<Query>): (socket: WebSocket) => void;
}

/** A WebSocket for clients, declared once: the source of its checks and of AsyncAPI. */
export type Channel = Declaration<Fields>;
/** The part of a channel that AsyncAPI describes. */
export type ChannelFacts = Pick<Channel, 'path' | 'id' | 'summary' | 'description' | 'query' | 'received' | 'sent'>;

export function channel<Query extends Fields>(declaration: Declaration<Query>): Channel {
  // Sound because `serveWebSockets` reads the input of `open` by the same declaration.
  return declaration as unknown as Channel;
}
