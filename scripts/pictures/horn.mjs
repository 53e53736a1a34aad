// The picture of docs/hardware.md that shows how a horn is mounted: on a servo in the middle of its travel, with its mark upward.

/** Sizes in pixels. */
const PANEL = 250;
const MIDDLE_Y = 96;
const HORN = 40;

const word = (x, y, text, style) => `<text class="${style}" x="${x}" y="${y}">${text}</text>`;

/** A horn with its four screws and its mark, turned clockwise from where the mark is upward, degrees. */
function horn(x, turned) {
  const at = (degrees, radius) => {
    const angle = ((degrees + turned) * Math.PI) / 180;
    return `${(x + radius * Math.sin(angle)).toFixed(1)} ${(MIDDLE_Y - radius * Math.cos(angle)).toFixed(1)}`;
  };
  const screw = (degrees) => {
    const [cx, cy] = at(degrees, 24).split(' ');
    return `<circle class="screw" cx="${cx}" cy="${cy}" r="4"/>`;
  };
  return [
    `<circle class="horn" cx="${x}" cy="${MIDDLE_Y}" r="${HORN}"/>`,
    ...[45, 135, 225, 315].map(screw),
    `<circle class="shaft" cx="${x}" cy="${MIDDLE_Y}" r="9"/>`,
    `<path class="mark" d="M${at(0, 12)} L${at(-14, HORN - 1)} L${at(14, HORN - 1)} Z"/>`,
  ];
}

/** A servo from the side of its shaft, upright, with its horn, and what is to be said of it. */
function servo(x, turned, style, title, about) {
  return [
    `<rect class="servo" x="${x - 50}" y="38" width="100" height="166" rx="8"/>`,
    `<path class="up ${style}" d="M${x} 34 V14 m-6 8 l6 -8 l6 8"/>`,
    ...horn(x, turned),
    word(x, 170, 'position 2048', 'on'),
    word(x, 190, 'mid-travel', 'on'),
    word(x, 232, title, `title ${style}`),
    word(x, 253, about, 'small'),
  ];
}

/**
 * How the horn of a servo is mounted, and how not, as SVG.
 * @returns {string}
 */
export function drawHorn() {
  const width = 2 * PANEL;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 270" role="img" aria-label="Two servos in mid-travel, position 2048. Right: the mark of the horn is upward. Wrong: the horn is turned by 90 degrees">
<style>
  .page { fill: #ffffff; stroke: #d0d7de; }
  .small, .on, .title { font-family: "DejaVu Sans", Verdana, Arial, sans-serif; text-anchor: middle; font-size: 13px; fill: #1f2328; }
  .on { font-size: 11px; fill: #ffffff; } .title { font-size: 16px; font-weight: bold; }
  .servo { fill: #4b4f57; stroke: #1f2328; } .horn { fill: #eaeef2; stroke: #57606a; } .screw, .shaft { fill: #ffffff; stroke: #57606a; }
  .mark { fill: #0969da; } .up { fill: none; stroke-width: 3; } .up.right { stroke: #1a7f37; } .up.wrong { stroke: #cf222e; }
  .title.right { fill: #1a7f37; } .title.wrong { fill: #cf222e; }
</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="269" rx="8"/>
${[
  ...servo(PANEL / 2, 0, 'right', 'right', 'the mark of the horn is upward'),
  ...servo(PANEL + PANEL / 2, 90, 'wrong', 'wrong', 'the horn is turned by 90°'),
].join('\n')}
</svg>
`;
}
