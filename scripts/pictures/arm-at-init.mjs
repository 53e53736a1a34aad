// The picture of docs/frames.md: an arm at its pose init from the right side, from behind and from above, drawn from the
// boxes and cylinders of its URDF.

import { XMLParser } from 'fast-xml-parser';

/** Pixels per metre. */
const SCALE = 1000;
const WIDTH = 960;
const HEIGHT = 850;
/** Sides of a cylinder. */
const SIDES = 24;

const FACES = [
  [0, 1, 3, 2],
  [4, 6, 7, 5],
  [0, 4, 5, 1],
  [2, 3, 7, 6],
  [0, 2, 6, 4],
  [1, 5, 7, 3],
];

/**
 * How base coordinates become page coordinates. `right` and `up` are base axes on the page, `towards` points at the one
 * who looks; all unit vectors.
 * @typedef {{right: number[], up: number[], towards: number[], x: number, y: number}} View
 */

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const round = (value) => Math.round(value * 10) / 10;
const numbers = (text) => text.trim().split(/\s+/).map(Number);
const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

/** Rotation matrix, rows first, of a quaternion. */
function matrix({ x, y, z, w }) {
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
}

/** Rotation matrix, rows first, of roll, pitch and yaw about fixed axes. */
function rotation([roll, pitch, yaw]) {
  const half = (angle) => [Math.cos(angle / 2), Math.sin(angle / 2)];
  const [cr, sr] = half(roll);
  const [cp, sp] = half(pitch);
  const [cy, sy] = half(yaw);
  return matrix({
    x: sr * cp * cy - cr * sp * sy,
    y: cr * sp * cy + sr * cp * sy,
    z: cr * cp * sy - sr * sp * cy,
    w: cr * cp * cy + sr * sp * sy,
  });
}

const turn = (rows, v) => rows.map((row) => dot(row, v));
const add = (a, b) => a.map((value, i) => value + b[i]);

/** Faces of a box with these edges, each by its corners, about its middle. */
function boxFaces(edges) {
  const [x, y, z] = edges.map((edge) => edge / 2);
  const corners = [];
  for (const sx of [-1, 1]) for (const sy of [-1, 1]) for (const sz of [-1, 1]) corners.push([sx * x, sy * y, sz * z]);
  return FACES.map((face) => face.map((index) => corners[index]));
}

/** The two ends of a cylinder about z. */
function cylinderEnds(radius, length) {
  return [-length / 2, length / 2].map((z) =>
    Array.from({ length: SIDES }, (_, i) => {
      const angle = (2 * Math.PI * i) / SIDES;
      return [radius * Math.cos(angle), radius * Math.sin(angle), z];
    }),
  );
}

/**
 * Boxes and cylinders of the URDF's visuals in the base frame, each by its flat faces.
 * @param {string} urdf
 * @param {Map<string, {position: {x: number, y: number, z: number}, orientation: object}>} links pose of each link
 */
function shapesOf(urdf, links) {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });
  const found = [];
  for (const link of list(parser.parse(urdf).robot.link)) {
    const pose = links.get(link.name);
    if (pose === undefined) continue;
    const outer = matrix(pose.orientation);
    const at = [pose.position.x, pose.position.y, pose.position.z];
    for (const visual of list(link.visual)) {
      const { box, cylinder } = visual.geometry;
      const inner = rotation(numbers(visual.origin?.rpy ?? '0 0 0'));
      const origin = numbers(visual.origin?.xyz ?? '0 0 0');
      const place = (corner) => add(turn(outer, add(turn(inner, corner), origin)), at);
      const faces = box ? boxFaces(numbers(box.size)) : cylinderEnds(Number(cylinder.radius), Number(cylinder.length));
      found.push({
        faces: faces.map((face) => face.map(place)),
        middle: place([0, 0, 0]),
        material: visual.material?.name ?? 'printed',
      });
    }
  }
  return found;
}

/** @param {View} view @param {number[]} point base frame, m */
function project(view, point) {
  return [round(view.x + SCALE * dot(view.right, point)), round(view.y - SCALE * dot(view.up, point))];
}

const line = (a, b, kind) => `<line class="${kind}" x1="${a[0]}" y1="${a[1]}" x2="${b[0]}" y2="${b[1]}"/>`;

/** @param {number[]} at page @param {string} words @param {string} [kind] @param {'start' | 'middle' | 'end'} [anchor] */
function text(at, words, kind = 'label', anchor = 'start') {
  return `<text class="${kind}" x="${round(at[0])}" y="${round(at[1])}" text-anchor="${anchor}">${words}</text>`;
}

