/** builtin_interfaces/msg/Time */
export interface Stamp {
  readonly sec: number;
  readonly nanosec: number;
}

/** @param seconds since the epoch */
export function stampOf(seconds: number): Stamp {
  const sec = Math.floor(seconds);
  const nanosec = Math.round((seconds - sec) * 1e9);
  return nanosec === 1e9 ? { sec: sec + 1, nanosec: 0 } : { sec, nanosec };
}

/** Time of a node's clock, seconds since the epoch. */
export function clockOf(node: { now(): { readonly nanoseconds: bigint } }): number {
  return Number(node.now().nanoseconds) / 1e9;
}

/** Seconds of a builtin_interfaces Time or Duration. */
export function secondsOf({ sec, nanosec }: Stamp): number {
  return sec + nanosec * 1e-9;
}
