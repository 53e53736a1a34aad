/**
 * A scene as data: the objects in front of simulated arms, `scenes/<name>.yaml`, read and checked (scenes/README.md).
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT } from '../home.ts';
import { messageOf } from '../message-of.ts';
import { LONGEST_NAME } from '../sizes.ts';

/** Folder of the scenes shipped with the bridge. */
export const SCENES_DIRECTORY = fileURLToPath(new URL('scenes', PROJECT));

/** The file of a scene is missing or wrong; the message names file, place, value and what is allowed. */
export class SceneError extends Error {
  override readonly name = 'SceneError';
}

/** Largest coordinate of a scene object relative to its arm, m. */
export const FARTHEST = 2;
const MOST_OBJECTS = 16;
const MOST_PARTS = 10;

const text = z
  .string()
  .max(LONGEST_NAME, `at most ${LONGEST_NAME} characters`)
  .regex(/^[a-z][a-z0-9_]*$/, 'a lower-case name of letters, digits and _');
const edge = z.number().min(0.001).max(FARTHEST);
const along = z.number().min(-FARTHEST).max(FARTHEST);
const place = z.tuple([along, along, along]);

const part = z
  .strictObject({
    box: z.tuple([edge, edge, edge]).optional(),
    cylinder: z.tuple([edge, edge]).optional(),
    sphere: edge.optional(),
    at: place.default([0, 0, 0]),
  })
  .transform(({ box, cylinder, sphere, at }, context) => {
    if (box !== undefined && cylinder === undefined && sphere === undefined)
      return { kind: 'box', size: box, at } as const;
    if (cylinder !== undefined && box === undefined && sphere === undefined) {
      return { kind: 'cylinder', radius: cylinder[0], length: cylinder[1], at } as const;
    }
    if (sphere !== undefined && box === undefined && cylinder === undefined)
      return { kind: 'sphere', radius: sphere, at } as const;
    context.addIssue('one of box: [x, y, z], cylinder: [radius, length] and sphere: radius');
    return z.NEVER;
  });

const object = z.strictObject({
  name: text,
  colour: z.string().regex(/^#[0-9a-f]{6}$/, 'a colour such as "#d6453d"'),
  mass: z.number().min(0.001).max(1).nullable().default(null),
  at: place,
  yaw: z.number().min(-Math.PI).max(Math.PI).default(0),
  friction: z.number().min(0).max(2).default(0.6),
  softness: z.number().min(0.004).max(0.1).default(0.004),
  parts: z.array(part).min(1).max(MOST_PARTS),
});

const sceneFile = z.strictObject({
  scene: text,
  title: z.string().min(1).max(LONGEST_NAME),
  objects: z
    .array(object)
    .min(1)
    .max(MOST_OBJECTS)
    .refine(
      (objects) => new Set(objects.map(({ name }) => name)).size === objects.length,
      'a name of its own for each',
    ),
});

/** An object in front of an arm: m, kg and rad, in the frame of the arm's base. */
export type SceneObject = Readonly<z.output<typeof object>>;

/** Names of the scenes in a folder. */
function scenes(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((entry) => (entry.endsWith('.yaml') ? [basename(entry, '.yaml')] : []));
}

/**
 * Reads a scene.
 * @param scene name of a file in `scenes/`, without its extension, or the absolute path of any file
 * @throws {SceneError} when the file is missing or its content is not allowed
 */
export function loadScene(scene: string): readonly SceneObject[] {
  const path = isAbsolute(scene) ? scene : join(SCENES_DIRECTORY, `${scene}.yaml`);
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const known = scenes(dirname(path)).join(', ') || 'none';
    const reason = messageOf(error);
    throw new SceneError(`the scene ${path} cannot be read (${reason}); scenes of that folder: ${known}`);
  }
  const result = sceneFile.safeParse(content);
  if (!result.success) {
    const faults = result.error.issues.map(({ path: at, message }) => `${at.join('.') || 'file'}: ${message}`);
    throw new SceneError(`${path}: ${faults.join('\n')}`);
  }
  const { scene: name, objects } = result.data;
  if (name !== basename(path, '.yaml'))
    throw new SceneError(`${path}: scene is "${name}"; it is to be the file's name`);
  return objects;
}

/** The objects in front of each arm, and their last known poses. */
export class SceneObjects {
  readonly #objects: readonly SceneObject[];
  readonly #without: ReadonlySet<string>;
  readonly #poses = new Map<string, Float64Array>();
  #version = 0;

  /**
   * @param objects of the scene
   * @param without names of arms with no objects in front of them
   */
  constructor(objects: readonly SceneObject[], without: readonly string[]) {
    this.#objects = objects;
    this.#without = new Set(without);
  }

  /** Objects in front of a simulated arm. */
  of(arm: string): readonly SceneObject[] {
    return this.#without.has(arm) ? [] : this.#objects;
  }

  /** Number of pose updates so far; 0: none yet. */
  get version(): number {
    return this.#version;
  }

  /** Last known poses by arm: 7 numbers per object, position (m) and quaternion with w last. */
  get poses(): ReadonlyMap<string, Float64Array> {
    return this.#poses;
  }

  seen(arm: string, poses: Float64Array): void {
    this.#poses.set(arm, poses);
    this.#version += 1;
  }
}
