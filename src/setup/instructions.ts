import type { SetupArm, SetupServo } from './arm.ts';

const volts = (supplies: readonly number[]): string => supplies.map((supply) => `${supply} V`).join(' or ');

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Tells a person to connect one servo alone. Names its voltage, because one that is too high destroys it. */
export function connectOne({ servos }: SetupArm, { joint, model, part }: SetupServo): string {
  const { supplies } = model;
  const others = distinct(servos.flatMap((servo) => servo.model.supplies)).filter((each) => !supplies.includes(each));
  const warning = others.length === 0 ? '' : `, not ${volts(others)}`;
  return (
    `Connect only the servo for the ${joint.replaceAll('_', ' ')} (${model.model}${part === null ? '' : `, the one with ${part}`}) ` +
    `to the adapter, and switch ${on('its', supplies, 'it')}${warning}.`
  );
}

/** Tells a person to connect all servos of an arm. Names the converter if they need different voltages. */
export function connectAll({ servos }: SetupArm): string {
  const models = distinct(servos.map(({ model }) => model));
  const all = distinct(models.flatMap(({ supplies }) => supplies));
  const shared = all.filter((each) => models.every(({ supplies }) => supplies.includes(each)));
  const chain = 'Connect all servos of the arm one behind the other';
  if (shared.length > 0) return `${chain}, and switch ${on('their', shared, 'them')}.`;
  const highest = Math.max(...all);
  const lower = models.filter(({ supplies }) => !supplies.includes(highest));
  const names = lower.map(({ model }) => model).join(' and ');
  return (
    `${chain}, with the step-down converter from ${highest} V to ${volts(distinct(lower.flatMap(({ supplies }) => supplies)))} ` +
    `before the servos ${names}, which ${highest} V would destroy, and switch the ${highest} V supply on.`
  );
}

function on(whose: string, supplies: readonly number[], print: string): string {
  if (supplies.length === 1) return `${whose} ${volts(supplies)} supply on`;
  return `${whose} supply on: ${volts(supplies)}, whichever is printed on ${print}`;
}
