import { XL330_M077, XL330_M288, XL430_W250, XM430_W350 } from './dynamixel/x-series.ts';
import { STS3215 } from './feetech/sts3215.ts';
import { STS3250 } from './feetech/sts3250.ts';
import type { ServoFamily, ServoModel } from './servo-model.ts';

/** All servo models that the bridge knows. */
export const SERVO_MODELS: readonly ServoModel[] = [STS3215, STS3250, XL330_M288, XL330_M077, XL430_W250, XM430_W350];

/** A model by its trade name; case, hyphens and spaces do not matter. Undefined when there is none of this name. */
export function modelByName(name: string): ServoModel | undefined {
  const wanted = plainName(name);
  return SERVO_MODELS.find((model) => plainName(model.model) === wanted);
}

/** A model by what a servo of this family says of itself. Undefined when its table is not known. */
export function modelByNumber(family: ServoFamily, modelNumber: number): ServoModel | undefined {
  return SERVO_MODELS.find((model) => model.family === family && model.modelNumber === modelNumber);
}

function plainName(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '');
}
