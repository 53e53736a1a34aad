import { createHash } from 'node:crypto';
import type { GainStore } from './arm/gain-store.ts';
import { jointSetups } from './arm/joint-setups.ts';
import {
  type ArmModel,
  ArmModelError,
  armChain,
  jointSetByMaker,
  mounted,
  type ReadModel,
  readArmModel,
  travelOf,
  withFriction,
} from './arm/model.ts';
import { loadScene, SceneError, SceneObjects } from './arm/scene.ts';
import { CalibrationFileError, type CalibrationStore, mountsOf } from './calibration/calibration-store.ts';
import type { CalibrationFile } from './config/calibration.ts';
import { ConfigError } from './config/load.ts';
import type { ArmConfig, Config } from './config/schema.ts';
import type { Chain } from './kinematics/chain.ts';
import type { RecordedArm } from './recording/messages.ts';
import type { ArmSetup, SimulatedPort } from './rt/messages.ts';

/** An arm of this process: its configuration and its model. */
export interface ArmPlan {
  readonly config: ArmConfig;
  /** A kit to practise set-up: a simulated arm that already runs, with arbitrary servo zeros until it is calibrated. */
  readonly kit: boolean;
  /** Includes the friction measured on this arm. */
  readonly model: ArmModel;
  /** The same model with the latest calibration of its servos. */
  calibrated: ArmModel;
  /** The joint angles can be trusted: calibrated here, or vouched for by its model, its maker or another machine. */
  placed: boolean;
  readonly chain: Chain;
  /** Why the arm was taken off its bus, human-readable; null while it should be on it. */
  detached: string | null;
}

function readModel({ model, variant }: ArmConfig, index: number): ReadModel {
  try {
    return readArmModel(model, variant);
  } catch (error) {
    throw modelFault(error, index);
  }
}

/** The error for an arm whose model cannot be read. @param index position of the arm in the configuration */
export function modelFault(error: unknown, index: number): unknown {
  return error instanceof ArmModelError ? new ConfigError(`arms[${index}].model: ${error.message}`) : error;
}

/**
 * Reads the model of an arm, its calibration, and the friction measured on it.
 * @param index position of the arm in the configuration
 * @param read its model; left out: read here, which takes tens of milliseconds
 * @throws {ConfigError} when the model does not exist or is not the one its bus simulates, or when it does not allow
 *   the configured gains
 */
export function planArm(
  arm: ArmConfig,
  index: number,
  calibrations: CalibrationStore,
  kit = false,
  read: ReadModel = readModel(arm, index),
): ArmPlan {
  const { model, description } = read;
  const simulated = arm.bus.startsWith('sim:');
  if (simulated && arm.bus.slice('sim:'.length) !== model.name) {
    const other = arm.bus.slice('sim:'.length);
    throw new ConfigError(
      `arms[${index}].bus: "${arm.bus}" simulates a ${other}, but arms[${index}].model is "${model.name}".`,
    );
  }
  checkGains(arm, index, model);
  const placed = (simulated && !kit) || arm.bus === 'ros' || jointSetByMaker(model) !== undefined;
  // Servos of a simulated arm do not outlive the bridge.
  const file = simulated ? null : kept(arm, () => calibrations.read(arm.name, model));
  const friction = simulated ? null : kept(arm, () => calibrations.readFriction(arm.name, model));
  const own = friction === null ? model : withFriction(model, friction.joints);
  const plan: ArmPlan = {
    config: arm,
    kit,
    model: own,
    calibrated: own,
    placed,
    chain: armChain({ ...own, urdf: description }),
    detached: null,
  };
  if (file !== null) remount(plan, file);
  return plan;
}

/**
 * Reads the objects in front of simulated arms. Leader arms get none: objects would be in the operator's way.
 * @throws {ConfigError} when the scene cannot be read
 */
export function planScene({ sim, pairs }: Config): SceneObjects {
  const leaders = pairs.map(({ leader }) => leader);
  try {
    return new SceneObjects(sim.scene === null ? [] : loadScene(sim.scene), leaders);
  } catch (error) {
    if (error instanceof SceneError) throw new ConfigError(`sim.scene: ${error.message}`);
    throw error;
  }
}

/** Applies a calibration: from now on the arm counts as calibrated. */
export function remount(plan: ArmPlan, file: CalibrationFile): void {
  plan.calibrated = mounted(plan.model, mountsOf(file));
  plan.placed = true;
}

/** Reads a file kept for the arm. @throws {ConfigError} when the file does not fit this model */
function kept<T>({ name }: ArmConfig, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CalibrationFileError)) throw error;
    throw new ConfigError(`The calibration of arm ${name}: ${error.message}.`);
  }
}

function checkGains(arm: ArmConfig, index: number, { joints, leastGain }: ArmModel): void {
  for (const [joint, part] of Object.entries(arm.position_gains)) {
    const path = `arms[${index}].position_gains.${joint}`;
    const names = joints.map(({ name }) => name);
    if (!names.includes(joint)) throw new ConfigError(`${path}: the joints of ${arm.name} are ${names.join(', ')}.`);
    if (part < leastGain) throw new ConfigError(`${path}: ${part}, and ${leastGain} is the least for this model.`);
  }
}

/**
 * The setup of an arm that the control thread needs.
 * @param port to its simulated bus; null for an arm that is not simulated
 */
export function armSetup(plan: ArmPlan, port: SimulatedPort | null, store: GainStore): ArmSetup {
  const { config, calibrated: model, chain, detached } = plan;
  const { baseLink, toolLink } = model;
  const leftGains = store.read(config.name, config.bus);
  return {
    name: config.name,
    urdf: chain.description,
    baseLink,
    toolLink,
    joints: jointSetups(model),
    gripper: config.bus === 'ros' ? null : (model.gripper?.index ?? null),
    calibrated: plan.placed,
    leftGains,
    detached,
    bus: busSetup(config, port),
  };
}

function busSetup({ bus }: ArmConfig, port: SimulatedPort | null): ArmSetup['bus'] {
  if (port !== null) return { kind: 'sim', url: bus, port };
  return bus === 'ros' ? { kind: 'remote' } : { kind: 'port', url: bus };
}

/**
 * The description of an arm that a recording needs.
 * @param memory shared memory of its snapshot
 * @param prefix of its joint and frame names
 */
export function recordedArm(plan: ArmPlan, memory: SharedArrayBuffer, prefix: string | null): RecordedArm {
  const { config, calibrated: model } = plan;
  const { name, urdf, joints, baseLink, toolLink, gripper } = model;
  const { xyz, rpy } = config.mount;
  const servos = joints.map((joint) => joint.servos);
  return {
    name: config.name,
    model: { urdf, joints: joints.map((joint) => ({ name: joint.name })) },
    baseLink,
    toolLink,
    prefix,
    mount: { xyz, rpy },
    memory,
    about: {
      model: name,
      variant: model.variant,
      bus: config.bus,
      calibrated: plan.placed,
      calibration: createHash('sha256').update(JSON.stringify(servos)).digest('hex').slice(0, 16),
      joints: joints.map((joint) => {
        const { name: called, lower, upper, role, roleFrame, servos: mounts } = joint;
        return {
          name: called,
          lower,
          upper,
          role,
          ...(roleFrame && { role_sign: roleFrame.sign, role_zero: roleFrame.zero }),
          travel: travelOf(joint),
          turned: mounts[0]!.turned ?? false,
        };
      }),
      gripper: gripper && { joint: joints[gripper.index]!.name, closed: gripper.closed, open: gripper.open },
    },
  };
}
