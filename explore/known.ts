import type { Rule } from './judge.ts';

/**
 * Rules that the bridge is known to break, with the case of the defect list that each is; they are told, and no run fails
 * by them. A scripted seed of each stands in `seeds/`, and the test fails once it is broken no more: then the line goes.
 */
export const KNOWN: Readonly<Partial<Record<Rule, string>>> = {
  'float step': 'S11: floating follows one reading without a limit',
  stop: 'S6: a stop freezes goals, not the arm',
};