/** A line with an arrow head at `b`, page coordinates. */
function arrow(a, b, kind) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const along = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  return line(a, [round(b[0] - 6 * along[0]), round(b[1] - 6 * along[1])], kind) + head(b, along, kind);
}

function head(tip, along, kind) {
  const side = [-along[1], along[0]];
  const back = [tip[0] - 11 * along[0], tip[1] - 11 * along[1]];
  const points = [tip, add(back, [4.5 * side[0], 4.5 * side[1]]), add(back, [-4.5 * side[0], -4.5 * side[1]])];
  return `<polygon class="${kind} head" points="${points.map((p) => p.map(round).join(',')).join(' ')}"/>`;
}

/** An arc about `centre` from angle `from` to `to` (degrees, counter-clockwise on the page) with a head at its end. */
function arc(centre, radius, from, to, kind) {
  const at = (angle) => {
    const a = (angle * Math.PI) / 180;
    return [round(centre[0] + radius * Math.cos(a)), round(centre[1] - radius * Math.sin(a))];
  };
  const sense = Math.sign(to - from);
  const a = (to * Math.PI) / 180;
  const along = [-sense * Math.sin(a), -sense * Math.cos(a)];
  const tip = add(at(to), [along[0] * 4, along[1] * 4]);
  const stop = at(to - (sense * 6 * 180) / (Math.PI * radius));
  const large = Math.abs(to - from) > 180 ? 1 : 0;
  const path = `M${at(from).join(',')} A${radius},${radius} 0 ${large} ${sense > 0 ? 0 : 1} ${stop.join(',')}`;
  return `<path class="${kind}" d="${path}"/>${head(tip, along, kind)}`;
}

/** An axis of the base that points at the one who looks (a dot) or away (a cross), with its name. */
function endOn(at, towards, name, kind) {
  const [x, y] = at;
  const mark = towards
    ? `<circle class="${kind} head" cx="${x}" cy="${y}" r="2.5"/>`
    : line([x - 4, y - 4], [x + 4, y + 4], kind) + line([x - 4, y + 4], [x + 4, y - 4], kind);
  return `<circle class="${kind} ring" cx="${x}" cy="${y}" r="6"/>${mark}${text([x - 10, y + 18], name, `name ${kind}`, 'end')}`;
}

const AXES = [
  { name: 'x', direction: [1, 0, 0], kind: 'ax' },
  { name: 'y', direction: [0, 1, 0], kind: 'ay' },
  { name: 'z', direction: [0, 0, 1], kind: 'az' },
];

/** The three axes at a point of the base frame, as far as they lie in the page or stand on it. */
function axes(view, point, length) {
  const at = project(view, point);
  const parts = [];
  for (const { name, direction, kind } of AXES) {
    const across = [dot(view.right, direction), -dot(view.up, direction)];
    if (Math.hypot(...across) < 0.5) {
      parts.push(endOn(at, dot(view.towards, direction) > 0, name, kind));
    } else {
      const tip = [at[0] + length * across[0], at[1] + length * across[1]];
      const beside = [tip[0] + 10 * across[0], tip[1] + 10 * across[1] + 5];
      parts.push(arrow(at, tip, kind), text(beside, name, `name ${kind}`, 'middle'));
    }
  }
  return parts.join('\n');
}

