/** Largest JSON answer, bytes. Descriptions of the interface, URDFs, files and metrics may be larger. */
export const MOST_ANSWER = 64 * 1024;
/** Reserve for the fields around a list, bytes. */
const AROUND = 1024;

/** Size of a value as JSON, bytes. */
export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/**
 * The leading entries of a list that fit into one answer; at least one, so that a client can page on.
 * @param taken bytes of the rest of the answer
 */
export function fitting<T>(entries: Iterable<T>, taken = 0): T[] {
  const fit: T[] = [];
  let room = MOST_ANSWER - AROUND - taken;
  for (const entry of entries) {
    // One byte for the comma.
    room -= sizeOf(entry) + 1;
    if (room < 0 && fit.length > 0) break;
    fit.push(entry);
  }
  return fit;
}
