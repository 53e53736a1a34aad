/**
 * npm run bench:feedback [-- --write | --short]: what the hand at a floating leader feels of what pushes its follower, in virtual time
 * over MuJoCo: the figures do not depend on the machine. `--write` puts the table into bench/results and the picture into
 * docs/pictures too, `--short` only shows that everything runs.
 */
import { writeFileSync } from 'node:fs';
import loadMujoco from '@mujoco/mujoco';
import { short, write } from './arguments.ts';
import { insertPeg, pickCube, turnScrew } from './by-feel.ts';
import { chart } from './chart.ts';
import { bySecondLaw, type LawFigures, lawFigures } from './feedback-laws.ts';
import { Report } from './report.ts';
import { markdownTable, percent, type Target, targetTable } from './table.ts';
import { pushed, VirtualPair } from './virtual-pair.ts';

const PICTURE = 'docs/pictures/force-feedback.svg';
/** How much of the torque the leader feels, 0..1. */
const SHARES = [0, 0.5, 1];
/** The joint that is pushed, of leader and follower alike: it carries no weight. */
const JOINT = 'shoulder_pan';
/** Half of what the leader's servo of that joint gives, Nm: most that floating may ask of it. */
const CAP = 0.815;
/** What the encoder's steps may add to it, Nm. */
const SLACK = 0.05;
/** Where both arms stand, by joint, rad: free of everything. */
const FREE = { shoulder_pan: 0, shoulder_lift: -1, elbow_flex: 0.4, wrist_flex: 0.3, wrist_roll: 0, gripper: 0.8 };
/** A hand that goes on whatever it meets: Nm/rad, Nm s/rad, rad/s. */
const HAND = { stiffness: 200, damping: 2, speed: 0.04 };
/** A wall that the follower meets after so much, rad, and its stiffness and damping. */
const WALL = { at: 0.15, stiffness: 200, damping: 0.4 };
/** Largest torque of the wall that is gone to, Nm. */
const MOST = short ? 0.6 : 1.4;
/** How often it is looked, s: each control cycle. */
const LOOKS_PER_SECOND = 200;
const LOOK = 1 / LOOKS_PER_SECOND;
/** What a hand is to feel, and of what has pushed for how long, s. */
const FELT = 0.6;
const LASTING = 0.03;
/** Other speeds at which the follower hits the wall, rad/s, and how long the hand goes on after that, s. */
const HITS = short ? [] : [0.15, 0.3, 0.5, 0.7, 0.85, 1];
const AFTER = 0.15;
/** Most that feedback may add to what moving a free leader takes, Nm. */
const FREE_DRAG = 0.05;
/** External torques of which the table tells, Nm. */
const TOLD = [0.25, 0.5, 0.75, 1, 1.25].filter((torque) => torque < MOST);

/** Torques of one look, Nm: of the wall at the follower, of the hand and of the motor at the leader; positive against the hand. */
interface Look {
  readonly wall: number;
  readonly hand: number;
  readonly motor: number;
}

interface Felt {
  readonly looks: readonly Look[];
  /** Mean of what moving the leader took before the follower met the wall, Nm. */
  readonly free: number;
}

const mujoco = await loadMujoco();

/** A hand moves a leader until its follower presses on a wall. */
async function pressed(share: number, speed = HAND.speed, after = 0): Promise<Felt> {
  const pair = await VirtualPair.start(mujoco, () => FREE, { arm: share });
  try {
    await pair.lead('leader', null);
    await pair.pass(0.5);
    const looks = await push(pair, speed, after);
    const before = looks.slice(
      0,
      looks.findIndex(({ wall }) => wall > 0),
    );
    return { looks, free: before.reduce((sum, { hand }) => sum + Math.abs(hand) / before.length, 0) };
  } finally {
    await pair.close();
  }
}

async function push(pair: VirtualPair, speed: number, after: number): Promise<Look[]> {
  const leader = pair.sim('leader');
  const start = leader.physics.positions[0]!;
  let goal = start;
  let pace = speed;
  const hand = pushed(
    leader,
    0,
    (position, velocity) => HAND.stiffness * (goal - position) + HAND.damping * (pace - velocity),
  );
  const end = start + WALL.at;
  const wall = pushed(pair.sim('follower'), 0, (position, velocity) => {
    const deep = position - end;
    return deep <= 0 ? 0 : Math.min(0, -WALL.stiffness * deep - WALL.damping * velocity);
  });
  const looks: Look[] = [];
  let left = Math.round(after / LOOK);
  while (left > 0 || (after === 0 && pace > 0)) {
    goal += pace * LOOK;
    await pair.pass(LOOK);
    // The follower gives way where it could press no harder.
    if (after === 0 && (-wall() >= MOST || goal >= end + 1)) pace = 0;
    if (-wall() > 0 || left < Math.round(after / LOOK)) left--;
    looks.push({ wall: -wall(), hand: hand(), motor: -leader.truth(0).motorTorques[0]! });
  }
  return looks;
}

