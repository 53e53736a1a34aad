/** Curves as SVG, legible on light and dark pages. */

/** Page units: the picture, and the axes' ends in it. */
const WIDTH = 760;
const HEIGHT = 480;
const FRAME = { left: 70, right: 730, top: 60, bottom: 410 } as const;
/** Largest number of curves: each has a colour. */
const COLOURS = [
  ['#57606a', '#9198a1'],
  ['#0969da', '#79c0ff'],
  ['#cf222e', '#ff7b72'],
] as const;

export interface Axis {
  readonly title: string;
  readonly most: number;
  readonly step: number;
}

export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What curves are compared with. */
export interface Guide extends Curve {
  /** Its name stands at its end, on this side of it. */
  readonly side: 'above' | 'below';
}

export interface Chart {
  /** In words, for those who do not see it. */
  readonly label: string;
  readonly title: string;
  /** From 0 on. */
  readonly x: Axis;
  readonly y: Axis;
  /** Three at most. */
  readonly curves: readonly Curve[];
  /** Broken lines. */
  readonly guides: readonly Guide[];
}

/** Draws curves over two axes. @returns the text of an SVG file */
export function chart({ label, title, x, y, curves, guides }: Chart): string {
  const across = (value: number): number => FRAME.left + (value / x.most) * (FRAME.right - FRAME.left);
  const up = (value: number): number => FRAME.bottom - (value / y.most) * (FRAME.bottom - FRAME.top);
  const way = ({ points }: Curve): string =>
    points.map(([a, b]) => `${across(a).toFixed(1)},${up(b).toFixed(1)}`).join(' ');
  const marks = ({ most, step }: Axis): number[] =>
    Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, k) => k * step);
  const lines = [
    `<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8"/>`,
    `<text class="title" x="${FRAME.left}" y="34">${title}</text>`,
    ...marks(x).flatMap((value) => [
      `<path class="grid" d="M${across(value).toFixed(1)} ${FRAME.top}V${FRAME.bottom}"/>`,
      `<text class="mark" x="${across(value).toFixed(1)}" y="${FRAME.bottom + 20}">${value.toFixed(1)}</text>`,
    ]),
    ...marks(y).flatMap((value) => [
      `<path class="grid" d="M${FRAME.left} ${up(value).toFixed(1)}H${FRAME.right}"/>`,
      `<text class="mark side" x="${FRAME.left - 8}" y="${(up(value) + 5).toFixed(1)}">${value.toFixed(1)}</text>`,
    ]),
    `<text class="mark" x="${(FRAME.left + FRAME.right) / 2}" y="${FRAME.bottom + 46}">${x.title}</text>`,
    `<text class="mark" transform="translate(22 ${(FRAME.top + FRAME.bottom) / 2}) rotate(-90)">${y.title}</text>`,
    ...guides.map((guide) => {
      const [a, b] = guide.points.at(-1)!;
      const name = `<text class="mark side" x="${(across(a) - 4).toFixed(1)}" y="${(up(b) + (guide.side === 'above' ? -6 : 18)).toFixed(1)}">${guide.name}</text>`;
      return `<polyline class="guide" points="${way(guide)}"/>${name}`;
    }),
    ...curves.map((curve, k) => `<polyline class="curve c${k}" points="${way(curve)}"/>`),
    ...curves.map(({ name }, k) => {
      const at = FRAME.top + 22 + 22 * k;
      const line = `<path class="curve c${k}" d="M${FRAME.left + 14} ${at - 5}h28"/>`;
      return `${line}<text class="name" x="${FRAME.left + 50}" y="${at}">${name}</text>`;
    }),
  ];
  const colours = (shade: 0 | 1): string => COLOURS.map((pair, k) => `.c${k} { stroke: ${pair[shade]}; }`).join(' ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
<style>
  .page { fill: #ffffff; stroke: #d0d7de; }
  text { font-family: "DejaVu Sans", Verdana, Arial, sans-serif; fill: #1f2328; font-size: 14px; }
  .title { font-size: 16px; font-weight: bold; } .mark { text-anchor: middle; } .side { text-anchor: end; }
  .grid { stroke: #d0d7de; } .guide { stroke: #8c959f; stroke-dasharray: 6 5; stroke-width: 1.5; fill: none; }
  .curve { stroke-width: 2.4; fill: none; stroke-linejoin: round; }
  ${colours(0)}
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #30363d; } text { fill: #e6edf3; } .grid { stroke: #30363d; } .guide { stroke: #6e7681; }
    ${colours(1)}
  }
</style>
${lines.join('\n')}
</svg>
`;
}
