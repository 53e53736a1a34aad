import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Trusted certificates of other bridges: the laboratory's own authority, or single certificates. */
export class Authority {
  /** All certificates, concatenated. */
  readonly pem: string;
  readonly #fingerprints: ReadonlySet<string>;

  /** @param text content of a PEM file @throws {Error} with a human-readable message if it has no valid certificate */
  constructor(text: string) {
    const found = text.match(CERTIFICATE) ?? [];
    if (found.length === 0) throw new Error('holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)');
    this.pem = found.join('\n');
    try {
      this.#fingerprints = new Set(found.map((pem) => new X509Certificate(pem).fingerprint256));
    } catch {
      throw new Error('holds a certificate that cannot be read: copy it anew');
    }
  }

  /** Whether the file contains a certificate. @param fingerprint SHA-256, hexadecimal with colons */
  names(fingerprint: string): boolean {
    return this.#fingerprints.has(fingerprint);
  }
}
