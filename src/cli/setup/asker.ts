import { type CANCEL_SYMBOL, confirm, isCancel, log, select, text } from '@clack/prompts';

/** The user does not want to go on. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Asks the questions of the set-up. Every question throws `GivenUp` if there is no answer. */
export interface Asker {
  /** @param signal ends the question without an answer */
  choose(question: string, choices: readonly Choice[], signal?: AbortSignal): Promise<string>;
  /** @param fault what is wrong with an answer, or undefined */
  text(question: string, initial: string, fault: (answer: string) => string | undefined): Promise<string>;
  confirm(question: string, initial: boolean): Promise<boolean>;
  tell(level: 'step' | 'info' | 'success' | 'warn' | 'error', message: string): void;
}

/** @throws {GivenUp} */
function answered<T>(answer: T | typeof CANCEL_SYMBOL): T {
  if (isCancel(answer)) throw new GivenUp();
  return answer as T;
}

/** A person at a terminal. */
export const terminal: Asker = {
  choose: async (message, choices, signal) =>
    answered(await select({ message, options: [...choices], ...(signal === undefined ? {} : { signal }) })),
  text: async (message, initialValue, fault) =>
    answered(await text({ message, initialValue, validate: (answer) => fault(answer ?? '') })),
  confirm: async (message, initialValue) => answered(await confirm({ message, initialValue })),
  tell: (level, message) => log[level](message),
};
