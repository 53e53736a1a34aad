import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { Origin } from '../../arm/types.ts';
import type { Scope } from '../../named-tokens.ts';
import type { Client } from '../clients.ts';
import type { Access, Parts } from '../route.ts';

type Fields = Readonly<Record<string, z.ZodType>>;
/** Schemas of messages by name. */
type Messages = Readonly<Record<string, z.ZodType>>;

/** Who has asked for a WebSocket, and with what. */
export interface Asker<Query extends Fields = Fields> {
  readonly query: { readonly [Name in keyof Query]: z.output<Query[Name]> };
  readonly scope: Scope;
  readonly client: Client;
  /** The request for the WebSocket. */
  readonly origin: Origin;
  /** Of the client's computer. */
  readonly address: string;
}

interface Declaration<Query extends Fields> {
  readonly path: string;
  readonly access: Access;
  /** Of the channel, unique. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly query: Query;
  /** What clients say. */
  readonly received: Messages;
  /** What they are told. */
  readonly sent: Messages;
  /** Connections at once, and what the next one is told. */
  readonly most: number;
  readonly full: string;
  /**
   * Decides before anything is upgraded.
   * @returns what to do with the WebSocket
   * @throws {HttpProblem} when it is refused
   */
  open(parts: Parts, asker: Asker<Query>): (socket: WebSocket) => void;
}

/** A WebSocket that clients can open, declared once: its checks and AsyncAPI are made of it. */
export type Channel = Declaration<Fields>;
/** What AsyncAPI says of a WebSocket. */
export type ChannelFacts = Pick<Channel, 'path' | 'id' | 'summary' | 'description' | 'query' | 'received' | 'sent'>;

export function channel<Query extends Fields>(declaration: Declaration<Query>): Channel {
  // `open` takes what `serveWebSockets` reads for it by the same declaration.
  return declaration as unknown as Channel;
}
