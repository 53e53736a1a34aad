import type { JointMount } from '../arm/arm.ts';
import type { JointModel } from '../arm/model.ts';
import type { ServoFacts } from '../rt/driver/arm-link.ts';
import type { ServoFamily } from '../servo/servo-family.ts';

const DEGREE = Math.PI / 180;
/** A joint with a larger range, rad, has no two ends to sweep to; its middle pose alone locates it. */
const FULL_TURN = 5;
/**
 * Smallest fraction of its range that a joint must be swept over (less for a gripper), and the largest plausible one.
 */
const LEAST_PART = 0.8;
const LEAST_GRIPPER_PART = 0.5;
const LARGEST_PART = 1.4;
/** Goals may lie beyond a joint limit by the droop and by what floating asks for; the servo must accept them, rad. */
const LIMIT_ROOM = 0.15;
/** Largest distance from the middle pose to the middle of the sweep, as a fraction of the joint's range. */
const MIDDLE_BAND = 0.25;

/** Travel of a joint, rad, measured with the former servo settings. */
export interface Travel {
  /** In the middle pose. */
  readonly middle: number;
  readonly least: number;
  readonly most: number;
}

/** New mount of a joint's servo, and the range that the joint was swept over, steps. */
export interface JointPlan extends JointMount {
  readonly travel: readonly [number, number];
}

export function isFullTurn({ lower, upper }: Pick<JointModel, 'lower' | 'upper'>): boolean {
  return upper - lower >= FULL_TURN;
}

/** Why the sweep is not usable yet, for users; empty if all ranges are usable. */
export function sweepFaults(joints: readonly JointModel[], travels: readonly Travel[]): string {
  const short = joints.flatMap((joint, i) => (isShort(joint, travels[i]!) ? [i] : []));
  const others = joints.flatMap((joint, i) => (short.includes(i) ? [] : (sweepFault(joint, travels[i]!) ?? [])));
  // One sentence for all short joints, because at first every joint is short.
  if (short.length > 1) {
    const list = short.map(
      (i) => `${joints[i]!.name}${i === short[0] ? ' has been led' : ''} over ${rangesOf(joints[i]!, travels[i]!)}`,
    );
    others.unshift(`${list.join(', ')}: lead each to both of its ends`);
  } else if (short[0] !== undefined) {
    others.unshift(sweepFault(joints[short[0]]!, travels[short[0]]!)!);
  }
  return others.join('; ');
}

/** Whether a joint has been swept over too little of its range. */
function isShort(joint: JointModel, { least, most }: Travel): boolean {
  const part = joint.role === 'gripper' ? LEAST_GRIPPER_PART : LEAST_PART;
  return !isFullTurn(joint) && most - least < part * (joint.upper - joint.lower);
}

/** The swept range of a joint out of its full range, as text. */
function rangesOf({ lower, upper }: JointModel, { least, most }: Travel): string {
  return `${degrees(most - least)} of ${degrees(upper - lower)}`;
}

/** Why a joint's sweep is not usable (too short, too long, off centre), for users; null if it is. */
export function sweepFault(joint: JointModel, travel: Travel): string | null {
  if (isFullTurn(joint)) return null;
  const { middle, least, most } = travel;
  const wanted = joint.upper - joint.lower;
  const ranges = rangesOf(joint, travel);
  if (isShort(joint, travel)) return `${joint.name} has been led over ${ranges}: lead it to both of its ends`;
  if (most - least > LARGEST_PART * wanted) {
    return `${joint.name} has been led over ${ranges}, which it cannot have: is this the right model of arm? Begin again`;
  }
  const off = (least + most) / 2 - middle;
  if (Math.abs(off) > MIDDLE_BAND * wanted) {
    return (
      `the middle of what ${joint.name} was led over is ${degrees(Math.abs(off))} from the middle pose that was shown: ` +
      'lead it to both of its ends, or begin again with a better middle pose'
    );
  }
  return null;
}

/**
 * Plans the homing of a joint's first servo: the middle of the measured travel becomes the middle of the joint's range,
 * and the travel lies within one turn of the servo's count.
 *
 * With present = actual + h * offset (`homingSign`) the offset changes by h * (wanted - measured). Offsets that differ
 * by whole encoder turns are equivalent, so the smallest one is taken. If the encoder wraps within the travel, some
 * servos need a mode that counts across the wrap (`modeFor`).
 *
 * The servo's own position limits fit the new zero. They contain the joint's limits and the swept travel, with a margin
 * for goals offset by the droop, and are clamped to the turn.
 * @param facts settings of that servo during the sweep
 * @param sign direction in which it counts; may differ from before
 */
export function planJoint(
  joint: JointModel,
  family: ServoFamily,
  facts: Pick<ServoFacts, 'homingOffset' | 'operatingMode' | 'stepsPerTurn'>,
  travel: Travel,
  sign: 1 | -1,
): JointPlan {
  const servo = joint.servos[0]!;
  const turn = facts.stepsPerTurn;
  const perRadian = turn / (2 * Math.PI);
  const h = family.homingSign;
  const fullTurn = isFullTurn(joint);
  const angle = fullTurn ? travel.middle : (travel.least + travel.most) / 2;
  const middle = servo.zero + servo.sign * angle * perRadian;
  const half = ((fullTurn ? joint.upper - joint.lower : travel.most - travel.least) / 2) * perRadian;

  const jointMiddle = ((joint.lower + joint.upper) / 2) * perRadian;
  let zero = servo.zero;
  let wanted = zero + sign * jointMiddle;
  if (wanted - half < 0 || wanted + half > turn - 1) {
    zero = Math.round(turn / 2 - sign * jointMiddle);
    wanted = zero + sign * jointMiddle;
  }
  const exact = Math.round(facts.homingOffset + h * (wanted - middle));
  const most = turn / 2 - 1;
  const offset = Math.min(Math.max(exact - turn * Math.round(exact / turn), -most), most);
  const actual = middle - h * facts.homingOffset;
  const wraps = Math.floor((actual - half) / turn) !== Math.floor((actual + half) / turn);
  const ends = [joint.lower, joint.upper].map((limit) => zero + sign * limit * perRadian);
  const room = LIMIT_ROOM * perRadian;
  const limits = fullTurn
    ? { lowest: 0, highest: turn - 1 }
    : {
        lowest: Math.max(0, Math.floor(Math.min(...ends, wanted - half) - room)),
        highest: Math.min(turn - 1, Math.ceil(Math.max(...ends, wanted + half) + room)),
      };
  return {
    offset,
    limits,
    operatingMode: family.modeFor(facts.operatingMode, offset, wraps),
    expected: true,
    sign,
    zero,
    travel: [Math.max(0, Math.round(wanted - half)), Math.min(turn - 1, Math.round(wanted + half))],
  };
}

function degrees(angle: number): string {
  return `${Math.round(angle / DEGREE)} degrees`;
}
