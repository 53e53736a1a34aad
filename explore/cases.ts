import { loadArmModel } from '../src/arm/model.ts';
import type { ServoFault } from '../src/sim/servo-faults.ts';
import type { Rule } from './judge.ts';
import { type Deed, pairOf, type Script, type Step } from './script.ts';

/** A run that shows one defect: of the list that was found from outside (S and R), or of the run of a seed (E). */
export interface Case {
  readonly id: string;
  readonly script: Script;
  /** Rules by which it shows. */
  readonly rules: readonly Rule[];
  /** Whether the bridge is known to break them still. */
  readonly known: boolean;
}

const FOLLOWER = 1;

function ask(at: number, url: string, body?: object): Step {
  return { at, do: 'ask', url, ...(body === undefined ? {} : { body }) };
}

/** A fault of one servo of the follower. */
function servo(at: number, id: number, fault: ServoFault): Step {
  return { at, do: 'fault', arm: 'follower', fault: { servos: { [id]: fault } } };
}

function script(name: string, model: string, steps: readonly Step[], length: number): Script {
  const layout = pairOf(model, 'light', model === 'koch' ? 'leader' : 'follower');
  return { name, seed: 1, layout, steps: [...steps].sort((a, b) => a.at - b.at), length };
}

/** The leader's hand, at the follower's rest pose or from it. */
function leads(at: number, joints: Readonly<Record<string, number>>, over: number): Step {
  return { at, do: 'hand', arm: 'leader', joints, over } satisfies Deed & { at: number };
}

/**
 * Limits of a joint's servo beyond which the arm rests, by so few steps that torque is tried: further out it is refused
 * before any goal is sent.
 */
function narrow(model: string, joint: number): ServoFault {
  const { joints, poses } = loadArmModel(model);
  const { zero, sign } = joints[joint]!.servos[0]!;
  const at = Math.round(zero + (sign * poses.get('rest')![joint]! * 4096) / (2 * Math.PI));
  return { registers: { max_position: at - 15, min_position: at - 1200, goal_position: at - 1000 } };
}

/** A hand overloads a servo of the leader that holds, and goes on while a stop and a reset bring it back. */
const BROUGHT_BACK: readonly Step[] = [
  ask(0.5, '/torque/toggle?robot_id=0', { torque_status: true }),
  { at: 1.5, do: 'hand', arm: 'leader', joints: { elbow_flex: -0.776 }, over: 2.328 },
  ask(2.7, '/stop'),
  ask(6.3, '/stop/reset'),
];

