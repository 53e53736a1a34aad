import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Clock } from '../clock.ts';

/** Bytes of an answer of another bridge that are read. */
const MOST_BYTES = 65_536;

/** How other bridges are asked. */
export interface Credentials {
  /** Sent as bearer token; null: none. */
  readonly token: string | null;
  /** PEM of who signs their certificates, besides the known authorities; null: nobody else. */
  readonly authority: string | null;
  /** Tells this bridge from other programs. */
  readonly client: string;
}

export interface Told {
  readonly status: number;
  /** Null for what is no JSON. */
  readonly body: unknown;
}

/** What a connection that failed means, for people. */
function causeOf(error: NodeJS.ErrnoException): string {
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
      return 'it hung up';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_HAS_EXPIRED':
      return `its certificate is not trusted (${error.code}): name who signed it in fleet.authority`;
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
 * One request to another bridge, on a connection of its own.
 * @param limit s, for all of it
 * @throws {Error} with the cause in plain words when there is no answer
 */
export function ask(
  clock: Clock,
  url: URL,
  method: 'GET' | 'POST',
  { token, authority, client }: Credentials,
  limit: number,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const headers = {
      'x-arm-bridge-client': client,
      accept: 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const asked =
      url.protocol === 'https:'
        ? secureRequest(url, {
            method,
            headers,
            agent: false,
            ...(authority === null ? {} : { ca: [...rootCertificates, authority] }),
          })
        : plainRequest(url, { method, headers, agent: false });
    const timer = clock.after(limit, () => asked.destroy(new Error(`it has not answered within ${limit} s`)));
    asked.on('error', (error) => {
      timer.cancel();
      reject(new Error(causeOf(error)));
    });
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
        if (text.length > MOST_BYTES) asked.destroy(new Error('its answer is too long for a bridge'));
      });
      response.on('end', () => {
        timer.cancel();
        resolve({ status: response.statusCode!, body: parsed(text) });
      });
      response.on('error', (error) => {
        timer.cancel();
        reject(new Error(causeOf(error)));
      });
    });
    asked.end();
  });
}
