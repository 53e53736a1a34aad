import { type ArmModel, loadArmModel } from '../src/arm/model.ts';
import { modelByName } from '../src/servo/servo-models.ts';
import { type Random, seededRandom } from '../src/sim/random.ts';
import type { ServoFault } from '../src/sim/servo-faults.ts';
import type { SimFault } from '../src/sim/servo-line.ts';
import { type Deed, type Layout, pairOf, type Script, type Step } from './script.ts';

/** Time in which people and faults are at work in a run, s. */
const LENGTH = 45;

/** One kind of deed. Runs differ in which kinds they have and how often, so that rare ones meet (swarm testing). */
interface Kind {
  /** Mean time between two of them in a run that has them, s. */
  readonly every: number;
  /** Likelihood that a run has them. */
  readonly share: number;
  /** The deeds; of more than one, the later ones after so long, s. */
  readonly make: (chance: Chance) => readonly (Deed & { readonly after?: number })[];
}

/** Chance, and what it is about. */
class Chance {
  readonly random: Random;
  readonly layout: Layout;
  readonly models: readonly ArmModel[];

  constructor(seed: number, layout: Layout) {
    this.random = seededRandom(seed);
    this.layout = layout;
    this.models = layout.arms.map(({ model, variant }) => loadArmModel(model, variant));
  }

  between(least: number, most: number): number {
    return round(least + (most - least) * this.random());
  }

  /** A time with this mean, s. */
  wait(mean: number): number {
    return round(-mean * Math.log(1 - this.random()));
  }

  may(likelihood: number): boolean {
    return this.random() < likelihood;
  }