export const CASES: readonly Case[] = [
  {
    id: 'S1a',
    script: script(
      'a Dynamixel servo that lies beyond its own limits refuses all goals and keeps one of another day',
      'koch',
      [
        servo(-1, 1, { ...narrow('koch', 0) }),
        ask(0.5, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: true }),
      ],
      3,
    ),
    rules: ['torque', 'unasked'],
    known: false,
  },
  {
    id: 'S1b',
    script: script(
      'a servo takes no goals, and its torque goes on all the same',
      'so101',
      [
        servo(-1, 1, { ignoresGoals: true, registers: { goal_position: 3000 } }),
        ask(0.5, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: true }),
      ],
      3,
    ),
    rules: ['torque', 'unasked'],
    known: false,
  },
  {
    id: 'S2',
    script: script(
      'one wrong reading as torque goes on throws the arm',
      'so101',
      Array.from({ length: 10 }, (_, i) => [
        ask(0.5 + 2 * i, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: true }),
        servo(0.5 + 2 * i + 0.003 * i, 1, { misreads: { position: { share: 1, by: 1.84, times: 1 } } }),
        ask(1.8 + 2 * i, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: false, force: true }),
      ]).flat(),
      21,
    ),
    rules: ['torque', 'unasked', 'step'],
    known: false,
  },
  {
    id: 'S3',
    script: {
      ...script(
        'a stopped pair with autostart mirrors again after the process was killed',
        'so101',
        [
          leads(0.5, { shoulder_pan: 0.1 }, 0.5),
          ask(4, '/stop'),
          { at: 5, do: 'kill' },
          leads(5.2, { shoulder_pan: 0.9 }, 1),
          { at: 7, do: 'start' },
        ],
        14,
      ),
      layout: { ...pairOf('so101'), pairs: [{ leader: 'leader', follower: 'follower', autostart: true }] },
    },
    rules: ['after stop', 'torque'],
    known: false,
  },
  {
    id: 'S4',
    script: script(
      'a stop does not cancel a torque that is being switched on',
      'so101',
      Array.from({ length: 12 }, (_, i) => [
        ask(0.5 + 2 * i, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: true }),
        ask(0.501 + 2 * i + 0.004 * i, '/stop'),
        ask(1.5 + 2 * i, '/stop/reset'),
        ask(1.6 + 2 * i, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: false, force: true }),
      ]).flat(),
      26,
    ),
    rules: ['after stop'],
    known: false,
  },
  {
    id: 'S5',
    script: script(
      'a follower goes on with its leader while the main thread, which alone hears stops, stands still',
      'so101',
      [
        ask(0.5, '/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: FOLLOWER }] }),
        leads(6, { shoulder_pan: 1.5 }, 10),
        { at: 8, do: 'pause', thread: 'main', for: 6 },
        ask(10, '/stop'),
      ],
      16,
    ),
    rules: ['unattended', 'unasked'],
    known: false,
  },
  {
    id: 'S6',
    script: script(
      'a servo that another program has slowed down goes on after a stop',
      'so101',
      [
        ask(0.5, `/move/init?robot_id=${FOLLOWER}`),
        servo(4, 1, { registers: { goal_speed: 300 } }),
        ask(4.5, `/joints/write?robot_id=${FOLLOWER}`, { angles: [1.5], joints_ids: [0] }),
        ask(4.75, '/stop'),
      ],
      10,
    ),
    rules: ['stop', 'after stop'],
    known: false,
  },
  {
    id: 'S10',
    script: {
      ...script(
        'a short brown-out of a limp multi-turn Dynamixel turns its reading by a turn',
        'koch',
        [
          ask(0.5, '/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: FOLLOWER }] }),
          leads(1, { wrist_roll: 0.6 }, 2),
          { at: 12, do: 'fault', arm: 'leader', fault: { volts: 0 } },
          { at: 12.12, do: 'fault', arm: 'leader', fault: { volts: null } },
        ],
        14,
      ),
      layout: {
        ...pairOf('koch'),
        arms: [
          { name: 'leader', model: 'koch', variant: 'leader', homing: { 5: -1800 } },
          { name: 'follower', model: 'koch' },
        ],
      },
    },
    rules: ['following'],
    known: false,
  },
  {
    id: 'S11',
    script: script(
      'one wrong reading of a floating arm makes a goal leap',
      'so101',
      [
        ask(0.5, `/gravity/start?robot_id=${FOLLOWER}`),
        servo(4, 1, { misreads: { position: { share: 1, by: 1.3, times: 1 } } }),
      ],
      6,
    ),
    rules: ['float step'],
    known: false,
  },
  {
    id: 'E2027',
    script: script(
      'servos that are asked what they are get no goals meanwhile, and no leap afterwards',
      'so101',
      [
        { at: 1.3, do: 'fault', arm: 'follower', fault: { requests: { loseRate: 0.6 } } },
        ask(1, `/move/init?robot_id=${FOLLOWER}&take_over=true`),
        ...[1.4, 1.8, 2.2, 2.6].map((at) => ask(at, `/robot/config?robot_id=${FOLLOWER}`)),
      ],
      5,
    ),
    rules: ['step'],
    known: false,
  },
  {
    id: 'E4021',
    script: script(
      'torque that cannot go on is undone for a servo that has lost its supply and its goal meanwhile',
      'so101',
      [
        ask(0.5, '/move/leader/start', { robot_pairs: [{ leader_id: FOLLOWER, follower_id: 0 }] }),
        ask(2.5, '/stop?robot_id=0'),
        { at: 3, do: 'fault', arm: 'leader', fault: { servos: { 5: { volts: 0 } } } },
        { at: 6.2, do: 'fault', arm: 'leader', fault: { servos: { 5: { volts: null } } } },
        ask(7.1, '/stop/reset'),
        { at: 7.18, do: 'fault', arm: 'leader', fault: { servos: { 6: { volts: 0 } } } },
        ask(7.27, '/move/init?robot_id=0'),
        { at: 7.75, do: 'fault', arm: 'leader', fault: { servos: { 6: { volts: null } } } },
      ],
      10,
    ),
    rules: ['torque'],
    known: false,
  },
  {
    id: 'E2013',
    script: script(
      'a servo that is brought back after an overload on a line that damages answers stays limp',
      'so101',
      [
        { at: 12.86, do: 'fault', arm: 'follower', fault: { stall: 0.21 } },
        ask(13.748, `/move/hello?robot_id=${FOLLOWER}`),
        { at: 14.989, do: 'fault', arm: 'follower', fault: { corruptRate: 0.6 } },
        {
          at: 15.55,
          do: 'hand',
          arm: 'follower',
          joints: { gripper: 0.827, elbow_flex: 0.37, shoulder_lift: 1.084 },
          over: 1.44,
        },
        ask(17.637, '/stop'),
        ask(18.066, '/stop/reset'),
      ],
      20,
    ),
    rules: ['drop'],
    known: false,
  },
  {
    id: 'E110183',
    script: script(
      'a servo that loses its supply while it is brought back after an overload is led from a goal that it no longer holds',
      'so100',
      [
        ask(0.4, `/move/init?robot_id=${FOLLOWER}`),
        { at: 3, do: 'fault', arm: 'follower', fault: { servos: { 1: { overload: true } } } },
        ask(3.5, '/stop'),
        ask(4, '/stop/reset'),
        { at: 4.004, do: 'fault', arm: 'follower', fault: { corruptRate: 1 } },
        { at: 4.3, do: 'fault', arm: 'follower', fault: { volts: 0 } },
        { at: 4.4, do: 'fault', arm: 'follower', fault: { volts: null, corruptRate: 0 } },
      ],
      8,
    ),
    rules: ['torque'],
    known: false,
  },
  {
    id: 'E2018',
    script: {
      ...script('servos that answer late, on an adapter with a timer of 16 ms, are never heard', 'koch', [], 1),
      layout: { ...pairOf('koch', 'light', 'leader'), line: { baudRate: 1_000_000, interval: 125e-6, delay: 0.016 } },
    },
    rules: ['liveness'],
    known: false,
  },
  {
    id: 'E2024',
    script: script(
      'one damaged answer of Dynamixel servos that answer late, as from the factory, makes their bus fall behind for good',
      'koch',
      [{ at: 1, do: 'fault', arm: 'leader', fault: { corruptRate: 0.02 } }],
      8,
    ),
    rules: ['liveness'],
    known: false,
  },
  {
    id: 'E2007',
    script: script(
      'a control thread that fails again and again ends the bridge, and the next one has the arms',
      'so101',
      [1, 2, 3, 4].map((at) => ({ at, do: 'crash' })),
      6,
    ),
    rules: ['liveness'],
    known: false,
  },
  {
    id: 'E50172',
    script: script(
      'a stuck adapter delivers goals of before to a servo that has lost its torque meanwhile',
      'so101',
      [
        ask(0.5, `/move/init?robot_id=${FOLLOWER}`),
        { at: 4.002, do: 'fault', arm: 'follower', fault: { stall: 0.8 } },
        servo(4.4, 3, { restart: true }),
      ],
      8,
    ),
    rules: ['torque'],
    known: false,
  },
  {
    id: 'E60117',
    script: script(
      'servos with a watchdog let go of their goals while one of them is waited for beside the loop',
      'koch',
      [
        ask(0.5, '/torque/toggle?robot_id=0', { torque_status: true }),
        { at: 2, do: 'fault', arm: 'leader', fault: { missRate: 0.1 } },
        ...Array.from({ length: 12 }, (_, i) => ask(3 + i, '/robot/config?robot_id=0')),
      ],
      16,
    ),
    rules: ['unasked'],
    known: false,
  },
  {
    id: 'E100036',
    script: script(
      'simulated servos whose watchdogs ran out on a stuck adapter take no goals, and all of them at once later',
      'koch',
      [
        ask(4.888, '/torque/toggle?robot_id=0', { torque_status: true }),
        { at: 8.809, do: 'fault', arm: 'leader', fault: { stall: 1.321 } },
        { at: 11.504, do: 'grip', arm: 'leader', opening: 0.89, velocity: null, torque: 0.471, takeOver: false },
        ask(13.215, '/gravity/start?robot_id=0'),
      ],
      15,
    ),
    rules: ['speed'],
    known: false,
  },
  {
    id: 'E100012',
    script: script(
      'a joint at full speed, which is far behind its goal, goes on for too long when it is stopped',
      'koch',
      [
        ask(0.287, '/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: FOLLOWER }] }),
        ask(1.081, '/stop'),
      ],
      4,
    ),
    rules: ['stop'],
    known: false,
  },
  {
    id: 'E7209',
    script: script(
      'a joint that a hand has let go of goes on to where it was to give way to, when a bad line lets its goals through again',
      'so100',
      [
        ask(0.5, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: true }),
        { at: 1, do: 'hand', arm: 'follower', joints: { shoulder_pan: 0.3 }, over: 0.5 },
        { at: 2.01, do: 'fault', arm: 'follower', fault: { requests: { lateRate: 0.2, lateness: 0.2 } } },
        { at: 2.5, do: 'hand', arm: 'follower', joints: null, over: 0 },
        { at: 4.3, do: 'fault', arm: 'follower', fault: { requests: { lateRate: 0, lateness: 0 } } },
      ],
      6,
    ),
    rules: ['unasked'],
    known: false,
  },
  {
    id: 'P1',
    script: {
      ...script(
        'an arm without a calibration, and one that follows such a leader, are driven as slowly as they are held to be',
        'so101',
        [
          ask(0.5, `/move/init?robot_id=${FOLLOWER}&uncalibrated=true`),
          ask(9, '/move/leader/start?uncalibrated=true', { robot_pairs: [{ leader_id: FOLLOWER, follower_id: 0 }] }),
          { at: 13, do: 'hand', arm: 'follower', joints: { shoulder_pan: 0.8 }, over: 0.6 },
          ask(18, '/move/leader/stop'),
          ask(20, '/move/sleep?robot_id=0'),
        ],
        27,
      ),
      layout: {
        ...pairOf('so101'),
        arms: [
          { name: 'leader', model: 'so101' },
          { name: 'follower', model: 'so101', calibrated: false },
        ],
      },
    },
    rules: ['pace'],
    known: false,
  },
  ...(['so101', 'koch'] as const).map((model) => ({
    id: `P2 ${model}`,
    script: script(
      'what is asked of an arm moves it no faster than it may: an approach, a move, the way down',
      model,
      [
        ask(0.5, '/move/init?robot_id=0'),
        ask(4, `/joints/write?robot_id=${FOLLOWER}`, { angles: [1.7], joints_ids: [0] }),
        ask(7, '/move/leader/start', {
          robot_pairs: [{ leader_id: 0, follower_id: FOLLOWER }],
          enable_gravity_compensation: true,
        }),
        { at: 10, do: 'hand', arm: 'leader', joints: { shoulder_pan: -0.9, wrist_flex: 0.2 }, over: 0.7 },
        { at: 12, do: 'hand', arm: 'leader', joints: null, over: 0 },
        ask(14, '/move/leader/stop?release=hold'),
        ask(16, `/move/sleep?robot_id=${FOLLOWER}`),
      ],
      22,
    ),
    rules: ['pace', 'unasked torque', 'drop'] as const,
    known: false,
  })),
  ...[0.02, 0.4, 0.8, 1.2].map((moving) => ({
    id: `P3 ${moving}`,
    script: script(
      'a stop of the versioned interface is answered when the joints rest, and nothing goes on afterwards',
      'so101',
      [
        ask(0.5, `/move/init?robot_id=${FOLLOWER}`),
        ask(0.5 + moving, '/api/v1/stop'),
        ask(3, '/api/v1/stop/reset'),
        ask(4, `/move/init?robot_id=${FOLLOWER}`),
      ],
      8,
    ),
    rules: ['answer', 'stop', 'after stop', 'unasked torque'] as const,
    known: false,
  })),
  ...(['so101', 'koch'] as const).map((model) => ({
    id: `P4 ${model}`,
    script: script(
      'a bridge that is asked to end lowers an arm that is raised, leaves a stopped one as it is, and ends in time',
      model,
      [
        ask(0.5, '/move/hello?robot_id=0'),
        ask(0.5, `/move/init?robot_id=${FOLLOWER}`),
        ask(9, `/stop?robot_id=${FOLLOWER}`),
        { at: 11, do: 'end' as const },
        { at: 24, do: 'start' as const },
      ],
      26,
    ),
    rules: ['end', 'drop', 'after stop', 'unasked torque'] as const,
    known: false,
  })),
  ...[0.05, 0.08, 0.17, 0.3].map((later) => ({
    id: `P5 ${later}`,
    script: script(
      'torque that was on its way comes no more once it is released, or its arm is disconnected',
      'so101',
      [
        ask(0.5, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: true }),
        ask(0.5 + later, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: false, force: true }),
        ask(3, '/move/init?robot_id=0'),
        ask(3 + later, '/robot/disconnect?robot_id=0'),
        ask(6, '/robot/add-connection', { robot_name: 'leader', connection_details: {} }),
      ],
      9,
    ),
    rules: ['unasked torque', 'unasked', 'drop'] as const,
    known: false,
  })),
  ...(
    [
      ['so101', 'stop', ask(7, '/stop')],
      ['so101', 'end', ask(7, '/move/leader/stop?release=hold')],
      ['so101', 'setting', ask(7, '/teleop/settings', { force_feedback: { arm: 0, gripper: 0 } })],
      ['so101', 'lost', { at: 7, do: 'fault', arm: 'follower', fault: { unplugged: true } }],
      ['so101', 'stale', { at: 7, do: 'fault', arm: 'follower', fault: { stall: 0.4 } }],
      ['koch', 'stop', ask(7, '/stop')],
      ['koch', 'lost', { at: 7, do: 'fault', arm: 'follower', fault: { unplugged: true } }],
    ] as const
  ).map(([model, how, ending]) => ({
    id: `P6 ${model} ${how}`,
    script: script(
      'what a leader feels of a follower that somebody holds is no more than it may be, and fades when nothing is to be felt',
      model,
      [
        ask(0.5, '/move/leader/start', {
          robot_pairs: [{ leader_id: 0, follower_id: FOLLOWER }],
          enable_gravity_compensation: true,
          force_feedback: { arm: 1, gripper: 1 },
        }),
        leads(2.5, { shoulder_pan: 0, wrist_flex: 0.8, gripper: 0.4 }, 0.5),
        { at: 4.5, do: 'hand', arm: 'follower', joints: { shoulder_pan: 0, wrist_flex: 0.8, gripper: 0.4 }, over: 0.3 },
        leads(5.5, { shoulder_pan: 0.5, wrist_flex: 0.4, gripper: 0.9 }, 1),
        ending,
        { at: 10, do: 'hand', arm: 'leader', joints: null, over: 0 },
        { at: 10, do: 'hand', arm: 'follower', joints: null, over: 0 },
        { at: 10, do: 'fault', arm: 'follower', fault: { unplugged: false } },
      ],
      12,
    ),
    rules: ['feedback', 'float step', 'after stop'] as const,
    known: false,
  })),
  {
    id: 'E19',
    script: script(
      'a bridge ends without a word about an arm that holds and no longer answers',
      'so101',
      [
        ask(0.5, `/move/init?robot_id=${FOLLOWER}`),
        { at: 4, do: 'fault', arm: 'follower', fault: { unplugged: true } },
        { at: 6, do: 'end' },
        { at: 17, do: 'fault', arm: 'follower', fault: { unplugged: false } },
        { at: 18, do: 'start' },
      ],
      20,
    ),
    rules: ['end'],
    known: false,
  },
  {
    id: 'E200024',
    script: script(
      'a servo that is brought back after an overload while a hand moves its joint pulls to where the joint was',
      'so101',
      BROUGHT_BACK,
      9,
    ),
    rules: ['torque'],
    known: false,
  },
  {
    id: 'E300041',
    script: script(
      'a servo that loses its supply while it is brought back after an overload pulls to where its goal was led last',
      'so101',
      [
        ...BROUGHT_BACK,
        { at: 6.35, do: 'fault', arm: 'leader', fault: { volts: 0 } },
        { at: 6.55, do: 'fault', arm: 'leader', fault: { volts: null } },
      ],
      9,
    ),
    rules: ['torque'],
    known: false,
  },
  {
    id: 'E130022',
    script: script(
      'a gripper with little torque goes on to the end of its motion while nobody would hear a stop',
      'so100',
      [
        ask(0.5, '/torque/toggle?robot_id=0', { torque_status: true }),
        { at: 1.5, do: 'grip', arm: 'leader', opening: 0.138, velocity: null, torque: null, takeOver: true },
        { at: 4, do: 'grip', arm: 'leader', opening: 0.972, velocity: null, torque: 0.213, takeOver: true },
        { at: 5.6, do: 'pause', thread: 'main', for: 1.8 },
      ],
      9,
    ),
    rules: ['unattended'],
    known: false,
  },
  {
    id: 'E600032',
    script: script(
      'a servo that has miscounted its turns while it holds is sent goals of its old turn',
      'koch',
      [
        ask(0.5, '/torque/toggle?robot_id=0', { torque_status: true }),
        { at: 3.0024, do: 'fault', arm: 'leader', fault: { servos: { 5: { turns: -1 } } } },
      ],
      5,
    ),
    rules: ['speed'],
    known: false,
  },
  {
    id: 'E600071',
    script: {
      ...script(
        'goals that a bad bus has held up go on at full speed, though their joint has slowed down meanwhile',
        'koch',
        [
          ask(4.325, '/joints/write?robot_id=0', { angles: [-0.278], joints_ids: [5] }),
          ask(4.344, '/joints/write?robot_id=0', { angles: [-1.422], joints_ids: [3] }),
          { at: 4.762, do: 'fault', arm: 'leader', fault: { corruptRate: 0.6 } },
        ],
        7,
      ),
      seed: 600071,
    },
    rules: ['gain'],
    known: false,
  },
  {
    id: 'E900131',
    script: script(
      'a servo with the id of another one goes where the other one is sent while the arm is lowered around it',
      'so101',
      [
        ask(0.5, `/torque/toggle?robot_id=${FOLLOWER}`, { torque_status: true }),
        ask(1.5, `/move/init?robot_id=${FOLLOWER}`),
        servo(5, 5, { registers: { id: 3 } }),
      ],
      14,
    ),
    rules: ['unasked'],
    known: false,
  },
  {
    id: 'E1100299',
    script: {
      ...script(
        'the servos of a raised arm hear nothing for long while it is checked, and drop what their goals carried',
        'koch',
        [
          ask(7.388, '/move/leader/start', {
            robot_pairs: [{ leader_id: FOLLOWER, follower_id: 0 }],
            invert_controls: true,
          }),
          { at: 7.649, do: 'fault', arm: 'leader', fault: { requests: { loseRate: 0.6 } } },
          { at: 12.412, do: 'ask', method: 'DELETE', url: '/api/v1/arms/follower/motion?take_over=true', who: 'ben' },
          ask(13.051, '/move/leader/start', {
            robot_pairs: [{ leader_id: FOLLOWER, follower_id: 0 }],
            enable_gravity_compensation: true,
            force_feedback: { arm: 1, gripper: 1 },
          }),
        ],
        25,
      ),
      seed: 1100299,
    },
    rules: ['following'],
    known: false,
  },
];
