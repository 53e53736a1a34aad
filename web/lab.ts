import type { Schemas } from '../clients/typescript/src/bridge.ts';
import { likelyPair, type Parts } from './likely-pair.ts';
import { withoutRoutes } from './words.ts';

type Answer = Pick<Schemas['BridgesAnswer'], 'here' | 'others'>;
type Overview = Schemas['BridgeOverview'];
type Arm = Overview['arms'][number];

/** An arm of some bridge that can have a part in a pair. */
export interface LabArm {
  /** `url` of its bridge; null: the one of this page. */
  readonly bridge: string | null;
  readonly arm: string;
  /** Build of its model. */
  readonly variant: string;
  /** How it is, in the words of its bridge. */
  readonly text: string;
}

/** A pair that some bridge carries out, or has carried out last. */
export interface LabPair {
  /** `url` of the bridge that carries it out; null: the one of this page. */
  readonly bridge: string | null;
  readonly leader: string;
  readonly follower: string;
  /** `url` of the bridge that has the follower's bus; null: the one of this page. */
  readonly followerBridge: string | null;
  readonly text: string;
  readonly runs: boolean;
}

/** An arm as its bridge tells of it. */
export function armText({ name, state, torque, owner, reason, doubt }: Arm): string {
  const limp = state === 'connected' && !torque ? ' (limp)' : '';
  const why = withoutRoutes(reason || doubt);
  return [`${name}: ${state}${limp}`, ...(owner === null ? [] : [owner]), ...(why === '' ? [] : [why])].join(', ');
}

/** The bridges that have been heard, that of this page first; `told` says why one of them is not to be heard now. */
function bridgesOf({ here, others }: Answer): { url: string | null; bridge: Overview; told: string }[] {
  return [
    { url: null, bridge: here, told: '' },
    ...others.flatMap(({ url, bridge, state, reason }) =>
      bridge === null ? [] : [{ url, bridge, told: state === 'answers' ? '' : `${state}: ${reason}` }],
    ),
  ];
}

const own = ({ remote }: Arm): boolean => !remote;

/** All arms of all bridges that answer, each once: with the bridge that has its bus. */
export function labArms(answer: Answer): LabArm[] {
  return bridgesOf(answer)
    .filter(({ told }) => told === '')
    .flatMap(({ url, bridge }) =>
      bridge.arms.filter(own).map((arm) => ({
        bridge: url,
        arm: arm.name,
        variant: arm.variant,
        text: `${bridge.name}: ${armText(arm)}`,
      })),
    );
}

/** All pairs of all bridges: what the bridge of the leader says of one, and what is wrong with a follower of another bridge. */
export function labPairs(answer: Answer): LabPair[] {
  const bridges = bridgesOf(answer);
  return bridges.flatMap(({ url, bridge, told }) =>
    bridge.pairs.map(({ leader, follower, state, reason }) => {
      const has = (each: Overview): boolean => each.arms.some((arm) => own(arm) && arm.name === follower);
      const other = has(bridge) ? undefined : bridges.find((each) => has(each.bridge));
      const owners = other?.bridge.arms.find((arm) => own(arm) && arm.name === follower)?.reason ?? '';
      const ends = `${bridge.name}: ${leader} → ${other === undefined ? '' : `${other.bridge.name}: `}${follower}`;
      const runs = state !== 'idle';
      const words = [
        `${ends}, ${runs ? state : 'ended'}`,
        reason,
        told === '' ? '' : `${bridge.name} is ${told}`,
        other === undefined || other.told === '' ? '' : `${other.bridge.name} is ${other.told}`,
        owners === '' || other === undefined ? '' : `${other.bridge.name} says: ${owners}`,
      ];
      return {
        bridge: url,
        leader,
        follower,
        followerBridge: other === undefined ? url : other.url,
        text: words.filter((word) => word !== '').join('; '),
        runs,
      };
    }),
  );
}

/** What a new pair most likely is: the first one that a bridge has, else what the builds of the arms tell. */
export function likelyLabPair(arms: readonly LabArm[], pairs: readonly LabPair[]): Parts<LabArm> {
  const find = (bridge: string | null, name: string): LabArm | undefined =>
    arms.find((each) => each.bridge === bridge && each.arm === name);
  const known = pairs.map((pair) => ({
    leader: find(pair.bridge, pair.leader),
    follower: find(pair.followerBridge, pair.follower),
  }));
  return known.find(({ leader, follower }) => leader && follower) ?? likelyPair(arms, ({ arm }) => arm);
}

/** The running pair that one of these arms has a part in; undefined: none has. */
export function pairOf(
  pairs: readonly LabPair[],
  arms: readonly Pick<LabArm, 'bridge' | 'arm'>[],
): LabPair | undefined {
  return pairs.find(
    ({ bridge, leader, follower, followerBridge, runs }) =>
      runs &&
      arms.some(
        (each) =>
          (each.bridge === bridge && each.arm === leader) || (each.bridge === followerBridge && each.arm === follower),
      ),
  );
}
