import { XL330_M077, XL330_M288, XL430_W250, XM430_W350 } from '../servo/dynamixel/x-series.ts';
import { STS3215 } from '../servo/feetech/sts3215.ts';
import type { ControlTable } from '../servo/registers.ts';
import { DynamixelFirmware } from './dynamixel-firmware.ts';
import { DYNAMIXEL_MOTORS } from './dynamixel-motor.ts';
import { EmulatedDynamixelBus } from './emulated-dynamixel-bus.ts';
import { EmulatedFeetechBus } from './emulated-feetech-bus.ts';
import type { EmulatedServo, EmulatedServoBus } from './emulated-servo.ts';
import { Sts3215Firmware } from './sts3215-firmware.ts';
import { type MotorParameters, STS3215_MOTOR } from './sts3215-motor.ts';

/** Encoder resolution of every emulated servo, step. */
export const STEPS_PER_TURN = 4096;

/** One servo to be emulated, whatever its family. */
export interface ServoSpec {
  readonly id: number;
  /** Trade name. */
  readonly model: string;
  /** Position stiffness at the model's usual gain, Nm/rad; null: the model's own. */
  readonly stiffness: number | null;
  /** EEPROM values that differ from the factory's, in counts; names that the model does not have are ignored. */
  readonly eeprom: Readonly<Record<string, number>>;
  /** degC */
  readonly ambientTemperature: number;
  /** V; default: nominal. */
  readonly supplyVoltage?: number;
  /** See `FirmwareOptions`; Feetech only. */
  readonly torqueOnGoalWrite?: boolean;
}

/** The servos of an arm and the servo side of their bus; servos and motors by joint, in the order of the specs. */
export interface EmulatedServos {
  readonly servos: readonly (readonly EmulatedServo[])[];
  readonly motors: readonly (readonly MotorParameters[])[];
  readonly bus: EmulatedServoBus;
}

const X_SERIES = [XL330_M288, XL330_M077, XL430_W250, XM430_W350];

/**
 * @param arm name, for messages
 * @param specs servos by joint
 * @param onReply see `BusOptions`
 * @param factoryNew whether the servos are as sold: all with the default id of their model and factory EEPROM
 * @throws {Error} with a message for the user: a model that is not emulated, two families on one bus, a duplicate id
 */
export function emulateServos(
  arm: string,
  specs: readonly (readonly ServoSpec[])[],
  onReply: (bytes: Uint8Array) => void,
  seed: number,
  factoryNew = false,
): EmulatedServos {
  const all = specs.flat();
  const twice = all.find(({ id }, i) => all.findIndex((other) => other.id === id) !== i);
  if (twice) throw new Error(`simulated arm "${arm}": two servos have id ${twice.id}; give each its own`);
  const feetech = all.filter(({ model }) => plainName(model) === plainName(STS3215.model));
  if (feetech.length === all.length) {
    const servos = specs.map((joint) => joint.map((spec) => sts3215(factoryNew ? asSold(spec, STS3215) : spec)));
    const motors = specs.map((joint) => joint.map(() => STS3215_MOTOR));
    return { servos, motors, bus: new EmulatedFeetechBus({ servos: servos.flat(), onReply, seed }) };
  }
  const unknown = all.find((spec) => !feetech.includes(spec) && !xModel(spec));
  if (unknown) {
    const known = [STS3215, ...X_SERIES].map(({ model }) => model).join(', ');
    throw new Error(`simulated arm "${arm}": servo ${unknown.id} is a "${unknown.model}"; emulated are ${known}`);
  }
  if (feetech.length > 0) {
    throw new Error(
      `simulated arm "${arm}": it has Feetech and Dynamixel servos, which cannot share a bus; make two arms of it`,
    );
  }
  const servos = specs.map((joint) => joint.map((spec) => dynamixel(factoryNew ? asSold(spec, xModel(spec)!) : spec)));
  const motors = specs.map((joint) => joint.map((spec) => DYNAMIXEL_MOTORS[xModel(spec)!.model]));
  return { servos, motors, bus: new EmulatedDynamixelBus({ servos: servos.flat(), onReply, seed }) };
}

function asSold(spec: ServoSpec, { registers }: { readonly registers: ControlTable }): ServoSpec {
  return { ...spec, id: registers.id!.initial!, eeprom: {} };
}

function xModel({ model }: ServoSpec): (typeof X_SERIES)[number] | undefined {
  return X_SERIES.find((known) => plainName(known.model) === plainName(model));
}

function sts3215({ stiffness, ...spec }: ServoSpec): Sts3215Firmware {
  return new Sts3215Firmware({ ...spec, ...(stiffness === null ? {} : { motor: { stiffness } }) });
}

function dynamixel({ stiffness, torqueOnGoalWrite: _, ...spec }: ServoSpec): DynamixelFirmware {
  return new DynamixelFirmware({
    ...spec,
    model: xModel(spec as ServoSpec)!,
    ...(stiffness === null ? {} : { motor: { stiffness } }),
  });
}

/** Ignores case, hyphens and spaces of a trade name. */
function plainName(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
