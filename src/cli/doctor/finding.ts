import { table } from '../table.ts';

/** Result of one check. */
export interface Finding {
  /** What it is about: `node`, `ros`, `port /dev/ttyACM0`, `arm follower`, ... */
  readonly subject: string;
  /** `fault`: something does not work until something is done. `note`: it works, but might work better. */
  readonly level: 'ok' | 'note' | 'fault';
  readonly text: string;
  /** What to do; null if nothing. */
  readonly advice: string | null;
}

export function ok(subject: string, text: string): Finding {
  return { subject, level: 'ok', text, advice: null };
}

export function note(subject: string, text: string, advice: string): Finding {
  return { subject, level: 'note', text, advice };
}

export function fault(subject: string, text: string, advice: string): Finding {
  return { subject, level: 'fault', text, advice };
}

/** Formats findings for a terminal, each with its advice on the line below. */
export function shown(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ level, subject, text, advice }) => [
    [level, subject, text],
    ...(advice === null ? [] : [['', '', `-> ${advice}`]]),
  ]);
  return table(['', 'about', 'found'], rows);
}
