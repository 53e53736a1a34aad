import { OWNERSHIP } from '../../src/arm/ownership.ts';
import { REPORTED_STATE } from '../../src/arm/reported-state.ts';
import { CALIBRATION } from '../../src/calibration/calibration-steps.ts';
import type { Machine } from '../../src/machine.ts';
import { AUTOSTART } from '../../src/mirror/autostart.ts';
import { PAIR } from '../../src/mirror/pair.ts';
import { ARMING } from '../../src/rt/driver/arming-machine.ts';
import { CONNECTION } from '../../src/rt/driver/connection.ts';
import { REMOTE_PRESENCE } from '../../src/rt/driver/remote-presence.ts';
import { SERVO_TRUST } from '../../src/rt/driver/servo-trust.ts';
import { WATCHDOG } from '../../src/rt/driver/watchdog.ts';
import { ARM_LIFE } from '../../src/rt/joint/arm-life.ts';
import { HOLDING } from '../../src/rt/joint/holding.ts';
import { ATTENDANCE } from '../../src/rt/loop/attendance.ts';
import { SETUP } from '../../src/setup/arm-setup.ts';
import { TOUR } from '../../web/tour.ts';

/** All machines of the bridge and its page, in the order in which ARCHITECTURE.md shows them. */
export const MACHINES: readonly Machine<string, string, string>[] = [
  ARM_LIFE,
  CONNECTION,
  ARMING,
  SERVO_TRUST,
  WATCHDOG,
  HOLDING,
  REMOTE_PRESENCE,
  ATTENDANCE,
  REPORTED_STATE,
  OWNERSHIP,
  PAIR,
  AUTOSTART,
  SETUP,
  CALIBRATION,
  TOUR,
];

/** States in which a machine has come to its end: nothing happens in them any more. */
export const ENDS: Readonly<Record<string, readonly string[]>> = {
  [PAIR.name]: ['ended'],
  [AUTOSTART.name]: ['done', 'over'],
  [SETUP.name]: ['done'],
  [CALIBRATION.name]: ['ended'],
};

/** One step of a machine that changes something. */
export interface Step {
  readonly from: string;
  readonly input: string;
  readonly to: string;
  readonly effects: readonly string[];
}

/** Every step of a machine that changes its state or does something. */
export function stepsOf(machine: Machine<string, string, string>): Step[] {
  return Object.entries(machine.table).flatMap(([from, row]) =>
    Object.entries(row)
      .filter(([, { to, effects }]) => to !== from || effects.length > 0)
      .map(([input, { to, effects }]) => ({ from, input, to, effects })),
  );
}

/** A machine as its document shows it: a diagram, and what its states, inputs and effects mean. */
export function drawn(machine: Machine<string, string, string>): string {
  const arrows = stepsOf(machine).map(({ from, input, to, effects }) => {
    const done = effects.length === 0 ? '' : ` / ${effects.join(', ')}`;
    return `  ${from} --> ${to}: ${input}${done}`;
  });
  const rows = (title: string, meanings: Readonly<Record<string, string>>): string[] => [
    `| ${title} | |`,
    '|---|---|',
    ...Object.entries(meanings).map(([name, text]) => `| \`${name}\` | ${text} |`),
    '',
  ];
  return [
    `### ${machine.name}`,
    '',
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${machine.initial}`,
    ...arrows,
    '```',
    '',
    '<details><summary>what each state, input and effect means</summary>',
    '',
    ...rows('State', machine.states),
    ...rows('Input', machine.inputs),
    ...rows('Effect', machine.effects),
    '</details>',
    '',
  ].join('\n');
}
