/** Goals that have changed for so long before one is sent, s, still follow the one before. */
const SETTLED = 0.1;

/**
 * How much later than each sending the goals on a wire first change, s, ascending. What was sent while they still changed is left out,
 * since nobody can tell which write knows of it.
 * @param sent times, s, ascending @param changed likewise
 */
export function latencies(
  sent: readonly number[],
  changed: readonly number[],
): { readonly found: readonly number[]; readonly unsettled: number } {
  const found: number[] = [];
  let at = 0;
  for (const time of sent) {
    while (at < changed.length && changed[at]! < time) at++;
    if (at > 0 && time - changed[at - 1]! < SETTLED) continue;
    found.push((changed[at] ?? Number.POSITIVE_INFINITY) - time);
  }
  return { found: found.sort((a, b) => a - b), unsettled: sent.length - found.length };
}
