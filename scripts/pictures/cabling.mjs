// The pictures of docs/hardware.md that show which cable goes where: from the computer over the adapter through all servos of an
// arm, from the base outwards, with the supply that they need. Drawn from the data of the arm and of its servos.

/** Sizes in pixels. */
const SERVO = 96;
const GAP = 34;
const FIRST = 286;
const TOP = 64;
const HEIGHT = 64;
const MIDDLE = TOP + HEIGHT / 2;

const spoken = (joint) => joint.replaceAll('_', ' ');
const volts = (supplies) => supplies.map((each) => `${each} V`).join(' or ');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const box = (x, width, style) =>
  `<rect class="${style}" x="${x}" y="${TOP}" width="${width}" height="${HEIGHT}" rx="6"/>`;
const word = (x, y, text, style = 'small') => `<text class="${style}" x="${x}" y="${y}">${escaped(text)}</text>`;
const cable = (from, to, style = 'cable') => `<path class="${style}" d="M${from} ${MIDDLE} H${to}"/>`;

/**
 * The cabling of an arm as SVG.
 * @param {{title: string, joints: {name: string, servos: {id: number, model: string}[]}[]}} model of the arm
 * @param {(servo: string) => readonly number[]} suppliesOf voltages for which a model of servo is built, V
 * @returns {string}
 */
export function drawCabling({ title, joints }, suppliesOf) {
  const servos = joints.flatMap(({ name, servos }) =>
    servos.map(({ id, model }) => ({ id, model, joint: spoken(name) })),
  );
  const supply = suppliesOf(servos[0].model);
  const chain = servos.map((servo, i) => {
    const x = FIRST + i * (SERVO + GAP);
    const own = suppliesOf(servo.model);
    const before = i === 0 ? supply : suppliesOf(servos[i - 1].model);
    const converted = !own.some((each) => before.includes(each));
    const converter = `${volts(before)} to ${volts(own)}`;
    const parts = [
      cable(i === 0 ? 246 : x - GAP, x),
      box(x, SERVO, 'servo'),
      word(x + SERVO / 2, TOP + 28, `id ${servo.id}`, 'id'),
      word(x + SERVO / 2, TOP + 48, servo.model, 'model'),
      word(x + SERVO / 2, TOP + HEIGHT + 22, servo.joint),
    ];
    if (!converted) return { drawn: parts, said: [] };
    const place = x - GAP / 2;
    return {
      drawn: [
        ...parts,
        `<rect class="converter" x="${place - 8}" y="${MIDDLE - 12}" width="16" height="24" rx="3"/>`,
        word(place, TOP - 30, 'converter'),
        word(place, TOP - 12, converter),
      ],
      said: [`, with a converter from ${converter} before ${servo.joint}`],
    };
  });
  const said = `Cables of a ${title}: from the computer by USB to the adapter, which the supply of ${volts(supply)} feeds, and from there through servos ${servos.map(({ id }) => id).join(', ')}${chain.flatMap((each) => each.said).join('')}`;
  const width = FIRST + servos.length * (SERVO + GAP);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 210" role="img" aria-label="${escaped(said)}">
<style>
  .page { fill: #ffffff; stroke: #d0d7de; }
  .small, .id, .model { font-family: "DejaVu Sans", Verdana, Arial, sans-serif; text-anchor: middle; font-size: 13px; fill: #1f2328; }
  .id { font-size: 16px; font-weight: bold; fill: #ffffff; } .model { font-size: 12px; fill: #ffffff; }
  .servo { fill: #4b4f57; stroke: #1f2328; } .part { fill: #eaeef2; stroke: #57606a; } .converter { fill: #f0c84b; stroke: #7a5d00; }
  .cable { stroke: #57606a; stroke-width: 5; } .usb { stroke: #0969da; stroke-width: 5; } .power { stroke: #cf222e; stroke-width: 5; fill: none; }
</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="209" rx="8"/>
${[
  box(16, 92, 'part'),
  word(62, MIDDLE + 5, 'computer'),
  cable(108, 154, 'usb'),
  word(131, MIDDLE - 10, 'USB'),
  box(154, 92, 'part'),
  word(200, MIDDLE + 5, 'adapter'),
  `<path class="power" d="M200 ${TOP + HEIGHT} V164"/>`,
  `<rect class="part" x="116" y="164" width="168" height="34" rx="6"/>`,
  word(200, 186, `supply ${volts(supply)}`),
  ...chain.flatMap((each) => each.drawn),
].join('\n')}
</svg>
`;
}
