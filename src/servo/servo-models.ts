import { FAMILIES } from './families.ts';
import type { ServoFamily } from './servo-family.ts';
import type { ServoModel } from './servo-model.ts';

/** All servo models that the bridge knows. */
export const SERVO_MODELS: readonly ServoModel[] = FAMILIES.flatMap(({ models }) => models);

/** A model by its trade name; case, hyphens and spaces do not matter. Undefined when there is none of this name. */
export function modelByName(name: string): ServoModel | undefined {
  const wanted = plainName(name);
  return SERVO_MODELS.find((model) => plainName(model.model) === wanted);
}

/** A model by the number that a servo of this family reports. Undefined when its table is not known. */
export function modelByNumber(family: ServoFamily, modelNumber: number): ServoModel | undefined {
  return family.models.find((model) => model.modelNumber === modelNumber);
}

function plainName(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
