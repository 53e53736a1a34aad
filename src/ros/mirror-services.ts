import type { Arms } from '../arm/types.ts';
import { BridgeError } from '../arm/types.ts';
import type { PairConfig } from '../config/schema.ts';
import type { MirrorService } from '../mirror/mirror-service.ts';
import { ALIGN, type MirrorRequest, ON_MISMATCH, RELEASES } from '../mirror/mirroring.ts';
import { offerService, refusal } from './arm-services.ts';
import { callerOf, recorded } from './audit.ts';
import { faultOf } from './errors.ts';
import type { RosNode } from './rclnodejs.ts';

interface StartRequest {
  readonly pairs: readonly { readonly leader: string; readonly follower: string }[];
  readonly invert_controls: boolean;
  readonly gravity_compensation: boolean;
  readonly gravity_shoulder: number;
  readonly gravity_elbow: number;
  readonly gravity_wrist: number;
  readonly on_mismatch: string;
  readonly mismatch_threshold: number;
  readonly align: string;
  readonly take_over: boolean;
}

interface StopRequest {
  readonly release: string;
}

/** `~/start_mirroring` and `~/stop_mirroring` on the node of the process. */
export function offerMirroring(
  node: RosNode,
  name: string,
  mirror: MirrorService,
  arms: Arms,
  configured: () => readonly PairConfig[],
  isOpen: () => boolean,
): void {
  const onError = (error: unknown): object => refusal(faultOf(error, name));
  const start = async (request: StartRequest): Promise<object> => {
    const caller = callerOf(node, `${name}/start_mirroring`, request.take_over);
    await arms.journal.during('mirroring', null, caller.origin, async () =>
      mirror.start(mirrorRequest(request, arms, configured()), caller),
    );
    return { success: true, code: '', message: 'Leader-follower control started' };
  };
  offerService(node, 'arm_bridge/srv/StartMirroring', '~/start_mirroring', isOpen, start, onError);
  const stop = async (request: StopRequest): Promise<object> => {
    const caller = callerOf(node, `${name}/stop_mirroring`);
    return recorded(arms.journal, 'mirroring', null, caller.origin, async () => {
      const stopped = await mirror.stop(caller, choice('release', request.release, RELEASES));
      return stopped
        ? { success: true, code: '', message: 'Leader-follower control stopped' }
        : { success: false, code: '', message: 'Leader-follower control is not running' };
    });
  };
  offerService(node, 'arm_bridge/srv/StopMirroring', '~/stop_mirroring', isOpen, stop, onError);
}

/** @throws {BridgeError} unknown_arm, bad_request */
function mirrorRequest(request: StartRequest, arms: Arms, configured: readonly PairConfig[]): MirrorRequest {
  const asked = request.pairs.length > 0 ? request.pairs : configured;
  if (asked.length === 0) {
    throw new BridgeError('bad_request', 'No pair is named, and the configuration has none: name leader and follower.');
  }
  const idOf = (name: string): number => {
    const arm = arms.byName(name);
    if (arm !== undefined) return arm.id;
    const known = arms.all.map((other) => other.name).join(', ');
    throw new BridgeError('unknown_arm', `There is no arm "${name}". Known arms: ${known}.`);
  };
  const gravity = {
    shoulder: 100 * request.gravity_shoulder,
    elbow: 100 * request.gravity_elbow,
    wrist: 100 * request.gravity_wrist,
  };
  for (const [joint, part] of Object.entries(gravity)) {
    if (part >= 0 && part <= 100) continue;
    throw new BridgeError('bad_request', `gravity_${joint} is ${part / 100}: from 0 to 1 is needed.`);
  }
  const threshold = request.mismatch_threshold;
  if (!(threshold >= 0)) {
    throw new BridgeError('bad_request', `mismatch_threshold is ${threshold}: 0 or more is needed.`);
  }
  const onMismatch = choice('on_mismatch', request.on_mismatch, ON_MISMATCH);
  const align = choice('align', request.align, ALIGN);
  return {
    ...(onMismatch === undefined ? {} : { onMismatch }),
    ...(align === undefined ? {} : { align }),
    ...(threshold === 0 ? {} : { mismatchThreshold: threshold }),
    pairs: asked.map(({ leader, follower }) => ({ leader: idOf(leader), follower: idOf(follower) })),
    gravity: request.gravity_compensation ? gravity : null,
    invert: request.invert_controls,
  };
}

/** @returns undefined for an empty text @throws {BridgeError} bad_request for a text that is not a valid choice */
function choice<Choice extends string>(field: string, text: string, choices: readonly Choice[]): Choice | undefined {
  if (text === '') return undefined;
  const chosen = choices.find((known) => known === text);
  if (chosen === undefined) {
    throw new BridgeError(
      'bad_request',
      `${field} is ${JSON.stringify(text)}: ${choices.join(', ')} or nothing is needed.`,
    );
  }
  return chosen;
}
