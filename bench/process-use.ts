/** What a process uses, seen from outside it: Linux alone (proc(5)). */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of /proc, Hz: 100 on every Linux that Node runs on. */
const TICKS = 100;

export interface ProcessUse {
  /** Resident memory, bytes. */
  readonly memory: number;
  /** Open files and connections. */
  readonly handles: number;
  readonly threads: number;
}

export function processUse(pid: number): ProcessUse {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const figure = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1]);
  return {
    memory: figure('VmRSS') * 1024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: figure('Threads'),
  };
}

/** Processor time that a process has used so far, s. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // utime and stime are fields 14 and 15; the second may hold blanks, and ends with the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
