import { z } from 'zod';
import type { Caller } from '../../arm/types.ts';
import { bareAddress, isLoopback } from '../addresses.ts';
import { asking } from '../callers.ts';
import type { Receive, Reply, Sender } from '../datagrams.ts';
import { HttpProblem } from '../errors.ts';
import { components, word } from '../fields.ts';
import type { Admission } from '../guard.ts';
import { type Parts, route } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';
import { readMessage } from '../validation.ts';
import { lead, REPORT_INTERVAL, TELEOP, teleopRequest } from './teleop.ts';

const UDP = `${TELEOP}/udp`;
/** Most characters of a secret. */
const LONGEST_SECRET = 64;

/** Content of a datagram. */
export const datagram = teleopRequest.extend({ secret: word(LONGEST_SECRET).nullable().prefault(null) });

const place = z
  .object({
    host: z.string().describe('Where the datagrams are to go: an address of the bridge.'),
    port: z.int().describe('The UDP port.'),
    secret: z
      .string()
      .describe('What each datagram of this client carries as its field `secret`, until the port is closed.'),
  })
  .describe('The fields of /move/teleop, as JSON, one message a datagram, and `secret`.')
  .register(components, { id: 'UDPServerInformationResponse' });

/** Content of a datagram. */
export type Datagram = z.output<typeof datagram>;

/** What phosphobot calls the fault of a datagram that cannot be read. */
function faultOf(text: string, { detail }: HttpProblem): string {
  // Stands for bytes that are not UTF-8.
  if (text.includes('\ufffd')) return 'invalid_encoding';
  const isJson = typeof detail !== 'string' && !detail.some(({ type }) => type === 'json_invalid');
  return isJson ? 'validation_error' : 'invalid_json';
}

/**
 * Reads a datagram and passes it to the client whose secret it carries. phosphobot's clients send no secret. Their
 * datagrams are accepted if only this computer reaches the bridge and no token is needed: they could send requests as
 * well.
 */
function receiver({ services: { config, tokens }, datagrams }: Parts): Receive {
  const trusting = config.dialect === 'phosphobot' && tokens === null && isLoopback(config.host);
  return (text, from, reply) => {
    let body: Datagram;
    try {
      body = readMessage(text, datagram, config.dialect);
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      // No reply without the secret, because the sender address may be forged.
      if (trusting) reply({ error: faultOf(text, error), detail: error.message });
      return;
    }
    const trusted = trusting ? datagrams.senderAt(from) : null;
    const sender = body.secret === null ? trusted : datagrams.senderOf(body.secret, from);
    sender?.take(body, reply);
  };
}

/** The sender of a hand's messages, for teleoperation. */
function handOf(owner: string, source: Datagram['source']): string {
  return `${UDP} ${source} ${owner}`;
}

/**
 * The client that asks for the port: its datagrams act for it.
 * @param address of its computer
 */
function senderOf(parts: Parts, caller: Caller, admission: Admission, address: string): Sender<Datagram> {
  const { services, datagrams, guard, clients } = parts;
  const { clock } = services;
  const owner = caller.owner.key;
  let received = 0;
  let reported = clock.now();
  const take = (body: Datagram, reply: Reply): void => {
    // The token with which the client has asked may have been revoked.
    if (!guard.stillAdmits(admission)) {
      datagrams.leave(sender);
      return;
    }
    clients.heard(caller);
    try {
      const answer = lead(parts, undefined, body, handOf(owner, body.source), caller);
      if (answer.status === 'error') reply({ error: 'refused', detail: answer.message });
      else received++;
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      services.arms.journal.record('motion', null, caller.origin!, 'refused', error.message);
      reply({ error: 'refused', detail: error.message });
      return;
    }
    if (clock.now() - reported < REPORT_INTERVAL) return;
    reply({ nb_actions_received: received, is_object_gripped: null, is_object_gripped_source: null });
    received = 0;
    reported = clock.now();
  };
  // Without its prefix for IPv4 on a dual-stack bridge, as the port compares senders.
  const sender = { owner, asker: bareAddress(address), take };
  return sender;
}

export const teleopDatagramRoutes = [
  route({
    method: 'POST',
    path: UDP,
    access: 'control',
    act: 'motion',
    id: 'move_teleop_udp',
    tag: 'control',
    summary: 'Open a UDP port for the messages of a hand',
    description:
      'Takes the messages of /move/teleop as datagrams from the computer that asks for it. About once a second the sender is told ' +
      'how many were followed. A port to which nothing comes for ten minutes is closed.',
    target: 'none',
    answer: {
      description: 'The port is open; it may have been before.',
      schema: place,
      example: { host: '127.0.0.1', port: 50412, secret: 'b2xkIHNlY3JldHMgYXJlIGJlc3Q' },
    },
    refusals: {},
    handler: (parts, { request }) => {
      const { localAddress, remoteAddress } = request.raw.socket;
      const host = localAddress ?? parts.services.config.host;
      const sender = senderOf(parts, asking(request, {}), request.admission!, remoteAddress ?? host);
      return parts.datagrams.start(host, sender, receiver(parts));
    },
  }),
  route({
    method: 'POST',
    path: `${UDP}/stop`,
    access: 'control',
    act: 'halt',
    id: 'move_teleop_udp_stop',
    tag: 'control',
    summary: 'Close the UDP port',
    description: 'What still comes moves nothing, and an arm that was led holds.',
    target: 'none',
    answer: statusAnswer(),
    refusals: {},
    handler: ({ datagrams, services }) => {
      for (const owner of datagrams.stop()) {
        for (const source of ['left', 'right'] as const) services.teleoperation.leave(handOf(owner, source));
      }
      return ok();
    },
  }),
];
