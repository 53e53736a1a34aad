import type { LinkJoint, LinkServo } from '../../../../src/rt/driver/servo-slots.ts';
import { modelByName } from '../../../../src/servo/servo-models.ts';
import type { SimArmOptions, SimServo } from '../../../../src/sim/simulated-arm.ts';
import { JOINTS, so101 } from '../../../sim/so101.ts';

/** Of the XM430, and what the arm's data set in the shoulder. */
export const USUAL_GAIN = 800;
export const SOFT_GAIN = 640;
/** As the grippers of a Koch and of a WidowX: no more than half of the servo's torque, also without a bridge. */
const SETTINGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  shoulder_lift: { position_p_gain: SOFT_GAIN },
  wrist_roll: { operating_mode: 5, current_limit: 735 },
  gripper: { pwm_limit: 442 },
};
/** As a WidowX has them: the shoulder's second servo is a shadow, mounted face to face; the elbow's is none here. */
const SERVOS: readonly (readonly SimServo[])[] = [
  [servo(1, 'XM430-W350')],
  [servo(2, 'XM430-W350'), servo(3, 'XM430-W350', { sign: -1, shadow: true })],
  [servo(4, 'XM430-W350'), servo(5, 'XM430-W350', { sign: -1, zero: 1500 })],
  [servo(6, 'XL430-W250', { sign: -1, zero: 2100 })],
  [servo(7, 'XL330-M288')],
  [servo(8, 'XL430-W250')],
];

function servo(id: number, model: string, changes: Partial<SimServo> = {}): SimServo {
  return { id, model, sign: 1, zero: 2048, shadow: false, ...changes };
}

/** In what a servo differs. */
export type Changes = (servo: SimServo) => Partial<SimServo>;

/** An arm with joints of several servos, and several models on its bus. @param setUp its servos have what its data ask for */
export function armOfPairs(changes: Changes = () => ({}), setUp = true): SimArmOptions {
  return so101('arm', {
    joints: JOINTS.map((name, i) => ({
      name,
      servos: SERVOS[i]!.map((own) => ({ ...own, ...changes(own) })),
      settings: setUp ? (SETTINGS[name] ?? {}) : {},
    })),
    initial: [0, -1, 1, 0.3, 0, 0.2],
  });
}

/** The same as a link is told of it. @param limit of every joint, rad */
export function linkJoints(limit: number, changes: Changes = () => ({})): LinkJoint[] {
  return JOINTS.map((name, i) => ({
    name,
    lower: -limit,
    upper: limit,
    settings: SETTINGS[name] ?? {},
    servos: SERVOS[i]!.map((own): LinkServo => {
      const { id, model: trade, sign, zero, shadow } = { ...own, ...changes(own) };
      return {
        id,
        model: modelByName(trade)!,
        calibration: { sign, zero, stepsPerTurn: 4096 },
        shadow: shadow === true,
      };
    }),
  }));
}
