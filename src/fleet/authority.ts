import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Whose certificates other bridges may show: those of a laboratory's own authority, or certain ones. */
export class Authority {
  /** All of them, one after the other. */
  readonly pem: string;
  readonly #fingerprints: ReadonlySet<string>;

  /** @param text of a PEM file @throws {Error} for people, when there is no certificate in it */
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

  /** Whether a certificate is one of the file. @param fingerprint SHA-256, hexadecimal with colons */
  names(fingerprint: string): boolean {
    return this.#fingerprints.has(fingerprint);
  }
}
