import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ArmModel, ServoMounts } from '../arm/model.ts';
import { type CalibrationFile, calibrationFile } from '../config/calibration.ts';

/** A calibration file that cannot be used; the message names it and says what to do. */
export class CalibrationFileError extends Error {
  override readonly name = 'CalibrationFileError';
}

/** What of a file concerns the servos. */
export function mountsOf({ joints }: CalibrationFile): ServoMounts {
  return Object.fromEntries(
    Object.entries(joints).map(([name, { sign, zero, homing_offset: homing, range_min: least, range_max: most }]) => [
      name,
      { sign, zero, homing, travel: [least, most] },
    ]),
  );
}

/** Why a calibration cannot be that of an arm of this model, for people; null when it can. */
export function mismatch({ model: name, variant, joints }: CalibrationFile, model: ArmModel): string | null {
  if (name !== model.name || variant !== model.variant) {
    return `it was made for a ${name} (${variant}), the arm is a ${model.name} (${model.variant})`;
  }
  for (const [joint, { id }] of Object.entries(joints)) {
    const servo = model.joints.find((known) => known.name === joint)?.servos[0];
    if (servo === undefined) return `it has a joint "${joint}", which a ${name} has not`;
    if (servo.id !== id) return `it has servo ${id} in ${joint}, where a ${name} has servo ${servo.id}`;
  }
  return null;
}

/** The calibrations of arms, one file for each. */
export class CalibrationStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(arm: string): string {
    return join(this.#folder, `${arm}.json`);
  }

  /** Null when the arm has none. @throws {CalibrationFileError} when there is one that is not an arm's of this model */
  read(arm: string, model: ArmModel): CalibrationFile | null {
    const path = this.path(arm);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw new CalibrationFileError(`${path} cannot be read (${(error as Error).message})`);
    }
    const file = parseCalibration(text, path);
    const problem = mismatch(file, model);
    if (problem === null) return file;
    throw new CalibrationFileError(`${path}: ${problem}. Calibrate the arm again, or move this file away`);
  }

  /** Replaces the arm's calibration as a whole. @throws {CalibrationFileError} when it cannot be written */
  write(arm: string, file: CalibrationFile): void {
    const path = this.path(arm);
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`);
      renameSync(`${path}.new`, path);
    } catch (error) {
      throw new CalibrationFileError(`${path} cannot be written (${(error as Error).message})`);
    }
  }
}

/** @param path where the text is from, for messages @throws {CalibrationFileError} */
export function parseCalibration(text: string, path: string): CalibrationFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new CalibrationFileError(`${path} is no JSON (${(error as Error).message})`);
  }
  const { success, data, error } = calibrationFile.safeParse(content);
  if (success) return data;
  const { path: place, message } = error.issues[0]!;
  throw new CalibrationFileError(`${path}: ${place.map(String).join('.') || 'the file'}: ${message}`);
}
