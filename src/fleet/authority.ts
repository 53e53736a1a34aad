import { X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Trusted certificates of other bridges: the laboratory's own authority, or single certificates. */
export class Authority {
  /** All certificates, concatenated. */
  readonly #pem: string;
  readonly #fingerprints: ReadonlySet<string>;
  /** By whether the known authorities are trusted too. */
  readonly #contexts = new Map<boolean, SecureContext>();

  /** @param text content of a PEM file @throws {Error} with a human-readable message if it has no valid certificate */
  constructor(text: string) {
    const found = text.match(CERTIFICATE) ?? [];
    if (found.length === 0) throw new Error('holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)');
    this.#pem = found.join('\n');
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

  /**
   * TLS settings that trust these certificates. They are made once, because it takes tens of milliseconds to read the known
   * authorities.
   * @param anyAuthority whether the known authorities are trusted too
   */
  secureContext(anyAuthority: boolean): SecureContext {
    const kept = this.#contexts.get(anyAuthority);
    if (kept !== undefined) return kept;
    const made = createSecureContext({ ca: anyAuthority ? [...rootCertificates, this.#pem] : this.#pem });
    this.#contexts.set(anyAuthority, made);
    return made;
  }
}
