/** An arm as an answer names it. */
interface NamedArm {
  readonly id: number;
  readonly name: string;
}

/** The answer to a stop or a reset, whichever thread gives it. */
export interface StopAnswer {
  readonly status: 'ok' | 'error';
  readonly message: string;
  /** Ids of the arms for which it is done. */
  readonly robots: number[];
}

/**
 * @param done what has been done, as the beginning of a sentence
 * @param nothing what is said where there is no arm
 * @param faults of each arm: why it has not been done; null when it has
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

/** Whether a message of a WebSocket is a stop as clients write it, which no limit may hold up; told without reading it. */
export function isStopMessage(text: string): boolean {
  return /^\s*{\s*"type"\s*:\s*"stop"\s*}\s*$/.test(text);
}
