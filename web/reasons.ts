import type { ArmInfo } from './protocol.ts';
import type { Store } from './store.ts';

/** Why this page may move nothing at all; empty when it may. */
export function whyNoControl(store: Store): string {
  if (store.connection !== 'live') return 'There is no connection to the bridge.';
  return store.mayControl ? '' : 'This token may look, not move.';
}

/** Disables what only a page that may move arms can use, and says why on hover. */
export function allowControl(part: HTMLFieldSetElement, store: Store): void {
  part.disabled = !store.mayControl;
  part.title = whyNoControl(store);
}

/** Why an arm of a running pair gets no other: the bridge refuses it. */
export const whyTaken = ({ leader, follower }: { readonly leader: string; readonly follower: string }): string =>
  `${leader} leads ${follower} already: press End first.`;

/** Why an arm cannot be driven now, and what to do first; empty when it can. */
export function whyNoMotion(store: Store, info: ArmInfo): string {
  const stopped = store.frames.get(info.id)?.state === 'stopped' ? `${info.name} is stopped: press Reset first.` : '';
  return whyNoAnswer(store, info) || stopped;
}

/** Why an arm cannot be lowered now, and what to do first; empty when it can: also after its own servos have stopped it. */
export function whyNoLowering(store: Store, info: ArmInfo): string {
  const failed = store.frames.get(info.id)?.failed === true;
  return failed ? whyNoAnswer(store, info) : whyNoMotion(store, info);
}

function whyNoAnswer(store: Store, { id, name }: ArmInfo): string {
  const none = whyNoControl(store);
  if (none !== '') return none;
  const state = store.frames.get(id)?.state;
  if (state === undefined || state === 'disconnected')
    return `${name} does not answer: look at its cable and its power.`;
  return '';
}

/** The same for what only an arm that holds itself does. */
export function whyNotHeld(store: Store, info: ArmInfo): string {
  const limp = store.frames.get(info.id)?.torque === false ? `${info.name} is limp: press “Hold” or “Init” first.` : '';
  return whyNoMotion(store, info) || limp;
}
