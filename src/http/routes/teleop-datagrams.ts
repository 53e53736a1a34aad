import { z } from 'zod';
import { BridgeError, type Caller } from '../../arm/types.ts';
import { isLoopback } from '../addresses.ts';
import { asking } from '../callers.ts';
import { HttpProblem, inWords } from '../errors.ts';
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
    secret: z.string().describe('What each datagram carries as its field `secret`; it is new with each start.'),
  })
  .describe('The fields of /move/teleop, as JSON, one message a datagram, and `secret`.')
  .register(components, { id: 'UDPServerInformationResponse' });

/**
 * Makes the handler of datagrams; they act for the client that opened the port. phosphobot's clients send no secret.
 * Their datagrams are accepted if only this computer reaches the bridge and no token is needed: they could send
 * requests as well.
 */
function taker(parts: Parts, caller: Caller, admission: Admission) {
  const { services, datagrams, guard } = parts;
  const { config, clock, tokens } = services;
  const trusting = config.dialect === 'phosphobot' && tokens === null && isLoopback(config.host);
  let received = 0;
  let reported = clock.now();
  return (text: string, reply: (answer: object) => void): void => {
    // The token that opened the port may have been revoked.
    if (!guard.stillAdmits(admission)) {
      datagrams.stop();
      return;
    }
    try {
      const body = readMessage(text, datagram, config.dialect);
      // No reply without the secret, because the sender address may be forged.
      if (body.secret === null ? !trusting : !datagrams.knows(body.secret)) return;
      const answer = lead(parts, undefined, body, `${UDP} ${body.source}`, caller);
      if (answer.status === 'error') reply({ error: 'refused', detail: answer.message });
      else received++;
    } catch (error) {
      if (error instanceof HttpProblem || error instanceof BridgeError) {
        if (trusting)
          reply({ error: 'refused', detail: error instanceof HttpProblem ? error.message : inWords(error) });
        return;
      }
      throw error;
    }
    if (clock.now() - reported < REPORT_INTERVAL) return;
    reply({ nb_actions_received: received, is_object_gripped: null, is_object_gripped_source: null });
    received = 0;
    reported = clock.now();
  };
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
      return parts.datagrams.start(host, remoteAddress ?? host, taker(parts, asking(request, {}), request.admission!));
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
      datagrams.stop();
      for (const hand of ['left', 'right']) services.teleoperation.leave(`${UDP} ${hand}`);
      return ok();
    },
  }),
];
