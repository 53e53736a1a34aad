import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jointSetups } from '../src/arm/joint-setups.ts';
import { type ArmModel, armChain, loadArmModel } from '../src/arm/model.ts';
import { asBuilt } from '../src/calibration/as-built.ts';
import { CalibrationStore } from '../src/calibration/calibration-store.ts';
import { systemClock } from '../src/clock.ts';
import type { ServoLink } from '../src/rt/driver/servo-link.ts';
import type { LinkJoint } from '../src/rt/driver/servo-slots.ts';
import { ArmController } from '../src/rt/joint/arm-controller.ts';
import { controlModel } from '../src/rt/joint/make-control-model.ts';
import { linkJoints as linked } from '../src/rt/open-link.ts';
import type { SharedState } from '../src/rt/snapshot/shared-snapshot.ts';
import { Follow } from '../src/rt/sources/follow.ts';
import { modelByName } from '../src/servo/servo-models.ts';
import type { Family } from './messages.ts';

/** The sources are compiled to build/bench: the arms' data stays where it is. */
const ROBOTS = fileURLToPath(new URL('../../../robots', import.meta.url));

export function loadModel(): ArmModel {
  return loadArmModel(join(ROBOTS, 'so101'));
}

/** Gives emulated arms the calibration that their servos have. @param state folder of the bridge that drives them */
export function calibrate(state: string, names: readonly string[]): void {
  const store = new CalibrationStore(join(state, 'calibration'));
  for (const name of names) store.write(name, asBuilt(loadModel(), name, new Date().toISOString()));
}

/** The joints of an SO-101, or of one that is fitted with XL330 servos instead. */
export function linkJoints(model: ArmModel, family: Family): LinkJoint[] {
  const joints = linked('arm', jointSetups(model));
  if (family === 'feetech') return joints;
  const xl330 = modelByName('XL330-M288')!;
  return joints.map(({ servos, ...joint }) => {
    const servo = servos[0]!;
    const calibration = { ...servo.calibration, stepsPerTurn: xl330.stepsPerTurn };
    return { ...joint, servos: [{ ...servo, model: xl330, calibration }], settings: {} };
  });
}

/** An arm as the control thread makes it. */
export function makeRuntime(model: ArmModel, index: number, link: ServoLink, shared: SharedState): ArmController {
  return new ArmController(index, controlModel(`arm ${index}`, jointSetups(model), armChain(model)), link, shared);
}

/** What lets one arm mirror another of the same model. */
export function mirror(model: ArmModel, leader: ServoLink): Follow {
  const over = (pick: (joint: ArmModel['joints'][number]) => number): Float64Array =>
    Float64Array.from(model.joints, (joint) => pick(joint) / joint.stiffness);
  const sampler = {
    get sampleTime() {
      return leader.up ? leader.readings.sampleTime : 0;
    },
    sample(out: Float64Array) {
      out.set(leader.readings.positions);
    },
  };
  const drive = {
    damping: over((joint) => joint.damping),
    inertia: over((joint) => joint.inertia),
    friction: over((joint) => joint.friction),
    smooth: true,
  };
  return new Follow(sampler, drive, 'mirroring', systemClock.now);
}
