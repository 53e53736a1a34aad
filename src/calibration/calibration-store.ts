import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import type { ArmModel, ServoMounts } from '../arm/model.ts';
import { type CalibrationFile, calibrationFile, type FrictionFile, frictionFile } from '../config/calibration.ts';
import { fileDisk } from '../disk.ts';

/** A calibration file that cannot be used; the message names it and says what to do. */
export class CalibrationFileError extends Error {
  override readonly name = 'CalibrationFileError';
}

/** The servo mounts in a calibration file. */
export function mountsOf({ joints }: CalibrationFile): ServoMounts {
  return Object.fromEntries(
    Object.entries(joints).map(([name, { sign, zero, homing_offset: homing, range_min: least, range_max: most }]) => [
      name,
      { sign, zero, homing, travel: [least, most] },
    ]),
  );
}

/** Why a file does not belong to this arm model, for users; null if it does. */
function foreign({ model: name, variant, joints }: CalibrationFile | FrictionFile, model: ArmModel): string | null {
  if (name !== model.name || variant !== model.variant) {
    return `it was made for a ${name} (${variant}), the arm is a ${model.name} (${model.variant})`;
  }
  const unknown = Object.keys(joints).find((joint) => !model.joints.some((known) => known.name === joint));
  return unknown === undefined ? null : `it has a joint "${unknown}", which a ${name} has not`;
}

/** Why a calibration does not fit this arm model, for users; null if it does. */
function mismatch(file: CalibrationFile, model: ArmModel): string | null {
  const problem = foreign(file, model);
  if (problem !== null) return problem;
  for (const [joint, { id }] of Object.entries(file.joints)) {
    const servo = model.joints.find((known) => known.name === joint)!.servos[0]!;
    if (servo.id !== id) return `it has servo ${id} in ${joint}, where a ${model.name} has servo ${servo.id}`;
  }
  return null;
}

/** Calibration files, one per arm, and beside each a file with the joint friction if it was measured. */
export class CalibrationStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(arm: string): string {
    return join(this.#folder, `${arm}.json`);
  }

  frictionPath(arm: string): string {
    return join(this.#folder, `${arm}.friction.json`);
  }

  /** Null if the arm has no file. @throws {CalibrationFileError} if the file is damaged or does not fit the model */
  read(arm: string, model: ArmModel): CalibrationFile | null {
    const path = this.path(arm);
    return fileAt(path, calibrationFile, (file) => mismatch(file, model), 'Calibrate the arm again');
  }

  /** Like `read`, for the friction file. @throws {CalibrationFileError} */
  readFriction(arm: string, model: ArmModel): FrictionFile | null {
    const path = this.frictionPath(arm);
    return fileAt(path, frictionFile, (file) => foreign(file, model), 'Measure it again');
  }

  /** Replaces the arm's whole calibration. @throws {CalibrationFileError} if it cannot be written */
  write(arm: string, file: CalibrationFile): void {
    this.#replace(this.path(arm), file);
  }

  /** Replaces the measured friction of the arm's joints. @throws {CalibrationFileError} if it cannot be written */
  writeFriction(arm: string, file: FrictionFile): void {
    this.#replace(this.frictionPath(arm), file);
  }

  #replace(path: string, file: object): void {
    try {
      fileDisk.write(path, `${JSON.stringify(file, null, 2)}\n`);
    } catch (error) {
      throw new CalibrationFileError(`${path} cannot be written (${(error as Error).message})`);
    }
  }
}

/**
 * Reads and checks a file; null if there is none.
 * @param fault why the content does not fit the arm; null if it does
 * @param remedy what the user can do about that, besides moving the file away
 * @throws {CalibrationFileError}
 */
function fileAt<T extends z.ZodType>(
  path: string,
  schema: T,
  fault: (file: z.output<T>) => string | null,
  remedy: string,
): z.output<T> | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new CalibrationFileError(`${path} cannot be read (${(error as Error).message})`);
  }
  const file = parsed(text, path, schema);
  const problem = fault(file);
  if (problem === null) return file;
  throw new CalibrationFileError(`${path}: ${problem}. ${remedy}, or move this file away`);
}

/** @param path source of the text, for messages @throws {CalibrationFileError} */
function parsed<T extends z.ZodType>(text: string, path: string, schema: T): z.output<T> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new CalibrationFileError(`${path} is no JSON (${(error as Error).message})`);
  }
  const { success, data, error } = schema.safeParse(content);
  if (success) return data;
  const { path: place, message } = error.issues[0]!;
  throw new CalibrationFileError(`${path}: ${place.map(String).join('.') || 'the file'}: ${message}`);
}
