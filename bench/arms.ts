import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ArmModel, loadArmModel } from '../src/arm/model.ts';
import { Chain } from '../src/kinematics/chain.ts';
import type { ServoLink } from '../src/rt/driver/servo-link.ts';
import type { LinkJoint } from '../src/rt/driver/servo-slots.ts';
import { ArmController } from '../src/rt/joint/arm-controller.ts';
import { StallGuard } from '../src/rt/joint/stall-guard.ts';
import type { SharedState } from '../src/rt/snapshot/shared-snapshot.ts';
import { Follow } from '../src/rt/sources/follow.ts';
import { XL330_M288 } from '../src/servo/dynamixel/x-series.ts';
import type { ServoModel } from '../src/servo/servo-model.ts';
import { modelByName } from '../src/servo/servo-models.ts';
import type { Family } from './messages.ts';

/** The sources are compiled to build/bench: the arms' data stays where it is. */
const ROBOTS = fileURLToPath(new URL('../../../robots', import.meta.url));

export function loadModel(): ArmModel {
  return loadArmModel(join(ROBOTS, 'so101'));
}

/** The joints of an SO-101, or of one that is fitted with XL330 servos instead. */
export function linkJoints(model: ArmModel, family: Family): LinkJoint[] {
  return model.joints.map((joint) => {
    const servo = joint.servos[0]!;
    const table: ServoModel = family === 'feetech' ? modelByName(servo.model)! : XL330_M288;
    return {
      name: joint.name,
      servos: [
        {
          id: servo.id,
          model: table,
          calibration: { sign: servo.sign, zero: servo.zero, stepsPerTurn: table.stepsPerTurn },
          shadow: false,
        },
      ],
      settings: family === 'feetech' ? joint.settings : {},
    };
  });
}

/** An arm as the control thread makes it: limits, gravity model and stall guards of the SO-101. */
export function makeRuntime(model: ArmModel, index: number, link: ServoLink, shared: SharedState): ArmController {
  const of = (pick: (joint: ArmModel['joints'][number]) => number): Float64Array =>
    Float64Array.from(model.joints, pick);
  const chain = Chain.fromUrdf(model.urdf, {
    base: model.baseLink,
    tool: model.toolLink,
    joints: model.joints.map((joint) => joint.name),
  });
  return new ArmController(
    index,
    {
      name: `arm ${index}`,
      limits: {
        lower: of((joint) => joint.lower),
        upper: of((joint) => joint.upper),
        velocity: { move: of((joint) => joint.move.velocity), mirror: of((joint) => joint.mirror.velocity) },
        acceleration: {
          move: of((joint) => joint.move.acceleration),
          mirror: of((joint) => joint.mirror.acceleration),
        },
      },
      stiffness: of((joint) => joint.stiffness),
      floatTorque: of((joint) => joint.torqueLimit / 2),
      gravity: (q, out) => chain.gravityTorques(q, out),
      stall: model.joints.map(({ stall }) => (stall === null ? null : new StallGuard(stall))),
      yield: model.joints.map(() => null),
    },
    link,
    shared,
  );
}

/** What lets one arm mirror another of the same model. */
export function mirror(model: ArmModel, leader: ServoLink): Follow {
  const over = (pick: (joint: ArmModel['joints'][number]) => number): Float64Array =>
    Float64Array.from(model.joints, (joint) => pick(joint) / joint.stiffness);
  const sampler = {
    get sampleTime() {
      return leader.up ? leader.sampleTime : 0;
    },
    sample(out: Float64Array) {
      out.set(leader.positions);
    },
  };
  const drive = {
    damping: over((joint) => joint.damping),
    inertia: over((joint) => joint.inertia),
    friction: over((joint) => joint.friction),
    smooth: true,
  };
  return new Follow(sampler, drive, 'mirroring', () => performance.now() / 1000);
}
