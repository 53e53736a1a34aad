import type { AuditedServo, Judgement } from './audit.ts';
import type { ClientOptions } from './exchange.ts';
import type { BytePort } from './port/port.ts';
import type { ServoBus } from './servo-bus.ts';
import type { ServoClient } from './servo-client.ts';
import type { CommonRegisters, EffortLimit, PositionLimits, ServoModel, ServoSheet } from './servo-model.ts';

/** A USB adapter that is sold with servos of a family. */
export interface FamilyAdapter {
  /** USB vendor id, four lower-case hexadecimal digits. */
  readonly vendorId: string;
  /** USB product id; null matches every product of the vendor. */
  readonly productId: string | null;
  readonly name: string;
  /** Arm models that are usually delivered with it. */
  readonly arms: readonly string[];
}

/** Names of registers that every model has. */
export type CommonRegister = keyof CommonRegisters;

/** The reads of the control loop: each brings the run of registers from the first to the last of those named. */
export interface FamilyReads {
  /** In every cycle. */
  readonly position: readonly CommonRegister[];
  /** Position, velocity, effort, voltage and temperature. */
  readonly detail: readonly CommonRegister[];
  /** Whether the servo has torque, and the goal that it has taken where that lies near. */
  readonly state: readonly CommonRegister[];
  /** That goal with the position, where `state` does not hold them; null where it does. */
  readonly goals: readonly CommonRegister[] | null;
}

/** All that differs between servo families. Nothing outside the folder of a family asks which one it is. */
export interface ServoFamily {
  /** As `servo_family` of an arm's data and as messages name it, in lower case. */
  readonly name: string;
  /** The maker's name. */
  readonly title: string;
  readonly models: readonly ServoModel[];
  /** Rates to look for servos at: that of arms that are set up, then that of the factory, baud. */
  readonly usualBaudRates: readonly number[];
  readonly adapters: readonly FamilyAdapter[];
  /** Transactions with one servo at a time, over a port that is open. */
  readonly makeClient: (port: BytePort, options?: ClientOptions) => ServoClient;
  /** The bus of the control loop. */
  readonly makeBus: (port: BytePort, ids: readonly number[]) => ServoBus;
  readonly reads: FamilyReads;
  readonly alarms: {
    /** What the alarm bits mean, for people. */
    readonly texts: readonly (readonly [bit: number, text: string])[];
    /** The bit of an overload. */
    readonly overload: number;
    /** Bits with which a servo has cut or reduced its torque until it is brought back. */
    readonly recoverable: number;
    /** A servo refuses torque while it has an alarm. */
    readonly refuseTorque: boolean;
    /** What ends them: torque that goes off, or a restart, after which the RAM is as from the factory. */
    readonly endedBy: 'torque off' | 'restart';
  };
  /** Operating modes in which a servo holds a position, the usual one first. */
  readonly positionModes: readonly number[];
  /** What keeps a servo to a largest effort while it holds a position in this mode; null where nothing does. */
  effortLimit(sheet: ServoSheet, mode: number): EffortLimit | null;
  /**
   * The homing offset enters the position that a servo reports: present = actual + homingSign * offset.
   */
  readonly homingSign: 1 | -1;
  /**
   * The mode in which a servo that is in `mode` obeys this homing offset and takes goals over its whole travel.
   * @param wraps its encoder begins its turn within the travel
   */
  readonly modeFor: (mode: number, offset: number, wraps: boolean) => number;
  /** Writes to the EEPROM last while this register is `open`; null where they always do. */
  readonly eepromLock: { readonly register: string; readonly open: number; readonly closed: number } | null;
  /** The EEPROM can only be written while the servo is limp. */
  readonly eepromNeedsLimp: boolean;
  /** Register and bit with which a servo turns in reverse; null where the mounting alone decides. */
  readonly reverse: { readonly register: string; readonly bit: number } | null;
  /** Register that makes a servo obey another one's packets, besides its own; null where none can. */
  readonly secondaryId: string | null;
  /** Register of the watchdog that stops a servo when its bus falls silent, and the counts for it; null where there is none. */
  readonly watchdog: { readonly register: string; readonly counts: number } | null;
  /** Register that says which requests are acknowledged, and the content with which all are. */
  readonly acknowledgement: { readonly register: string; readonly counts: number } | null;
  /** Runs of registers that are read to judge a servo: from address, bytes. Together they hold the registers that are judged. */
  readonly auditBlocks: readonly (readonly [address: number, length: number])[];
  /** Judges the registers of a servo that change what a goal means. */
  readonly audit: (servo: AuditedServo) => readonly Judgement[];
  /** The reported position leaves its first turn, and counts turns from where the servo got its supply. */
  readonly countsTurns: (contents: AuditedServo['contents']) => boolean;
  /** Positions that the servo takes as goals, in steps; null where its registers set no limits. */
  readonly goalLimits: (contents: AuditedServo['contents']) => PositionLimits | null;
}

/** Makes a family of what is special about it and of the data sheets of its models. */
export function servoFamily(parts: Omit<ServoFamily, 'models'>, sheets: readonly ServoSheet[]): ServoFamily {
  const models: ServoModel[] = [];
  const family = { ...parts, models };
  for (const sheet of sheets) models.push({ ...sheet, family });
  return family;
}
