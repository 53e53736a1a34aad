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

/** The reads of the control loop: each covers the registers from the first to the last of those named. */
export interface FamilyReads {
  /** In every cycle. */
  readonly position: readonly CommonRegister[];
  /** Position, velocity, effort, voltage and temperature. */
  readonly detail: readonly CommonRegister[];
  /** Torque, and the accepted goal if that register is near. */
  readonly state: readonly CommonRegister[];
  /** Goal and position, if `state` does not cover them; null if it does. */
  readonly goals: readonly CommonRegister[] | null;
}

/** Everything that differs between servo families. Nothing outside a family's folder asks which family it is. */
export interface ServoFamily {
  /** Name in messages, and `servo_family` in arm.yaml; lower case. */
  readonly name: string;
  /** The maker's name. */
  readonly title: string;
  readonly models: readonly ServoModel[];
  /** Rates to search for servos, baud: that of arms that are set up, then the factory's. */
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
    /** Bits of alarms with which a servo has cut or reduced its torque until it is recovered. */
    readonly recoverable: number;
    /** A servo refuses torque while it has an alarm. */
    readonly refuseTorque: boolean;
    /** What clears alarms: torque off, or a restart, after which the RAM is as from the factory. */
    readonly endedBy: 'torque off' | 'restart';
  };
  /** Operating modes in which a servo holds a position, the usual one first. */
  readonly positionModes: readonly number[];
  /** The register that limits a servo's effort while it holds a position in this mode; null if there is none. */
  effortLimit(sheet: ServoSheet, mode: number): EffortLimit | null;
  /**
   * The homing offset enters the position that a servo reports: present = actual + homingSign * offset.
   */
  readonly homingSign: 1 | -1;
  /**
   * The mode in which a servo that is in `mode` obeys this homing offset and accepts goals over its whole travel.
   * @param wraps its encoder wraps within the travel
   */
  readonly modeFor: (mode: number, offset: number, wraps: boolean) => number;
  /** EEPROM writes last only while this register is `open`; null if they always last. */
  readonly eepromLock: { readonly register: string; readonly open: number; readonly closed: number } | null;
  /** The EEPROM can only be written while the servo is limp. */
  readonly eepromNeedsLimp: boolean;
  /** Register and bit that reverse a servo's direction; null if the mounting alone decides. */
  readonly reverse: { readonly register: string; readonly bit: number } | null;
  /** Register that makes a servo obey another servo's packets besides its own; null if there is none. */
  readonly secondaryId: string | null;
  /** Register of the watchdog that stops a servo when its bus falls silent, and its counts; null if there is none. */
  readonly watchdog: { readonly register: string; readonly counts: number } | null;
  /** Register that selects which requests are acknowledged, and the content that acknowledges all. */
  readonly acknowledgement: { readonly register: string; readonly counts: number } | null;
  /** Blocks of registers that are read to judge a servo: address, bytes. Together they cover all judged registers. */
  readonly auditBlocks: readonly (readonly [address: number, length: number])[];
  /** Judges the registers of a servo that change what a goal means. */
  readonly audit: (servo: AuditedServo) => readonly Judgement[];
  /** Whether the reported position counts turns, from power-on. */
  readonly countsTurns: (contents: AuditedServo['contents']) => boolean;
  /**
   * A servo that does not count turns reads a position within one turn: where its joint passes the end of that, the
   * position jumps to the other end, and the servo turns back all the way to its goal.
   */
  readonly jumpsAtTurn: boolean;
  /** Positions that the servo accepts as goals, in steps; null if its registers set no limits. */
  readonly goalLimits: (contents: AuditedServo['contents']) => PositionLimits | null;
}

/** Makes a family from its particulars and from the data sheets of its models. */
export function servoFamily(parts: Omit<ServoFamily, 'models'>, sheets: readonly ServoSheet[]): ServoFamily {
  const models: ServoModel[] = [];
  const family = { ...parts, models };
  for (const sheet of sheets) models.push({ ...sheet, family });
  return family;
}