/** The outline of points of the page. */
function outline(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (row) => {
    const kept = [];
    for (const c of row) {
      const bends = ([a, b]) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0;
      while (kept.length > 1 && !bends(kept.slice(-2))) kept.pop();
      kept.push(c);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function drawing(view, shapes) {
  const depth = (point) => dot(view.towards, point);
  const mean = (face) => face.reduce((sum, corner) => sum + depth(corner), 0) / face.length;
  const drawn = [];
  for (const { faces, middle, material } of [...shapes].sort((a, b) => depth(a.middle) - depth(b.middle))) {
    const onPage = faces.map((face) => face.map((corner) => project(view, corner)));
    const polygons = [outline(onPage.flat())];
    // Boxes and cylinders are the same on both sides of their middle: a face that is nearer than it looks this way.
    for (const [i, face] of faces.entries()) if (mean(face) > depth(middle) + 1e-9) polygons.push(onPage[i]);
    for (const points of polygons) drawn.push(`<polygon class="${material}" points="${points.join(' ')}"/>`);
  }
  return drawn.join('\n');
}

function pivots(view, joints) {
  return joints
    .map(({ position }, index) => {
      const [x, y] = project(view, [position.x, position.y, position.z]);
      return `<circle class="pivot" cx="${x}" cy="${y}" r="8"/>${text([x, y + 4], String(index + 1), 'digit', 'middle')}`;
    })
    .join('\n');
}

/** A dimension line between two page points, with its text beside its middle. */
function dimension(a, b, words, place, anchor = 'middle') {
  return `${arrow(a, b, 'size')}${arrow(b, a, 'size')}${text(place, words, 'small', anchor)}`;
}

const STYLE = `
  .page { fill: #ffffff; stroke: #d0d7de; }
  .label, .small, .name, .title { font-family: "DejaVu Sans", Verdana, Arial, sans-serif; fill: #1f2328; }
  .label { font-size: 15px; } .small { font-size: 13px; } .name { font-size: 16px; font-weight: bold; }
  .title { font-size: 17px; font-weight: bold; }
  .digit { font-family: "DejaVu Sans", Verdana, Arial, sans-serif; font-size: 11px; fill: #ffffff; font-weight: bold; }
  .printed { fill: #f0c84b; stroke: #7a5d00; stroke-width: 0.8; }
  .servo { fill: #4b4f57; stroke: #1f2328; stroke-width: 0.8; }
  .metal { fill: #b9bcc2; stroke: #57606a; stroke-width: 0.3; } .rubber { fill: #6e7681; stroke: #1f2328; stroke-width: 0.8; }
  .pivot { fill: #57606a; stroke: #ffffff; stroke-width: 1.2; }
  .table { stroke: #8c959f; stroke-width: 2; }
  .ax, .ay, .az, .turn { stroke-width: 2.4; fill: none; }
  .ax { stroke: #cf222e; } .ay { stroke: #1a7f37; } .az { stroke: #0969da; } .turn { stroke: #8250df; }
  .ax.head { fill: #cf222e; } .ay.head { fill: #1a7f37; } .az.head { fill: #0969da; } .turn.head { fill: #8250df; }
  .name.ax { fill: #cf222e; } .name.ay { fill: #1a7f37; } .name.az { fill: #0969da; } .name.turn { fill: #8250df; }
  .ring { fill: #ffffff; }
  .name.ax, .name.ay, .name.az, .name.turn { stroke: #ffffff; stroke-width: 3; paint-order: stroke; }
  .size { stroke: #57606a; stroke-width: 1.2; } .size.head { fill: #57606a; stroke-width: 0; }
  .help { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 4 4; }
  .zero { stroke: #1f2328; stroke-width: 1.6; fill: none; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #30363d; }
    .label, .small, .name, .title { fill: #e6edf3; }
    .printed { fill: #c99a1a; stroke: #f5d77a; } .servo { fill: #3d444d; stroke: #9198a1; }
    .ax { stroke: #ff7b72; } .ay { stroke: #56d364; } .az { stroke: #79c0ff; } .turn { stroke: #d2a8ff; }
    .ax.head, .name.ax { fill: #ff7b72; } .ay.head, .name.ay { fill: #56d364; }
    .az.head, .name.az { fill: #79c0ff; } .turn.head, .name.turn { fill: #d2a8ff; }
    .name.ax, .name.ay, .name.az, .name.turn { stroke: #0d1117; }
    .ring { fill: #0d1117; } .zero { stroke: #e6edf3; }
  }`;

/**
 * @param {object} arm
 * @param {string} arm.title
 * @param {string} arm.urdf
 * @param {Map<string, {position: {x: number, y: number, z: number}, orientation: object}>} arm.links poses at init
 * @param {{name: string, position: {x: number, y: number, z: number}}[]} arm.joints where the joints are at init
 * @param {{x: number, y: number, z: number}} arm.zero tool position at init, m
 * @returns {string} an SVG document
 */
export function drawArmAtInit({ title, urdf, links, joints, zero }) {
  const shapes = shapesOf(urdf, links);
  const tool = [zero.x, zero.y, zero.z];
  const side = { right: [1, 0, 0], up: [0, 0, 1], towards: [0, -1, 0], x: 130, y: 450 };
  const behind = { right: [0, -1, 0], up: [0, 0, 1], towards: [-1, 0, 0], x: 765, y: 450 };
  const above = { right: [1, 0, 0], up: [0, 1, 0], towards: [0, 0, 1], x: 130, y: 690 };
  const cm = (metres) => `${(metres * 100).toFixed(1)} cm`;

  const zeroMark = (view) => {
    const [x, y] = project(view, tool);
    return `<circle class="zero" cx="${x}" cy="${y}" r="5"/>${line([x - 10, y], [x + 10, y], 'zero')}${line([x, y - 10], [x, y + 10], 'zero')}`;
  };
  const floor = (view, from, to) => line([view.x + from, view.y], [view.x + to, view.y], 'table');

  const at = project(side, tool);
  const foot = project(side, [0, 0, 0]);
  const over = project(above, tool);
  const back = project(behind, tool);
  const parts = [
    `<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="10"/>`,
    text([30, 40], `${title} at init: the zero of the HTTP interface`, 'title'),

    text([30, 85], 'from its right side', 'label'),
    floor(side, -80, 430),
    drawing(side, shapes),
    pivots(side, joints),
    axes(side, [0, 0, 0], 62),
    line(at, [at[0], foot[1] + 40], 'help'),
    line(foot, [foot[0], foot[1] + 40], 'help'),
    line(at, [at[0] + 140, at[1]], 'help'),
    arrow([at[0] + 12, at[1]], [at[0] + 85, at[1]], 'ax'),
    text([at[0] + 12, at[1] + 22], '+x forward', 'small'),
    arc(at, 100, 0, 48, 'turn'),
    text([at[0] + 100, at[1] - 74], '+rx pitch', 'name turn'),
    text([at[0] + 100, at[1] - 56], 'lifts the nose', 'small'),
    dimension([foot[0], foot[1] + 34], [at[0], foot[1] + 34], cm(zero.x), [(foot[0] + at[0]) / 2, foot[1] + 30]),
    dimension(
      [at[0] + 130, foot[1]],
      [at[0] + 130, at[1]],
      cm(zero.z),
      [at[0] + 122, (foot[1] + at[1]) / 2 + 30],
      'end',
    ),
    zeroMark(side),

    text([640, 85], 'from behind', 'label'),
    floor(behind, -140, 150),
    drawing(behind, shapes),
    axes(behind, [0, 0, 0], 62),
    arc(back, 64, 140, 40, 'turn'),
    text([back[0] + 56, back[1] - 64], '+rz roll', 'name turn'),
    text([back[0] + 56, back[1] - 46], 'clockwise', 'small'),
    zeroMark(behind),

    text([30, 545], 'from above', 'label'),
    drawing(above, shapes),
    axes(above, [0, 0, 0], 62),
    arrow([over[0] + 12, over[1]], [over[0] + 85, over[1]], 'ax'),
    text([over[0] + 20, over[1] + 24], '+x forward', 'small'),
    arc(over, 100, 0, 48, 'turn'),
    text([over[0] + 100, over[1] - 74], '+ry yaw', 'name turn'),
    text([over[0] + 100, over[1] - 56], 'turns left', 'small'),
    arrow([over[0], over[1] - 14], [over[0], over[1] - 72], 'ay'),
    text([over[0] - 8, over[1] - 62], '+y left', 'small', 'end'),
    zeroMark(above),

    text([650, 555], 'Base frame: x forward, y left, z up.', 'label'),
    `<g transform="translate(660 583)"><circle class="zero" cx="0" cy="0" r="5"/>${line([-10, 0], [10, 0], 'zero')}${line([0, -10], [0, 10], 'zero')}</g>`,
    text([680, 588], 'x = y = z = 0 and rx = ry = rz = 0', 'label'),
    text([680, 608], `at ${[zero.x, zero.y, zero.z].map((m) => m.toFixed(4)).join(', ')} m`, 'small'),
    ...joints.map(
      ({ name }, index) =>
        `<circle class="pivot" cx="660" cy="${640 + 26 * index}" r="8"/>${text([660, 644 + 26 * index], String(index + 1), 'digit', 'middle')}${text([680, 645 + 26 * index], name)}`,
    ),
    text([650, 810], 'Circle with a dot: the axis points at you.', 'small'),
    text([650, 830], 'With a cross: away from you.', 'small'),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title} at its init pose with axes and positive directions">
<style>${STYLE}
</style>
${parts.join('\n')}
</svg>
`;
}

/**
 * Draws an arm of robots/.
 * @param {object} model what loadArmModel gives
 * @param {object} chain its kinematic chain
 * @returns {string} an SVG document
 */
export function drawModelAtInit(model, chain) {
  const q = model.poses.get('init');
  const flat = new Float64Array(7 * chain.links.length);
  chain.linkPoses(q, flat);
  const links = new Map(
    chain.links.map((name, index) => {
      const [x, y, z, ox, oy, oz, ow] = flat.subarray(7 * index, 7 * index + 7);
      return [name, { position: { x, y, z }, orientation: { x: ox, y: oy, z: oz, w: ow } }];
    }),
  );
  const joints = model.joints.map(({ name }) => {
    const joint = chain.description.joints.find((candidate) => candidate.name === name);
    return { name, position: links.get(joint.child).position };
  });
  return drawArmAtInit({ title: model.title, urdf: model.urdf, links, joints, zero: chain.toolPose(q).position });
}
