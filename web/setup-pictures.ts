import type { SetupSession } from './protocol.ts';
import { spoken } from './units.ts';

const SVG = 'http://www.w3.org/2000/svg';

export function svg(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly (Node | string)[]
) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** How an arm looks from its side: ends of its links from the base on, and how thick they are, in a field of 100 by 90. */
interface Look {
  readonly links: readonly (readonly [x: number, y: number])[];
  readonly width: number;
}
const SO: Look = {
  links: [
    [26, 74],
    [26, 56],
    [40, 22],
    [68, 40],
    [84, 52],
  ],
  width: 11,
};
const LOOKS: Readonly<Record<string, Look>> = {
  so100: SO,
  so101: SO,
  koch: {
    links: [
      [24, 74],
      [24, 58],
      [34, 30],
      [64, 30],
      [82, 44],
    ],
    width: 8,
  },
  wx250s: {
    links: [
      [20, 74],
      [20, 54],
      [26, 16],
      [40, 16],
      [72, 22],
      [90, 30],
    ],
    width: 7,
  },
};

/** An arm of this model from its side, drawn in the colour of the text around it. */
export function armPicture(model: string): SVGElement {
  const { links, width } = LOOKS[model] ?? SO;
  const [tipX, tipY] = links.at(-1)!;
  return svg(
    'svg',
    { viewBox: '0 0 100 90', 'aria-hidden': 'true', class: 'arm-picture' },
    svg('rect', { x: links[0]![0] - 16, y: 72, width: 32, height: 12, rx: 3 }),
    svg('polyline', { points: links.map((point) => point.join(',')).join(' '), 'stroke-width': width }),
    ...links.slice(1, -1).map(([cx, cy]) => svg('circle', { cx, cy, r: width * 0.75 })),
    svg('path', { d: `M${tipX} ${tipY} l10 -3 m-10 3 l7 9`, 'stroke-width': 4 }),
  );
}

/** Width of a servo in the picture of the cables. */
const SPACE = 58;

/** Which cable goes where: from the adapter to the one servo that is due, or from servo to servo of the whole arm. */
export function cablePicture({ servos, step }: SetupSession): SVGElement {
  const due = servos.find((servo) => servo.due);
  const whole = due === undefined;
  // Cables go from the base outwards.
  const chain = [...servos].reverse();
  // Servos without a common voltage need a converter between them.
  const converters = chain.map((servo, i) => {
    const before = whole ? chain[i - 1] : undefined;
    if (before === undefined || before.supplies.some((volts) => servo.supplies.includes(volts))) return null;
    return `${before.supplies.join('/')} V to ${servo.supplies.join('/')} V`;
  });
  const between = chain.flatMap(({ joint }, i) =>
    converters[i] === null ? [] : [`, with a converter from ${converters[i]} before ${spoken(joint)}`],
  );
  // Its gear is in none of its registers: a person reads it from the label.
  const part = due?.part?.split(',')[0]?.replace(/^gear /, '') ?? null;
  const text = whole
    ? `The adapter, and all servos one behind the other${between.join('')}`
    : `A cable from the adapter to the servo for ${spoken(due.joint)} alone${due.part === null ? '' : `, ${due.part}`}`;
  const width = 80 + SPACE * chain.length;
  const boxes = chain.map((servo, i) => {
    const x = 80 + SPACE * i;
    const state = whole || servo.due ? 'on' : servo.done ? 'done' : 'off';
    const label = spoken(servo.joint).split(' ');
    return svg(
      'g',
      { class: `servo ${state}` },
      svg('rect', { x, y: 50, width: 40, height: 30, rx: 4 }),
      svg('text', { x: x + 20, y: servo === due && part !== null ? 63 : 69 }, String(servo.id)),
      ...(servo === due && part !== null ? [svg('text', { x: x + 20, y: 75, class: 'small' }, part)] : []),
      ...label.map((word, line) => svg('text', { x: x + 20, y: 94 + 11 * line, class: 'small' }, word)),
    );
  });
  const cables = chain.flatMap((servo, i) => {
    const x = 80 + SPACE * i;
    if (whole) return [svg('path', { d: `M${i === 0 ? 58 : x - SPACE + 40} 65 H${x}` })];
    return servo.due ? [svg('path', { d: `M58 58 C70 20 ${x + 20} 12 ${x + 20} 50` })] : [];
  });
  const labels = converters.flatMap((label, i) => {
    if (label === null) return [];
    const x = 80 + SPACE * i - (SPACE - 40) / 2;
    return [
      svg('rect', { x: x - 6, y: 58, width: 12, height: 14, class: 'converter' }),
      svg('text', { x, y: 28, class: 'small' }, 'converter'),
      svg('text', { x, y: 40, class: 'small' }, label),
    ];
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${width} 120`, role: 'img', 'aria-label': text, class: 'cable-picture', 'data-step': step },
    svg(
      'g',
      { class: 'adapter' },
      svg('rect', { x: 4, y: 45, width: 54, height: 40, rx: 4 }),
      svg('text', { x: 31, y: 69 }, 'adapter'),
    ),
    svg('g', { class: 'cables' }, ...cables),
    ...boxes,
    ...labels,
  );
}
