/** An arm as named in an answer. */
interface NamedArm {
  readonly id: number;
  readonly name: string;
}

/** Answer to a stop or a reset, on either thread. */
export interface StopAnswer {
  readonly status: 'ok' | 'error';
  readonly message: string;
  /** Ids of the arms for which it succeeded. */
  readonly robots: number[];
}

/**
 * @param done beginning of the success sentence
 * @param nothing message if there is no arm
 * @param faults failure of each arm; null for success
 */
export function stopAnswer(
  arms: readonly NamedArm[],
  done: string,
  nothing: string,
  faults: readonly (string | null)[],
): StopAnswer {
  if (arms.length === 0) return { status: 'ok', message: nothing, robots: [] };
  const failed = arms.flatMap((arm, index) => (faults[index] === null ? [] : [`${arm.name}: ${faults[index]}`]));
  const succeeded = arms.filter((_, index) => faults[index] === null);
  const names = succeeded.map((arm) => `${arm.name} (robot ${arm.id})`).join(', ');
  return {
    status: failed.length === 0 ? 'ok' : 'error',
    message: [
      ...(names === '' ? [] : [`${done}: ${names}.`]),
      ...failed.map((text) => `Failed for ${text.replace(/\.?$/, '.')}`),
    ].join(' '),
    robots: succeeded.map((arm) => arm.id),
  };
}

/** Recognises a stop message of a WebSocket without parsing it, so that no limit delays a stop. */
export function isStopMessage(text: string): boolean {
  return /^\s*{\s*"type"\s*:\s*"stop"\s*}\s*$/.test(text);
}