  of<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.random() * choices.length)]!;
  }

  /** Index of an arm. */
  arm(): number {
    return Math.floor(this.random() * this.layout.arms.length);
  }

  name(): string {
    return this.of(this.layout.arms).name;
  }

  servo(arm: string): number {
    const index = this.layout.arms.findIndex(({ name }) => name === arm);
    return this.of(this.models[index]!.joints.flatMap(({ servos }) => servos.map(({ id }) => id)));
  }

  /** Angles of some joints of an arm, within their limits, rad. */
  joints(index: number, most = 3): Record<string, number> {
    const { joints } = this.models[index]!;
    const chosen = Array.from({ length: 1 + Math.floor(this.random() * most) }, () => this.of(joints));
    return Object.fromEntries(chosen.map(({ name, lower, upper }) => [name, this.between(0.8 * lower, 0.8 * upper)]));
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function round6(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

type AskDeed = Extract<Deed, { do: 'ask' }>;

function ask(url: string, body?: object, hangUp?: number): AskDeed {
  return { do: 'ask', url, ...(body === undefined ? {} : { body }), ...(hangUp === undefined ? {} : { hangUp }) };
}

/** Somebody who hangs up before the answer, now and then. */
function impatient(chance: Chance, deed: AskDeed): AskDeed {
  return chance.may(0.1) ? { ...deed, hangUp: chance.between(0.02, 1.5) } : deed;
}

const PEOPLE: Readonly<Record<string, Kind>> = {
  init: {
    every: 8,
    share: 0.9,
    make: (c) => [impatient(c, ask(`/move/init?robot_id=${c.arm()}${c.may(0.5) ? '&take_over=true' : ''}`))],
  },
  absolute: {
    every: 5,
    share: 0.7,
    make: (c) => {
      const body = {
        x: c.between(-6, 4),
        y: c.between(-8, 8),
        z: c.between(-6, 6),
        ...(c.may(0.3) ? { rx: c.between(-40, 40) } : {}),
        ...(c.may(0.3) ? { open: c.between(0, 1) } : {}),
        ...(c.may(0.2) ? { path: 'line' } : {}),
      };
      return [impatient(c, ask(`/move/absolute?robot_id=${c.arm()}`, body))];
    },
  },
  relative: {
    every: 6,
    share: 0.5,
    make: (c) => {
      const body = { x: c.between(-3, 3), y: c.between(-3, 3), z: c.between(-3, 3) };
      return [impatient(c, ask(`/move/relative?robot_id=${c.arm()}`, body))];
    },
  },
  joints: {
    every: 4,
    share: 0.5,
    make: (c) => {
      const arm = c.arm();
      const { joints } = c.models[arm]!;
      const wanted = Object.entries(c.joints(arm));
      const joints_ids = wanted.map(([name]) => joints.findIndex((joint) => joint.name === name));
      return [ask(`/joints/write?robot_id=${arm}`, { angles: wanted.map(([, angle]) => angle), joints_ids })];
    },
  },
  hello: { every: 20, share: 0.3, make: (c) => [impatient(c, ask(`/move/hello?robot_id=${c.arm()}`))] },
  sleep: { every: 15, share: 0.3, make: (c) => [impatient(c, ask(`/move/sleep?robot_id=${c.arm()}`))] },
  'torque on': {
    every: 8,
    share: 0.6,
    make: (c) => [ask(`/torque/toggle?robot_id=${c.arm()}`, { torque_status: true })],
  },
  'torque off': {
    every: 15,
    share: 0.3,
    make: (c) => [ask(`/torque/toggle?robot_id=${c.arm()}`, { torque_status: false, force: c.may(0.3) })],
  },
  stop: {
    every: 10,
    share: 0.8,
    make: (c) => {
      const which = c.may(0.5) ? '' : `?robot_id=${c.arm()}`;
      const again = c.may(0.8) ? [{ ...ask(`/stop/reset${which}`), after: c.between(0.1, 4) }] : [];
      return [ask(`/stop${which}`), ...again];
    },
  },
  reset: { every: 20, share: 0.5, make: () => [ask('/stop/reset')] },
  mirror: {
    every: 10,
    share: 0.7,
    make: (c) => {
      const leader = c.arm();
      const follower = c.layout.arms.length - 1 - leader;
      const floats = c.may(0.3);
      const body = {
        robot_pairs: [{ leader_id: leader, follower_id: follower }],
        ...(floats ? { enable_gravity_compensation: true } : {}),
        ...(floats && c.may(0.7) ? { force_feedback: { arm: c.of([0.3, 1]), gripper: c.of([0, 1]) } } : {}),
        ...(c.may(0.2) ? { invert_controls: true } : {}),
        ...(c.may(0.2) ? { align: 'leader' } : {}),
      };
      return [ask('/move/leader/start', body)];
    },
  },
  'mirror stop': {
    every: 15,
    share: 0.5,
    make: (c) => [ask(`/move/leader/stop${c.of(['', '?release=hold', '?release=now', '?release=lower'])}`)],
  },
  feedback: {
    every: 20,
    share: 0.4,
    make: (c) => [ask('/teleop/settings', { force_feedback: { arm: c.of([0, 0.5, 1]), gripper: c.of([0, 1]) } })],
  },
  gravity: { every: 15, share: 0.3, make: (c) => [ask(`/gravity/start?robot_id=${c.arm()}`)] },
  'gravity stop': {
    every: 20,
    share: 0.3,
    make: (c) => [ask(`/gravity/stop?robot_id=${c.arm()}${c.of(['', '&release=lower', '&release=now'])}`)],
  },
  disconnect: {
    every: 25,
    share: 0.2,
    make: (c) => {
      const arm = c.arm();
      const back = { robot_name: c.layout.arms[arm]!.name, connection_details: {} };
      return [
        ask(`/robot/disconnect?robot_id=${arm}`),
        { ...ask('/robot/add-connection', back), after: c.between(0.2, 15) },
      ];
    },
  },
  look: {
    every: 3,
    share: 0.5,
    make: (c) => [
      c.of([
        ask(`/joints/read?robot_id=${c.arm()}`, {}),
        ask(`/end-effector/read?robot_id=${c.arm()}`, { sync: c.may(0.5) }),
        ask(`/robot/config?robot_id=${c.arm()}`),
        ask(`/temperature/read?robot_id=${c.arm()}`),
        { do: 'ask', method: 'GET', url: '/status' },
        { do: 'ask', method: 'GET', url: '/metrics' },
      ]),
    ],
  },
  hand: {
    every: 4,
    share: 0.8,
    make: (c) => {
      const arm = c.arm();
      const { name } = c.layout.arms[arm]!;
      const over = c.between(0.1, 3);
      const letGo = { do: 'hand', arm: name, joints: null, over: 0, after: over + c.between(0.1, 6) } as const;
      return [{ do: 'hand', arm: name, joints: c.joints(arm), over }, letGo];
    },
  },
};

/** Programs that drive an arm's joints and its gripper at the same time, as ROS controllers do. */
const CONTROLLERS: Readonly<Record<string, Kind>> = {
  follow: {
    every: 4,
    share: 0.5,
    make: (c) => {
      const arm = c.arm();
      const { name } = c.layout.arms[arm]!;
      return [{ do: 'follow', arm: name, joints: c.joints(arm), over: c.between(0.5, 5), takeOver: c.may(0.3) }];
    },
  },
  grip: {
    every: 3,
    share: 0.5,
    make: (c) => [
      {
        do: 'grip',
        arm: c.name(),
        opening: c.between(0, 1),
        velocity: c.may(0.3) ? c.between(0.05, 2) : null,
        torque: c.may(0.4) ? c.between(0.05, 1) : null,
        takeOver: c.may(0.3),
      },
    ],
  },
};

/** Programs that stream setpoints, as publishers of ROS and sockets do. */
const STREAMERS: Readonly<Record<string, Kind>> = {
  stream: {
    every: 8,
    share: 0.4,
    make: (c) => {
      const arm = c.arm();
      const { name } = c.layout.arms[arm]!;
      const common = { arm: name, joints: c.joints(arm), over: c.between(1, 8), every: c.of([0.01, 0.02, 0.1]) };
      const wave = { swing: c.between(0, 0.5), turn: c.between(0.5, 6), leap: c.may(0.5) ? c.between(-0.8, 0.8) : 0 };
      return [{ do: 'stream', ...common, ...wave, reapproach: c.may(0.4), takeOver: c.may(0.3) }];
    },
  },
};

/** Points of a chunk, and the time between two, s. */
const CHUNK_POINTS = 40;
const CHUNK_SPACING = 1 / 30;

/** Programs that let a policy drive an arm. */
const POLICIES: Readonly<Record<string, Kind>> = {
  chunks: {
    every: 6,
    share: 0.6,
    make: (c) => {
      const arm = c.arm();
      const { name } = c.layout.arms[arm]!;
      const centres = Object.entries(c.joints(arm));
      const swing = c.may(0.2) ? 1 : c.between(0, 0.3);
      const turn = c.between(0.5, 4);
      const every = c.between(0.2, 2);
      const query = c.may(0.3) ? '?take_over=true' : '';
      return Array.from({ length: 1 + Math.floor(8 * c.random()) }, (_, round) => {
        const from = round * every;
        // Now and then it wants to be somewhere else.
        const jump = c.may(0.15) ? c.between(-1, 1) : 0;
        const spacing = c.may(0.1) ? 10 * CHUNK_SPACING : CHUNK_SPACING;
        const times = Array.from({ length: CHUNK_POINTS }, (_, k) => round6((k + 1) * spacing));
        const positions = times.map((t) =>
          centres.map(([, centre]) => round6(centre * 0.6 + jump + swing * Math.sin(turn * (from + t)))),
        );
        const body = {
          joints: centres.map(([joint]) => joint),
          times,
          positions,
          ...(c.may(0.3) ? { blend: c.between(0, 1) } : {}),
          ...(c.may(0.2) ? { dead_man: c.between(0.1, 3) } : {}),
        };
        const observed = c.may(0.8) ? { age: c.of([c.between(0.1, 0.5), c.between(0.1, 1.5)]) } : {};
        return { ...ask(`/api/v1/arms/${name}/chunks${query}`, body), ...observed, after: from + c.between(0, 0.2) };
      });
    },
  },
};

/** People who keep what an arm does, and have it done again. */
const KEEPERS: Readonly<Record<string, Kind>> = {
  record: {
    every: 12,
    share: 0.4,
    make: (c) => {
      const arm = c.arm();
      const name = `take-${Math.floor(1e6 * c.random())}`;
      const length = c.between(1, 6);
      const again = c.may(0.4) ? c.layout.arms.length - 1 - arm : arm;
      const query = `?robot_id=${again}${c.may(0.4) ? '&take_over=true' : ''}`;
      return [
        ask(`/recording/start?robot_id=${arm}`, { name }),
        { ...ask(`/recording/stop?robot_id=${arm}`), after: length },
        {
          ...impatient(c, ask(`/recording/play${query}`, { name, speed: c.of([0.25, 0.5, 1]) })),
          after: length + c.between(0.1, 5),
        },
      ];
    },
  },
};

/** People who feel with a leader what holds its follower, and then something ends that. */
const FEELERS: Readonly<Record<string, Kind>> = {
  feel: {
    every: 14,
    share: 0.25,
    make: (c) => {
      const leader = c.arm();
      const follower = c.layout.arms.length - 1 - leader;
      const [hand, held] = [c.layout.arms[leader]!.name, c.layout.arms[follower]!.name];
      const start = {
        robot_pairs: [{ leader_id: leader, follower_id: follower }],
        enable_gravity_compensation: true,
        force_feedback: { arm: c.of([0.5, 1, 1]), gripper: c.of([0, 1]) },
      };
      const joints = c.joints(leader);
      const away = Object.fromEntries(
        Object.entries(joints).map(([name, angle]) => [name, round(angle + c.between(-0.4, 0.4))]),
      );
      const end = 7 + c.between(0, 2);
      const feels = { force_feedback: { arm: c.of([0, 0.5]), gripper: 0 } };
      const ended = c.of<readonly (Deed & { readonly after: number })[]>([
        [{ ...ask(`/stop${c.of(['', `?robot_id=${leader}`, `?robot_id=${follower}`])}`), after: end }],
        [{ ...ask(`/move/leader/stop${c.of(['', '?release=hold', '?release=now'])}`), after: end }],
        [{ ...ask('/teleop/settings', feels), after: end }],
        [
          { do: 'fault', arm: held, fault: { unplugged: true }, after: end },
          { do: 'fault', arm: held, fault: { unplugged: false }, after: end + 2 },
        ],
        [{ do: 'fault', arm: held, fault: { stall: c.between(0.1, 1) }, after: end }],
        [{ ...ask(`/move/init?robot_id=${c.of([leader, follower])}&take_over=true`), after: end }],
        [{ ...ask(`/torque/toggle?robot_id=${follower}`, { torque_status: false, force: true }), after: end }],
      ]);
      return [
        ask('/stop/reset'),
        { ...ask('/move/leader/start', start), after: 0.2 },
        { do: 'hand', arm: hand, joints, over: 1, after: 2.5 },
        { do: 'hand', arm: held, joints: away, over: 1, after: 3 + c.between(0, 2) },
        ...ended,
        { do: 'hand', arm: hand, joints: null, over: 0, after: end + 1.5 },
        { do: 'hand', arm: held, joints: null, over: 0, after: end + 1.7 },
      ];
    },
  },
};

/** A fault that begins, and ends after a while. */
function passing(chance: Chance, mean: number, begin: SimFault, end: SimFault): ReturnType<Kind['make']> {
  const arm = chance.name();
  return [
    { do: 'fault', arm, fault: begin },
    { do: 'fault', arm, fault: end, after: chance.wait(mean) + 0.02 },
  ];
}

function onServo(fault: (chance: Chance) => ServoFault, end?: ServoFault): Kind['make'] {
  return (chance) => {
    const arm = chance.name();
    const id = chance.servo(arm);
    const deeds = [{ do: 'fault', arm, fault: { servos: { [id]: fault(chance) } } } as const];
    if (end === undefined) return deeds;
    return [...deeds, { do: 'fault', arm, fault: { servos: { [id]: end } }, after: chance.wait(3) + 0.02 }];
  };
}

/** What goes wrong. Names are those of the table in docs/safety.md. */
const FAULTS: Readonly<Record<string, Kind>> = {
  'lost replies': {
    every: 10,
    share: 0.25,
    make: (c) => passing(c, 4, { loseRate: c.of([0.02, 0.2, 0.6, 1]) }, { loseRate: 0 }),
  },
  'damaged replies': {
    every: 10,
    share: 0.25,
    make: (c) => passing(c, 4, { corruptRate: c.of([0.02, 0.2, 0.6]) }, { corruptRate: 0 }),
  },
  'doubled replies': { every: 10, share: 0.15, make: (c) => passing(c, 4, { doubleRate: 0.3 }, { doubleRate: 0 }) },
  'late replies': {
    every: 10,
    share: 0.2,
    make: (c) =>
      passing(c, 4, { replies: { lateRate: 0.2, lateness: c.of([0.003, 0.02, 0.2]) } }, { replies: { lateRate: 0 } }),
  },
  'lost requests': {
    every: 10,
    share: 0.25,
    make: (c) => passing(c, 4, { requests: { loseRate: c.of([0.02, 0.2, 0.6]) } }, { requests: { loseRate: 0 } }),
  },
  'damaged requests': {
    every: 10,
    share: 0.2,
    make: (c) => passing(c, 4, { requests: { corruptRate: c.of([0.02, 0.3]) } }, { requests: { corruptRate: 0 } }),
  },
  'doubled requests': {
    every: 10,
    share: 0.15,
    make: (c) => passing(c, 4, { requests: { doubleRate: 0.3 } }, { requests: { doubleRate: 0 } }),
  },
  'late requests': {
    every: 10,
    share: 0.2,
    make: (c) => {
      const late = { requests: { lateRate: 0.2, lateness: c.of([0.003, 0.02, 0.2]) } };
      return passing(c, 4, late, { requests: { lateRate: 0, lateness: 0 } });
    },
  },
  'requests that one servo misses': {
    every: 10,
    share: 0.2,
    make: (c) => passing(c, 4, { missRate: c.of([0.01, 0.1, 0.4]) }, { missRate: 0 }),
  },
  'a stuck adapter': {
    every: 10,
    share: 0.25,
    make: (c) => [{ do: 'fault', arm: c.name(), fault: { stall: c.between(0.01, 1.5) } }],
  },
  'an adapter that is pulled out': {
    every: 20,
    share: 0.2,
    make: (c) => passing(c, 4, { unplugged: true }, { unplugged: false }),
  },
  'a dead servo': {
    every: 20,
    share: 0.2,
    make: (c) => {
      const arm = c.name();
      return [
        { do: 'fault', arm, fault: { dead: [c.servo(arm)] } },
        { do: 'fault', arm, fault: { dead: [] }, after: c.wait(3) + 0.02 },
      ];
    },
  },
  'a supply that fails': { every: 20, share: 0.2, make: (c) => passing(c, 0.3, { volts: 0 }, { volts: null }) },
  'a supply that sags': {
    every: 20,
    share: 0.15,
    make: (c) => passing(c, 1, { volts: c.between(3.3, 4.5) }, { volts: null }),
  },
  'a servo that restarts': { every: 15, share: 0.2, make: onServo(() => ({ restart: true })) },
  'a servo without supply': { every: 15, share: 0.2, make: onServo(() => ({ volts: 0 }), { volts: null }) },
  'a servo that takes no goals': {
    every: 15,
    share: 0.2,
    make: onServo(() => ({ ignoresGoals: true }), { ignoresGoals: false }),
  },
  'wrong readings': {
    every: 8,
    share: 0.25,
    make: onServo((c) => ({
      misreads: { position: { share: c.of([0.01, 0.3, 1]), by: c.between(-2, 2), times: c.of([1, 1, 2, 5]) } },
    })),
  },
  'a reading that stays': { every: 15, share: 0.15, make: onServo(() => ({ frozen: true }), { frozen: false }) },
  'wrong temperatures': {
    every: 15,
    share: 0.2,
    make: onServo(() => ({ misreads: { temperature: { share: 1, by: 175, times: 1 } } })),
  },
  'a hot servo': { every: 25, share: 0.15, make: onServo((c) => ({ heat: c.between(50, 75) }), { heat: 30 }) },
  'an overload': { every: 25, share: 0.15, make: onServo(() => ({ overload: true })) },
  'a main thread that stands still': {
    every: 10,
    share: 0.25,
    make: (c) => [{ do: 'pause', thread: 'main', for: c.between(0.01, 2) }],
  },
  'a control thread that stands still': {
    every: 10,
    share: 0.2,
    make: (c) => [{ do: 'pause', thread: 'control', for: c.between(0.01, 1) }],
  },
  'a computer that stands still': {
    every: 15,
    share: 0.2,
    make: (c) => [{ do: 'pause', thread: 'all', for: c.between(0.01, 3) }],
  },
  'a control thread that fails': { every: 30, share: 0.1, make: () => [{ do: 'crash' }] },
  'a process that is killed': {
    every: 30,
    share: 0.15,
    make: (c) => [{ do: 'kill' }, { do: 'start', after: c.between(0.1, 5) }],
  },
  'a process that is ended': { every: 40, share: 0.1, make: () => [{ do: 'end' }, { do: 'start', after: 16 }] },
  'a clock that is set': { every: 15, share: 0.15, make: (c) => [{ do: 'clock', by: c.between(-4000, 4000) }] },
};

/** Registers by which a servo is slow, in counts: of the Feetech family, and of Dynamixel. */
const SLOWED = {
  feetech: [{ goal_speed: 300 }, { goal_speed: 1000 }, { acceleration: 10 }, { goal_time: 400 }],
  dynamixel: [{ profile_velocity: 20 }, { profile_velocity: 80 }, { profile_acceleration: 4 }],
} as const;

/** What another program has left in servos, before the bridge starts or while it runs. */
const LEFT_BEHIND: Readonly<Record<string, Kind>> = {
  'a servo that is slow by a register': {
    every: 15,
    share: 0.2,
    make: (c) => {
      const arm = c.arm();
      const { name } = c.layout.arms[arm]!;
      const family = c.models[arm]!.family === 'feetech' ? 'feetech' : 'dynamixel';
      const registers = c.of<Readonly<Record<string, number>>>(SLOWED[family]);
      return [{ do: 'fault', arm: name, fault: { servos: { [c.servo(name)]: { registers } } } }];
    },
  },
  'a servo with narrower limits of its own': {
    every: 20,
    share: 0.2,
    make: (c) => {
      const arm = c.arm();
      const { joints } = c.models[arm]!;
      const { lower, upper, servos } = c.of(joints);
      const { id, zero, sign } = servos[0]!;
      const count = (angle: number): number => Math.round(zero + (sign * angle * 4096) / (2 * Math.PI));
      const ends = [count(c.between(0.3, 0.9) * lower), count(c.between(0.3, 0.9) * upper)];
      const [min_position, max_position] = [Math.min(...ends), Math.max(...ends)];
      const { name } = c.layout.arms[arm]!;
      return [{ do: 'fault', arm: name, fault: { servos: { [id]: { registers: { min_position, max_position } } } } }];
    },
  },
  'a servo that counts a turn more': {
    every: 25,
    share: 0.15,
    make: onServo((c) => ({ turns: c.of([-1, 1]) })),
  },
};

/** Counts of registers that say which servo it is: of one that is not in the arm, and of another model of its family. */
const UNKNOWN_ID = 77;
const OTHER_MODELS = { feetech: 2825, dynamixel: 1030 } as const;

/** An adapter is pulled out, and something is changed about a servo until it comes back; later it is changed back so. */
function swapped(c: Chance, registersOf: (arm: number, id: number) => [change: object, back: object]) {
  const arm = c.arm();
  const { name } = c.layout.arms[arm]!;
  const id = c.servo(name);
  const [change, back] = registersOf(arm, id);
  const at = c.between(2, 8);
  const deeds = [change, back].flatMap((registers, k) => [
    { do: 'fault', arm: name, fault: { unplugged: true }, after: k * at } as const,
    { do: 'fault', arm: name, fault: { servos: { [id]: { registers } } }, after: k * at + 0.6 } as const,
    { do: 'fault', arm: name, fault: { unplugged: false }, after: k * at + 0.9 } as const,
  ]);
  return deeds as ReturnType<Kind['make']>;
}

/** Servos that are exchanged while the arm is not connected. */
const EXCHANGED: Readonly<Record<string, Kind>> = {
  'a servo with another id': {
    every: 25,
    share: 0.12,
    make: (c) => swapped(c, (arm, id) => [{ id: c.may(0.5) ? UNKNOWN_ID : c.servo(c.layout.arms[arm]!.name) }, { id }]),
  },
  'a servo of another model': {
    every: 25,
    share: 0.12,
    make: (c) =>
      swapped(c, (arm, id) => {
        const { family, joints } = c.models[arm]!;
        const { model } = joints.flatMap(({ servos }) => servos).find((servo) => servo.id === id)!;
        const other = OTHER_MODELS[family === 'feetech' ? 'feetech' : 'dynamixel'];
        return [{ model_number: other }, { model_number: modelByName(model)!.modelNumber }];
      }),
  },
};

/** People who know the newer half of the HTTP interface. */
const OFFICIALS: Readonly<Record<string, Kind>> = {
  halt: {
    every: 10,
    share: 0.3,
    make: (c) => [
      { ...ask(`/api/v1/arms/${c.name()}/motion${c.may(0.5) ? '?take_over=true' : ''}`), method: 'DELETE' },
    ],
  },
  'take over': {
    every: 12,
    share: 0.25,
    make: (c) => {
      const name = c.name();
      return [
        ask(`/api/v1/arms/${name}/take-over`),
        { ...ask(`/api/v1/arms/${name}/release${c.may(0.5) ? '?take_over=true' : ''}`), after: c.between(0.1, 8) },
      ];
    },
  },
  'stop by name': {
    every: 15,
    share: 0.3,
    make: (c) => [ask('/api/v1/stop'), { ...ask('/stop/reset'), after: c.between(0.1, 4) }],
  },
  calibrate: {
    every: 20,
    share: 0.15,
    make: (c) => {
      const arm = c.arm();
      const cancel = { ...ask(`/api/v1/arms/${c.layout.arms[arm]!.name}/calibration`), method: 'DELETE' } as const;
      const calls = 1 + Math.floor(2 * c.random());
      return [
        ...Array.from({ length: calls }, (_, k) => ({ ...ask(`/calibrate?robot_id=${arm}`), after: 3 * k })),
        { ...cancel, after: 3 * calls + c.between(0.1, 4) },
      ];
    },
  },
  'look closely': {
    every: 4,
    share: 0.4,
    make: (c) => {
      const name = c.name();
      const look = (url: string): AskDeed => ({ do: 'ask', method: 'GET', url });
      return [
        c.of([
          look(`/api/v1/arms/${name}/motion`),
          look(`/api/v1/arms/${name}/urdf`),
          look(`/api/v1/arms/${name}/calibration`),
          look('/api/v1/arms'),
          look('/api/v1/log'),
          look('/api/v1/recordings'),
          look('/readyz'),
          ask(`/api/v1/arms/${name}/reachable`, { x: c.between(-6, 4), z: c.between(-6, 6) }),
          ask(`/torque/read?robot_id=${c.arm()}`),
          ask(`/voltage/read?robot_id=${c.arm()}`),
          ask('/teleop/settings/read'),
        ]),
      ];
    },
  },
};

/** Share of the runs in which people have names, and theirs; some never say who they are. */
const NAMED = 0.4;
const NAMES = ['anna', 'ben', undefined] as const;

/** Names of the faults, for the table of what has been tried. */
export const FAULT_NAMES: readonly string[] = [FAULTS, LEFT_BEHIND, EXCHANGED].flatMap((kinds) => Object.keys(kinds));

/** Share of the runs of STS3215 servos whose gears have play, and how much, rad: they have a degree. */
const WORN = 0.3;
const PLAY = Math.PI / 180;

const MODELS = ['so101', 'so101', 'so100', 'koch'] as const;
/** Share of the runs of arms that have joints with two servos. */
const DOUBLED = 0.06;

/** A seed for chance of its own: a kind that is added to one group leaves what others draw. */
function apart(seed: number, k: number): number {
  return Math.imul(seed + 1, 0x85ebca6b) + k;
}

function withName(step: Step, who: string | undefined): Step {
  return step.do === 'ask' && who !== undefined ? { ...step, who } : step;
}

/** A run of random people and random faults. @returns it, and the faults that it has */
export function drawRun(seed: number): { readonly script: Script; readonly faults: readonly string[] } {
  const first = seededRandom(seed);
  const drawn = MODELS[Math.floor(first() * MODELS.length)]!;
  const model = seededRandom(apart(seed, 0))() < DOUBLED ? 'wx250s' : drawn;
  const pair = pairOf(model, first() < 0.1 ? 'mujoco' : 'light', model === 'koch' ? 'leader' : 'follower');
  const worn = model !== 'koch' && model !== 'wx250s' && seededRandom(apart(seed, 1))() < WORN;
  const layout = worn ? { ...pair, arms: pair.arms.map((arm) => ({ ...arm, backlash: PLAY })) } : pair;
  const steps: Step[] = [];
  const faults: string[] = [];
  const draw = (chance: Chance, kinds: Readonly<Record<string, Kind>>): void => {
    const drawn = Object.entries(kinds).map(([name, kind]) => ({
      name,
      kind,
      drawn: chance.may(kind.share),
      every: kind.every * chance.of([0.5, 1, 2]),
    }));
    for (const { name, kind, every } of drawn.filter((one) => one.drawn)) {
      if (FAULT_NAMES.includes(name)) faults.push(name);
      for (let at = chance.wait(every); at < LENGTH; at += chance.wait(every)) {
        for (const { after = 0, ...deed } of kind.make(chance))
          steps.push({ at: round(at + after), ...(deed as Deed) });
      }
    }
  };
  draw(new Chance(seed + 1, layout), { ...PEOPLE, ...FAULTS });
  const groups = [CONTROLLERS, POLICIES, FEELERS, KEEPERS, LEFT_BEHIND, STREAMERS, EXCHANGED, OFFICIALS];
  for (const [k, kinds] of groups.entries()) draw(new Chance(apart(seed, k + 2), layout), kinds);
  steps.sort((a, b) => a.at - b.at);
  const naming = new Chance(apart(seed, groups.length + 2), layout);
  const named = naming.may(NAMED) ? steps.map((step) => withName(step, naming.of(NAMES))) : steps;
  return { script: { name: `seed ${seed}`, seed, layout, steps: named, length: LENGTH + 5 }, faults };
}
