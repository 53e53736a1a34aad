import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Clock } from '../clock.ts';
import type { Authority } from './authority.ts';

/** Longest accepted answer of another bridge, bytes. */
const MOST_BYTES = 65_536;

/** Credentials for requests to other bridges. */
export interface Credentials {
  /** Bearer token; null: none. */
  readonly token: string | null;
  /** Certificates that are trusted; null: those of the known authorities. */
  readonly authority: Authority | null;
  /** Whether the known authorities are trusted beside `authority`. */
  readonly anyAuthority: boolean;
  /** Client name of this bridge. */
  readonly client: string;
}

export interface Told {
  readonly status: number;
  /** Null if it is not JSON. */
  readonly body: unknown;
}

/** The bridge did not prove its identity, so nothing was sent. The message is human-readable and says what to do. */
export class Untrusted extends Error {}

/** Error with a human-readable message for a failed connection. */
function causeOf(error: NodeJS.ErrnoException, { protocol }: URL): Error {
  const untrusted = untrustedFor(error);
  return untrusted === null ? new Error(wordsOf(error, protocol === 'https:')) : new Untrusted(untrusted);
}

/** Fault of the certificate, and what to do; null if the certificate is not the cause. */
function untrustedFor({ code }: NodeJS.ErrnoException): string | null {
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'its certificate is for another name: call it in fleet.bridges as its certificate does, or put that certificate itself into the file of fleet.authority';
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired: renew it on that computer';
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet: set the clocks of both computers';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return 'nobody who is trusted has signed its certificate: put the certificate of who has, or its own, into the file of fleet.authority';
    default:
      return null;
  }
}

/** @param secure the request used HTTPS */
function wordsOf(error: NodeJS.ErrnoException, secure: boolean): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'nothing listens there: start its bridge';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'its name is unknown: check the address';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'no way leads to that computer: check cable and network';
    case 'ECONNRESET':
    case 'EPIPE':
      return secure ? 'it hung up' : 'it hung up: where it serves HTTPS, fleet.bridges has to say https://';
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return 'it does not speak HTTPS, and is not asked in plain text instead: give it a certificate (http.tls), or correct fleet.bridges';
    default:
      return error.message;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Sends one request to another bridge, on a connection of its own.
 * @param limit time limit of the whole exchange, s
 * @param order JSON body
 * @throws {Untrusted} before anything is sent
 * @throws {Error} with a human-readable cause if there is no answer
 */
export function ask(
  clock: Clock,
  url: URL,
  method: 'GET' | 'POST',
  { token, authority, anyAuthority, client }: Credentials,
  limit: number,
  order?: string,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-arm-bridge-client': client,
      accept: 'application/json, application/problem+json',
      ...(order === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(order) }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const asked =
      url.protocol === 'https:'
        ? secureRequest(url, {
            method,
            headers,
            agent: false,
            ...(authority === null
              ? {}
              : {
                  secureContext: authority.secureContext(anyAuthority),
                  // A certificate listed in the authority file is accepted under any host name.
                  checkServerIdentity: (name: string, shown: PeerCertificate) =>
                    authority.names(shown.fingerprint256) ? undefined : checkServerIdentity(name, shown),
                }),
          })
        : plainRequest(url, { method, headers, agent: false });
    const timer = clock.after(limit, () => asked.destroy(new Error(`it has not answered within ${limit} s`)));
    asked.on('error', (error) => {
      timer.cancel();
      reject(causeOf(error, url));
    });
    // Whatever else ends an exchange, as an answer that changes the protocol, tells nothing but that.
    asked.on('close', () => {
      timer.cancel();
      reject(new Error('it hung up without an answer'));
    });
    asked.on('response', (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > MOST_BYTES) asked.destroy(new Error('its answer is too long for a bridge'));
      });
      response.on('end', () => {
        timer.cancel();
        resolve({ status: response.statusCode!, body: parsed(Buffer.concat(pieces).toString()) });
      });
      response.on('error', (error) => {
        timer.cancel();
        reject(causeOf(error, url));
      });
    });
    asked.end(order);
  });
}