/** What the hand felt as the wall first pushed with a torque, Nm. */
function feltAt({ looks }: Felt, torque: number): number {
  return looks.find(({ wall }) => wall >= torque)?.hand ?? Number.NaN;
}

/** Least part of what has pushed the follower for `duration` s, up to the cap, with which the leader's motor pushes back. */
function leastPart({ looks }: Felt, duration: number): number {
  return leastPartAfter(looks, Math.round(duration / LOOK));
}

/** The same of what has pushed since so many looks. */
function leastPartAfter(looks: readonly Look[], before: number): number {
  const parts = looks.map(({ motor }, k) => {
    const lasting = Math.min(CAP, ...looks.slice(Math.max(0, k - before), k + 1).map(({ wall }) => wall));
    return lasting > 0.3 ? motor / lasting : Number.POSITIVE_INFINITY;
  });
  return Math.min(...parts);
}

/** Shortest time after which the leader pushes back with the part that is to be felt, s. */
function delay(felt: Felt): number {
  for (let late = 0; late * LOOK < AFTER; late++)
    if (leastPartAfter(felt.looks, late) >= FELT) return late / LOOKS_PER_SECOND;
  return Number.NaN;
}

const newtons = (force: number): string => `${force.toFixed(1)} N`;
const seconds = (time: number): string => `${time.toFixed(1)} s`;
const milliseconds = (time: number): string => `${(1000 * time).toFixed(0)} ms`;

/** What a hand does by feel, and what the same hand does that feels nothing: a table. */
async function byFeel(): Promise<string> {
  const cubes = [await pickCube(mujoco, 0), await pickCube(mujoco, 1)];
  const pegs = [await insertPeg(mujoco, 0), await insertPeg(mujoco, 1)];
  const screws = [await turnScrew(mujoco, 0), await turnScrew(mujoco, 1)];
  return markdownTable(
    ['by feel', 'without feedback', 'with feedback 1'],
    [
      ['cube: lifted by', ...cubes.map(({ height }) => `${(100 * height).toFixed(1)} cm`)],
      ['cube: largest force of a finger', ...cubes.map(({ grip }) => newtons(grip))],
      ['cube: closed, held and lifted after', ...cubes.map(({ time }) => seconds(time))],
      ['peg: largest force of a finger', ...pegs.map(({ grip }) => newtons(grip))],
      ['peg: largest force on the rim until the hand stops', ...pegs.map(({ rim }) => newtons(rim))],
      ['peg: largest force on the block in all', ...pegs.map(({ press }) => newtons(press))],
      ['peg: in its hole of 3 cm', ...pegs.map(({ depth }) => `${(100 * depth).toFixed(1)} cm`)],
      ['peg: the hand is done after', ...pegs.map(({ time }) => seconds(time))],
      ['screw: largest torque', ...screws.map(({ torque }) => `${torque.toFixed(2)} Nm`)],
      ['screw: the hand is done after', ...screws.map(({ time }) => seconds(time))],
    ],
  );
}

const report = new Report('feedback', 'Force feedback');

interface Law {
  readonly slow: Felt;
  readonly hits: readonly Felt[];
  readonly figures: LawFigures;
}

/** The law that is taken, or the other one: what a hand feels at a wall, and all else by which they are compared. */
async function law(slow: Felt): Promise<Law> {
  const hits: Felt[] = [];
  for (const speed of HITS) hits.push(await pressed(1, speed, AFTER));
  return { slow, hits, figures: await lawFigures(mujoco) };
}

