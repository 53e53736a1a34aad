import type { MainModule } from '@mujoco/mujoco';
import type { Rule, Violation } from './judge.ts';
import type { Script, Step } from './script.ts';
import { run } from './world.ts';

/** What tries a script: the violation that it shows, or null. */
export type Trial = (script: Script) => Promise<Violation | null>;

/** Whether a script breaks a rule. */
export function breaks(rule: Rule, mujoco: MainModule | null): Trial {
  return async (script) => {
    const world = await run(script, mujoco, rule);
    const found = world.judge.violations.find((violation) => violation.rule === rule) ?? null;
    world.dispose();
    return found;
  };
}

/**
 * Takes steps out of a script for as long as it shows the same (ddmin: halves, quarters, ... single steps), and ends it soon
 * after.
 * @param most runs that this may take
 */
export async function shorten(
  script: Script,
  shows: Trial,
  most = 200,
): Promise<{ readonly script: Script; readonly violation: Violation | null }> {
  let best = script;
  let violation: Violation | null = null;
  let runs = 0;
  const attempt = async (candidate: Script): Promise<boolean> => {
    if (runs++ >= most) return false;
    const found = await shows(candidate);
    if (found === null) return false;
    best = candidate;
    violation = found;
    return true;
  };
  // What comes after the violation has no part in it.
  const first = await shows(script);
  if (first !== null) await attempt({ ...best, steps: best.steps.filter(({ at }) => at <= first.at) });
  for (let parts = 2; best.steps.length > 0; ) {
    const size = Math.ceil(best.steps.length / parts);
    let shorter = false;
    for (let from = 0; from < best.steps.length && !shorter; from += size) {
      const steps: Step[] = [...best.steps.slice(0, from), ...best.steps.slice(from + size)];
      shorter = await attempt({ ...best, steps });
    }
    if (shorter) parts = Math.max(parts - 1, 2);
    else if (size === 1) break;
    else parts = Math.min(2 * parts, best.steps.length);
    if (runs >= most) break;
  }
  const last = best.steps.at(-1)?.at ?? 0;
  await attempt({ ...best, length: Math.ceil(last) + 2 });
  return { script: best, violation };
}
