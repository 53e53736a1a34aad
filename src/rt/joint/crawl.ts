/** Largest joint speed of an arm whose joint angles may be wrong, rad/s. */
export const CRAWL = 0.3;

/** @param speeds rad/s, by joint @returns the part of them, at most 1, at which no joint exceeds `CRAWL` */
export function crawlPart(speeds: ArrayLike<number>): number {
  let fastest = CRAWL;
  for (let i = 0; i < speeds.length; i++) fastest = Math.max(fastest, speeds[i]!);
  return CRAWL / fastest;
}
