import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { onTestFinished, vi } from 'vitest';
import type { ArmModel } from '../../../src/arm/model.ts';
import type { CounterpartOptions } from '../../../src/arm/simulated-counterpart.ts';
import { VirtualArm } from './virtual-arm.ts';

let mujoco: Promise<MainModule> | null = null;

/**
 * An arm for the test that runs, gone at its end, whose clock is the test's and passes as this arm is run. It is connected
 * and limp.
 * @param twin in what the simulation differs from the model
 */
export async function virtualArm(
  model: ArmModel,
  pose: readonly number[],
  twin?: CounterpartOptions,
): Promise<VirtualArm> {
  mujoco ??= loadMujoco();
  const mj = await mujoco;
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({ toFake: ['performance'], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
  }
  const advance = (seconds: number): void => void vi.advanceTimersByTime(seconds * 1000);
  const arm = new VirtualArm(mj, model, pose, advance, null, twin);
  onTestFinished(() => arm.dispose());
  await arm.connect();
  return arm;
}

/** The same, held at `pose` by its own torque: a hand has it until it holds. */
export async function holdingArm(model: ArmModel, pose: readonly number[]): Promise<VirtualArm> {
  const arm = await virtualArm(model, pose);
  arm.sim.hand(Object.fromEntries(model.joints.map(({ name }, j) => [name, pose[j]!])), 0.01);
  arm.run(0.2);
  await arm.hold();
  arm.sim.hand(null, 0);
  arm.run(0.5);
  return arm;
}
