/** Who has which part; undefined: that cannot be told. */
export interface Parts<T> {
  readonly leader: T | undefined;
  readonly follower: T | undefined;
}

/**
 * Who leads whom by the builds and names of the arms, for a choice that a person only confirms: the only one that is built or named
 * as a leader, and the only other one. Nothing is proposed where it could be another arm, because a wrong choice makes the wrong
 * arm move.
 */
export function likelyPair<T extends { readonly variant: string }>(
  arms: readonly T[],
  nameOf: (arm: T) => string,
): Parts<T> {
  const isLeader = (arm: T): boolean => arm.variant === 'leader' || /leader/i.test(nameOf(arm));
  return { leader: only(arms.filter(isLeader)), follower: only(arms.filter((arm) => !isLeader(arm))) };
}

const only = <T>(all: readonly T[]): T | undefined => (all.length === 1 ? all[0] : undefined);

/** Why a pair cannot be started yet; empty: both its arms are chosen. */
export function whyNotChosen(leader: boolean, follower: boolean): string {
  const missing = [...(leader ? [] : ['leader']), ...(follower ? [] : ['follower'])];
  return missing.length === 0 ? '' : `Choose the ${missing.join(' and the ')} first.`;
}
