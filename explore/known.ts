import type { Rule } from './judge.ts';

/**
 * Rules that the bridge is known to break, with the case of the defect list that each is: they are told, and no run fails
 * by them. A scripted case of each stands in `cases.ts` with `known: true`; the test fails once it is broken no more, and
 * then the line goes.
 */
export const KNOWN: Readonly<Partial<Record<Rule, string>>> = {};
