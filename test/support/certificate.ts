import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Options of `openssl req` for a new key. */
export const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** @throws {Error} with what openssl says */
export function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

/**
 * Makes a certificate that has signed itself, for two days.
 * @param names for which it is valid, such as `DNS:localhost,IP:127.0.0.1`; left out: its subject alone
 * @returns its file and that of its key
 */
export function selfSigned(folder: string, subject: string, names?: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, `${subject}.pem`), join(folder, `${subject}.key`)];
  const valid = names === undefined ? [] : ['-addext', `subjectAltName=${names}`];
  openssl(
    'req',
    '-x509',
    '-days',
    '2',
    ...NEW_KEY,
    '-subj',
    `/CN=${subject}`,
    ...valid,
    '-keyout',
    key,
    '-out',
    certificate,
  );
  return { certificate, key };
}
