import type { Arm, Arms } from '../arm/types.ts';
import { BridgeError } from '../arm/types.ts';
import type { Camera } from '../cameras.ts';
import { offerService, refusal } from './arm-services.ts';
import { callerOf, recorded } from './audit.ts';
import { faultOf } from './errors.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';

/** The recording operations that the graph uses. */
export interface Episodes {
  startEpisode(request: {
    readonly name: string | null;
    readonly dataset: string | null;
    readonly task: string;
    readonly operator: string;
    readonly arms: readonly Arm[];
  }): Promise<{ readonly name: string; readonly path: string }>;
  stopEpisode(
    drop: boolean,
    labels: { readonly verdict?: '' | 'good' | 'bad'; readonly task?: string },
  ): Promise<{
    readonly name: string;
    readonly path: string;
    readonly duration: number;
    readonly lost: number;
    readonly problem: string | null;
  } | null>;
  mark(text: string): boolean;
  /** Adds a camera message (CDR) to the running episode, if any. */
  see(topic: string, data: Uint8Array): void;
}

interface StartRequest {
  readonly name: string;
  readonly dataset: string;
  readonly task: string;
  /** Plain `operator` is a reserved word in the generated C++. */
  readonly operator_name: string;
  readonly arms: readonly string[];
}

interface StopRequest {
  readonly drop: boolean;
  readonly verdict: string;
  readonly task: string;
}

/** Most characters of a task and of an operator's name, as over HTTP. */
const LONGEST_TASK = 200;
const LONGEST_NAME = 64;
const NOT_RUNNING = 'No episode is being recorded';
const VERDICTS = ['', 'good', 'bad'] as const;

/** `~/start_episode`, `~/mark_episode` and `~/stop_episode` on the node of the process. */
export function offerEpisodes(
  node: RosNode,
  name: string,
  episodes: Episodes,
  arms: Arms,
  isOpen: () => boolean,
): void {
  const onError = (error: unknown): object => refusal(faultOf(error, name));
  const offer = <Request>(type: string, service: string, work: (request: Request) => Promise<object>): void => {
    const full = `${name}/${service}`;
    const act = (request: Request): Promise<object> => {
      const { origin } = callerOf(node, full);
      return recorded(arms.journal, 'recording', null, origin, () => work(request));
    };
    offerService(node, type, `~/${service}`, isOpen, act, onError);
  };
  const start = async (request: StartRequest): Promise<object> => {
    const made = await episodes.startEpisode({
      name: request.name === '' ? null : request.name,
      dataset: request.dataset === '' ? null : request.dataset,
      task: within('task', request.task, LONGEST_TASK),
      operator: within('operator_name', request.operator_name, LONGEST_NAME),
      arms: armsOf(request.arms, arms),
    });
    return { success: true, code: '', message: 'The episode is being recorded', name: made.name, path: made.path };
  };
  offer('arm_bridge/srv/StartEpisode', 'start_episode', start);
  const stop = async ({ drop, verdict, task }: StopRequest): Promise<object> => {
    const said = VERDICTS.find((known) => known === verdict);
    if (said === undefined)
      throw new BridgeError('bad_request', `verdict is ${JSON.stringify(verdict)}: good, bad or nothing is needed.`);
    const labels = {
      ...(said === '' ? {} : { verdict: said }),
      ...(task === '' ? {} : { task: within('task', task, LONGEST_TASK) }),
    };
    const summary = await episodes.stopEpisode(drop, labels);
    if (summary === null) return { success: false, code: '', message: NOT_RUNNING };
    const { problem, path, duration, lost } = summary;
    const message = problem === null ? 'The episode is complete' : `The episode ended early: ${problem}`;
    return { success: problem === null, code: '', message, name: summary.name, path, duration, lost: BigInt(lost) };
  };
  offer('arm_bridge/srv/StopEpisode', 'stop_episode', stop);
  const mark = async ({ text }: { readonly text: string }): Promise<object> =>
    episodes.mark(within('text', text, LONGEST_TASK))
      ? { success: true, code: '', message: 'Marked' }
      : { success: false, code: '', message: NOT_RUNNING };
  offer('arm_bridge/srv/MarkEpisode', 'mark_episode', mark);
}

/** A text of a request as it is. @throws {BridgeError} bad_request if it is longer than it may be */
function within(field: string, text: string, longest: number): string {
  if (text.length <= longest) return text;
  throw new BridgeError('bad_request', `${field} has ${text.length} characters: ${longest} are allowed.`);
}

/** The arms of these names; for no names, all connected arms. @throws {BridgeError} unknown_arm */
function armsOf(names: readonly string[], arms: Arms): readonly Arm[] {
  if (names.length === 0) return arms.all.filter((arm) => arm.read().state !== 'disconnected');
  return [...new Set(names)].map((name) => {
    const arm = arms.byName(name);
    if (arm !== undefined) return arm;
    const known = arms.all.map((other) => other.name).join(', ');
    throw new BridgeError('unknown_arm', `There is no arm "${name.slice(0, LONGEST_NAME)}". Known arms: ${known}.`);
  });
}

/**
 * Subscribes to the cameras of episodes. The subscriptions are permanent, because discovery would connect new ones only
 * some time after an episode has begun.
 */
export function watchCameras(
  node: RosNode,
  cameras: readonly Camera[],
  episodes: Episodes,
  { observed }: Qualities,
): void {
  for (const { topic, type } of cameras) {
    const options = { qos: observed, isRaw: true } as const;
    node.createSubscription(type, topic, options, (data) => episodes.see(topic, data));
  }
}
