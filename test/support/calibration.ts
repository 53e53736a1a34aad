import { join } from 'node:path';
import { type ArmModel, loadArmModel } from '../../src/arm/model.ts';
import { asBuilt } from '../../src/calibration/as-built.ts';
import { CalibrationStore } from '../../src/calibration/calibration-store.ts';

/** Gives emulated arms the calibration that their servos have. @param state folder of the bridge that drives them */
export function calibrate(state: string, names: readonly string[], model: ArmModel = loadArmModel('so101')): void {
  const store = new CalibrationStore(join(state, 'calibration'));
  for (const name of names) store.write(name, asBuilt(model, name, '2026-01-01T00:00:00Z'));
}