function lawTable(laws: readonly Law[]): string {
  const row = (title: string, figure: (law: Law) => string): readonly string[] => [title, ...laws.map(figure)];
  const felt =
    (torque: number) =>
    (law: Law): string =>
      `${feltAt(law.slow, torque).toFixed(2)} Nm`;
  const largest = ({ slow }: Law): number => Math.max(...slow.looks.map(({ motor }) => motor));
  return markdownTable(
    ['at feedback 1', 'spring, bound by the torque (taken)', 'torque, and a weak spring'],
    [
      row(
        'free motion, up to 1 rad/s: besides what it takes without',
        ({ figures }) => `${figures.drag.toFixed(3)} Nm`,
      ),
      row('pressing slowly: felt at 0.25 Nm', felt(0.25)),
      row('pressing slowly: felt at 0.50 Nm', felt(0.5)),
      row('pressing slowly: felt at 1.00 Nm', felt(1)),
      row('largest push of the leader', (law) => `${largest(law).toFixed(2)} Nm`),
      ...HITS.map((speed, k) =>
        row(`hit at ${speed} rad/s: ${percent(FELT)} after`, ({ hits }) => milliseconds(delay(hits[k]!))),
      ),
      row(
        'gripper at an object of 20 mm: from the follower’s',
        ({ figures }) => `${((figures.gripper * 180) / Math.PI).toFixed(1)}°`,
      ),
      row('gripper: largest torque that opens it', ({ figures }) => `${figures.opens.toFixed(2)} Nm`),
      row('hands and walls that come to rest, 100 to 500 Hz', ({ figures }) => `${figures.rest} of ${figures.cases}`),
      row('most that a hand has got back of a press', ({ figures }) => `${figures.given.toFixed(2)} J`),
    ],
  );
}

const results: Felt[] = [];
for (const share of SHARES) results.push(await pressed(share));
const [without, , whole] = results as [Felt, Felt, Felt];
const part = leastPart(whole, LASTING);
const drag = whole.free - without.free;
const largest = Math.max(...whole.looks.map(({ motor }) => motor));
const taken = short ? null : await law(whole);
const other = short ? null : await bySecondLaw(async () => law(await pressed(1)));
const hits = [[HAND.speed, whole] as const, ...HITS.map((speed, k) => [speed, taken!.hits[k]!] as const)];
const latest = Math.max(...hits.map(([, felt]) => delay(felt)));
const targets: Target[] = [
  {
    goal: `feedback 1, pressing slowly: at least ${percent(FELT)} of what has pushed the follower for 30 ms, up to the cap`,
    measured: `${percent(part)} at least`,
    reached: part >= FELT,
  },
  {
    goal: `feedback 1: ${percent(FELT)} of a hit within ${milliseconds(LASTING)}, up to the cap`,
    measured: `${milliseconds(latest)} at most`,
    reached: latest <= LASTING,
  },
  {
    goal: `feedback 1: no more than ${SLACK} Nm above the leader's cap of ${CAP} Nm`,
    measured: `${largest.toFixed(3)} Nm at most`,
    reached: largest <= CAP + SLACK,
  },
  {
    goal: `free motion: no more than ${FREE_DRAG} Nm besides what it takes without feedback`,
    measured: `${drag.toFixed(3)} Nm`,
    reached: drag <= FREE_DRAG,
  },
];
const text = [
  report.machine(),
  '',
  markdownTable(
    ['the follower is pushed with', ...SHARES.map((share) => `the hand feels at feedback ${share}`)],
    TOLD.map((torque) => [
      `${torque.toFixed(2)} Nm`,
      ...results.map((felt) => `${feltAt(felt, torque).toFixed(2)} Nm`),
    ]),
  ),
  '',
  markdownTable(
    [
      'the follower hits the wall at',
      `at feedback 1 the leader pushes with ${percent(FELT)} of it, or of its cap, after`,
    ],
    hits.map(([speed, felt]) => [`${speed} rad/s`, milliseconds(delay(felt))]),
  ),
  '',
  ...(taken === null || other === null ? [] : [lawTable([taken, other]), '', await byFeel(), '']),
  targetTable(targets),
  '',
].join('\n');
report.publish(text);
if (write) {
  const curves = SHARES.map((share, k) => ({
    name: `force_feedback.arm ${share}`,
    points: results[k]!.looks.filter(({ wall }) => wall > 0 && wall <= MOST).map(
      ({ wall, hand }) => [wall, Math.max(0, hand)] as const,
    ),
  }));
  const picture = chart({
    label:
      'Torque that the hand at a leader feels against the torque that pushes its follower, without feedback, with half of it and with all of it',
    title: `${JOINT} of an SO-101 leader whose follower meets a wall`,
    x: { title: 'what pushes the follower, Nm', most: MOST, step: 0.2 },
    y: { title: 'what the hand feels, Nm', most: MOST, step: 0.2 },
    curves,
    guides: [
      {
        name: 'all of it',
        side: 'above',
        points: [
          [0, 0],
          [MOST, MOST],
        ],
      },
      {
        name: 'largest torque of the leader',
        side: 'below',
        points: [
          [0, CAP],
          [MOST, CAP],
        ],
      },
    ],
  });
  writeFileSync(PICTURE, picture);
}
