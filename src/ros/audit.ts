import { randomBytes } from 'node:crypto';
import type { Act, Journal } from '../arm/journal.ts';
import type { Caller, Origin } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import { clientOf, type Graph } from './callers.ts';

/** Ids differ between runs of the bridge. */
const START = randomBytes(4).toString('hex');
let count = 0;

/** Origin of a request by ROS 2, with an id for the journal and the log. @param what service, action or parameter */
export function originAt(who: string, what: string): Origin {
  return { who, from: 'ROS 2', what, request: `ros-${START}-${(++count).toString(36)}` };
}

/** The caller of a service, who takes no arm from another owner unless that is asked for. @param service full name */
export function callerOf(graph: Graph, service: string, takeOver = false): Caller & { readonly origin: Origin } {
  const owner = clientOf(graph, service);
  return { owner, takeOver, origin: originAt(owner.name, `service ${service}`) };
}

/** How an answer to ROS 2 says that the request has failed. */
export interface Judged {
  readonly success?: boolean;
  /** Its client has taken it back. */
  readonly cancelled?: boolean;
  readonly message?: string;
}

/**
 * Carries out a request and records its outcome in the journal, unless an arm has recorded it already.
 * @param arm its name; null: all arms, or none
 * @param judge reads the answer
 */
export async function recorded<Answer extends object>(
  journal: Journal,
  act: Act,
  arm: string | null,
  origin: Origin,
  work: () => Promise<Answer>,
  judge: (answer: Answer) => Judged = (answer) => answer as Judged,
): Promise<Answer> {
  const before = journal.changes;
  const record = (outcome: 'done' | 'failed' | 'refused' | 'ended', message: string | null): void => {
    if (!journal.hasWritten(origin, before)) journal.record(act, arm, origin, outcome, message);
  };
  try {
    const answer = await work();
    const { success = true, cancelled = false, message = null } = judge(answer);
    record(success ? 'done' : cancelled ? 'ended' : 'failed', success ? null : message);
    return answer;
  } catch (error) {
    record('refused', messageOf(error));
    throw error;
  }
}
