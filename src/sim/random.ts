/** Source of numbers in [0, 1). */
export type Random = () => number;

/**
 * Seeded generator (32-bit multiply-xorshift counter), so that a run with injected faults can be repeated.
 * Not for cryptography.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return ((x ^ (x >>> 15)) >>> 0) / 0x1_0000_0000;
  };
}
