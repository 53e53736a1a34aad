/** What is to become of the arms of a bridge that is asked to end (docs/safety.md, "The end"). */
import type { World } from './world.ts';

/** A bridge has ended after this time, s: then the process leaves what is not down, and it holds. */
export const END_LIMIT = 9.5;
/** Levels of the log from which a person reads what is wrong (pino). */
const WARN = 40;

/** A bridge is asked to end. @returns judges what has become of its arms; to be called when it has ended, or its time is over */
export function watchEnd(world: World): (ended: boolean) => void {
  const { judge, now: began } = world;
  const before = judge.names.map((name) => ({
    name,
    stopped: judge.isStopped(name),
    torque: judge.torqueOf(name),
    disturbed: judge.isDisturbed(name),
  }));
  return (ended) => {
    if (!ended && before.every(({ name, disturbed }) => !disturbed && !judge.isDisturbed(name)) && !world.paused(began))
      judge.complain('end', '', `the bridge has not ended after ${END_LIMIT} s`);
    for (const { name, stopped, torque, disturbed } of before) {
      if (disturbed || judge.isDisturbed(name) || stopped !== judge.isStopped(name)) continue;
      const after = judge.torqueOf(name);
      const held = torque.some((on) => on);
      const holds = after.some((on) => on);
      if (stopped && after.some((on, j) => on !== torque[j]))
        judge.complain('end', name, 'its torque has changed, and it is stopped');
      if (stopped || !held) continue;
      if (!holds && judge.isRaised(name)) judge.complain('end', name, 'it is limp, and not down');
      if (holds && after.includes(false) && !torque.includes(false))
        judge.complain('end', name, 'some of its servos were let go of');
      const told = world.log.some(({ at, level, text }) => at >= began && level >= WARN && text.includes(name));
      if (ended && holds && !told) judge.complain('end', name, 'it holds, and nobody has said why');
    }
  };
}
