import type { ArmModel } from '../src/arm/model.ts';
import type { SimulatedArm } from '../src/sim/simulated-arm.ts';
import { FeltForce } from './feel.ts';
import { type Family, REGISTERS, ReplyDecoder, RequestDecoder, type Write } from './frames.ts';
import { CRAWL, GoalPace, type Most, mostOf, type Pace } from './pace.ts';

/** What must never happen. */
export const RULES = {
  step: 'a goal is sent further from the one before it than the limits let a joint go in a cycle',
  'float step': 'the same of an arm that floats, or that begins to',
  blind: 'a goal is sent to a servo that has not been heard since its bus was opened',
  torque: 'torque goes on for a servo whose goal is not where it is',
  drop: 'torque is cut on a raised arm without force',
  stop: 'an arm does not rest in time after a stop',
  'after stop': 'an arm moves after a stop, before anybody asks anew',
  unasked: 'an arm moves that nobody asked to',
  'unasked torque': 'torque goes on that nobody has asked for since a stop, a release, a parking or a disconnection',
  unattended: 'an arm moves while the main thread stands still and would hear no stop, or goes on afterwards by itself',
  feedback:
    'an arm that floats pushes with more than half of what its joint may, or with what is not to be felt any more',
  following: 'a follower goes away from a leader that stands still',
  speed: 'a joint is driven faster than its limits',
  pace: 'a joint is sent goals faster than what was asked of its arm may move it',
  gain: 'a joint is sent goals that gain speed faster than what was asked of its arm allows',
  range: 'a joint is driven beyond its limits',
  answer: 'an answer says ok, and it is not so',
  end: 'a bridge that is asked to end takes too long, or leaves an arm otherwise than it says',
  patience: 'somebody waits too long for an answer',
  liveness: 'faults have ended, and an arm does not come back',
  error: 'the bridge fails at what is no error of it',
} as const;
export type Rule = keyof typeof RULES;

export interface Violation {
  readonly rule: Rule;
  /** s */
  readonly at: number;
  readonly arm: string;
  readonly text: string;
}

/** Largest figures of a family of servos, for the certificate. */
export interface Figures {
  /** Largest change of a goal between two writes to a servo with torque, rad. */
  step: number;
  /** Largest speed at which a joint was driven, rad/s. */
  speed: number;
  /** Largest change of that speed over `SPEED_TIME`, rad/s^2. */
  acceleration: number;
  /** Longest time from a stop to rest, s, and largest way, rad. */
  rest: number;
  way: number;
  /** Largest distance of a goal at switching torque on, rad. */
  torque: number;
  /** Goals that were sent, times that torque went on, and stops. */
  goals: number;
  torqueEvents: number;
  stops: number;
}

/** rad */
const TURN = 2 * Math.PI;
/** A change of a goal in one write, rad: the largest speed over a late cycle, and what a change of the droop adds. */
const LARGEST_STEP = 0.05;
/** A hand leads a joint no faster than this, rad/s. */
const LED_SPEED = 2;
/** Motion that nobody asked for, rad. */
const UNASKED = 0.05;
/** The same of an arm that holds with some of its servos, whose weight lies on the others. */
const UNASKED_PARTLY = 0.25;
/** A servo that takes goals again comes to its goal within this time, s, and swings past it by no more than this part of the way. */
const COMES = 1;
const SWINGS_BY = 1.2;
/** A servo that goes to limits which another program has just given it takes at most so long, s. */
const GOES_TO_LIMITS = 1;
/** A gripper whose torque was limited when its bridge was killed, or unplugged, comes at most so late to the goal that it was sent, s. */
const ARRIVES_LATE = 8;
/** It has come when it is nearer to it than this, rad. */
const ARRIVED = 0.002;
/** An arm with a servo that has held back is lowered within this time, s. */
const WEAK = 30;
/** A motor that needs this part of its largest torque to hold its joint cannot be relied on to; for so long afterwards, s. */
const OVERBURDENED = 0.9;
const SINKING = 1;
/**
 * One that needs this part of it, as that of a stretched-out Koch leader, brakes a swing so slowly that its joint may go so far at
 * rest, rad.
 */
const BURDENED = 0.7;
const BURDENED_SWING = 0.1;
/** A follower that goes further away than this from a leader that stands still strays, rad. */
const STRAYS = 0.2;
/** A motor that pulls with this part of its largest torque, beyond its joint's weight, is pushed away by a contact. */
const PUSHED = 0.5;
/** A leader moves when it has moved so far, rad; its follower has caught up so long afterwards, s. */
const LEADS = 0.01;
const CATCHING_UP = 7;
/** A follower has met its leader where it is asked to be so near to where that one is, rad. */
const MET = 0.08;
/** After a silence an arm is taken up again within this time, s. */
const HANGING = 3;
/** Distance of the goal at torque on beyond the droop, rad. */
const TORQUE_DISTANCE = 0.05;
/** Time from a stop to rest, s; the speed that counts as rest, rad/s; and the way until then, rad. */
const REST_TIME = 0.3;
const REST_SPEED = 0.1;
const REST_WAY = 0.35;
/** An arm at rest may still swing by this much, rad. */
const REST_SWING = 0.03;
/** A driven joint may be faster than its limit by this part and this much, rad/s: the arm is elastic. */
const SPEED_PART = 1.4;
const SPEED_MORE = 0.3;
/** Speeds are judged over this time, s. */
const SPEED_TIME = 0.02;
const RANGE_MORE = 0.08;
/** A servo that is without torque for less than this, s, goes on holding: nobody can know of it yet. */
const UNNOTICED = 0.05;
/** Torque that is on its way when what it was asked for ends still goes on for so long, s. */
const ON_ITS_WAY = 0.1;
/** An arm whose stop has been answered stays where it is then: it is looked at for so long, s. */
const AFTER_ANSWER = 0.3;
/** Torque is confirmed, or undone, within this time, s. */
const ARMING = 0.9;
/** A servo that is brought back after an overload gives way for less than this, s. */
const GIVES_WAY = 0.1;
/** An arm is raised while a joint that carries weight is further from its rest pose, rad. */
const RAISED = 0.35;
const CARRYING = 0.15;
/** A servo that has not been heard, or has not taken its goal, for longer than this is not what the bridge takes it to be, s. */
const UNHEARD = 0.05;
/** A follower that has not been heard for longer than this is felt less and less, s. */
const STALE = 0.05;
/** Violations of one rule on one arm that are told; more say nothing new. */
const TOLD = 3;

interface ServoSeen {
  readonly joint: number;
  /** rad per step, with its sign. */
  readonly scale: number;
  heard: boolean;
  /** When it was heard last, and had what it was sent last, s. */
  heardAt: number;
  obeyedAt: number;
  /** The goal that was sent last, step. */
  goal: number | null;
  readonly pace: GoalPace;
  /** When its torque was cut while the arm was raised, s; null when it has not been, or is on again. */
  cut: number | null;
}

interface Stop {
  /** From when the arm must rest, s. */
  readonly due: number;
  readonly from: number;
  readonly positions: Float64Array;
  /** Where the joints were when they had to rest, rad; null before. */
  atDue: Float64Array | null;
  rested: boolean;
}

/** How much a leader feels of what pushes the arm and the gripper of its follower, 0..1. */
export interface Feels {
  readonly arm: number;
  readonly gripper: number;
}

const NOTHING: Feels = { arm: 0, gripper: 0 };

/** One arm, as its servos and its physics show it. */
class WatchedArm {
  readonly name: string;
  readonly model: ArmModel;
  readonly sim: SimulatedArm;
  readonly family: Family;
  readonly servos = new Map<number, ServoSeen>();
  readonly requests: RequestDecoder;
  readonly replies: ReplyDecoder;
  readonly driven: Uint8Array;
  /** When each joint got its torque, s. */
  readonly drivenSince: Float64Array;
  /** When each joint was seen with torque last, s, and how far it was pulled to its goal then, rad. */
  readonly drivenLast: Float64Array;
  readonly lastDistance: Float64Array;
  /** Who feels it, and how much of its arm and its gripper, 0..1. */
  feltBy: WatchedArm | null = null;
  feels: Feels = NOTHING;
  readonly felt: FeltForce;
  /** Until then its gripper may be on its way to the goal that it was sent, s. */
  arrivesUntil = 0;
  /** Until then each joint is heavier than its motor can carry, s. */
  readonly sinksUntil: Float64Array;
  /** Until then each joint leaves its motor little to end a swing with, s. */
  readonly swingsUntil: Float64Array;
  /** 1 for each joint whose servo was given limits of its own since the arm follows: they may keep it from its leader's. */
  readonly narrowed: Uint8Array;
  /**
   * 1 for each joint whose servo another program has made slower or narrower while the bridge drives it: it goes to its limit,
   * or holds a hand back, by itself. The bridge reads these registers on connecting, and leaves them while the servo holds.
   */
  readonly altered: Uint8Array;
  /** One of its servos is dead: it is lowered by the others, for which it has so long after a stop, s; 0: none is. */
  lowering = 0;
  /** Until then a joint whose servo has taken no goals comes to the one that it was sent last, s. */
  readonly comesUntil: Float64Array;
  /** From when a joint whose servo has got another id must rest, s; infinite for the others. It cannot be driven by itself. */
  readonly renamed: Float64Array;
  /** Where it was then, rad. */
  readonly renamedAt: Float64Array;
  /** Where each joint was when it was last allowed to move, rad. */
  readonly anchors: Float64Array;
  readonly history: Float64Array[] = [];
  /** Speeds since, NaN while the joint's motion was not the bridge's, rad/s. */
  readonly speeds: Float64Array[] = [];
  /** Reasons why the arm may move, and until when, s. */
  readonly licences = new Map<string, number>();
  /** At what pace the arm may move for each; left out: as its joints may follow. */
  readonly paces = new Map<string, Pace>();
  /** Somebody may not know where its joints are at zero. */
  readonly crawls: boolean;
  /** 1 for each joint that has met its leader's since it follows. */
  readonly met: Uint8Array;
  /** When each was given by who asked, s. */
  readonly given = new Map<string, number>();
  /** Until when torque may be cut, s. */
  releaseUntil = 0;
  /** Whom it follows, and where that one was when it moved last, rad. */
  leader: WatchedArm | null = null;
  /** How often it has been bound to a leader, or freed for good. */
  ties = 0;
  /** Whom it has followed before something else was to drive it, and what is to, unless it has been refused. */
  left: WatchedArm | null = null;
  readonly drives = new Set<symbol>();
  led = new Float64Array();
  /** How near each joint has come to its leader's since that one moved last, rad; null where it is not the same joint. */
  nearest: Float64Array | null = null;
  /** Who has asked for torque, when, and until when it may go on for that, s. */
  readonly torqueAsks = new Map<string, { readonly asked: number; until: number }>();
  /** Where its joints were when a stop was answered, and until when they are to stay there, s. */
  told: { readonly until: number; readonly positions: Float64Array } | null = null;
  stopped = false;
  /** What was asked of it has ended with the main thread, and nothing has been asked since. */
  abandoned = false;
  /** When a stop was answered last, s. */
  stopAnswered = Number.POSITIVE_INFINITY;
  misread = false;
  /** Servos hear so late what they are sent, s. */
  lateness = 0;
  stop: Stop | null = null;
  readonly rest: Float64Array;
  /** What it takes to carry each joint, as it was looked at last, Nm. */
  weights: Float64Array;

  constructor(
    name: string,
    model: ArmModel,
    sim: SimulatedArm,
    crawls: boolean,
    onWrite: (arm: WatchedArm, write: Write) => void,
    now: () => number,
  ) {
    this.name = name;
    this.model = model;
    this.sim = sim;
    this.crawls = crawls;
    this.family = familyOf(model);
    model.joints.forEach((joint, j) => {
      for (const { id, sign, shadow } of joint.servos) {
        if (!shadow)
          this.servos.set(id, {
            joint: j,
            scale: (sign * 2 * Math.PI) / 4096,
            heard: false,
            heardAt: Number.NEGATIVE_INFINITY,
            obeyedAt: Number.NEGATIVE_INFINITY,
            goal: null,
            pace: new GoalPace(),
            cut: null,
          });
      }
    });
    this.requests = new RequestDecoder(this.family, (write) => onWrite(this, write));
    this.replies = new ReplyDecoder(this.family, (id) => {
      const servo = this.servos.get(id);
      if (servo) {
        servo.heard = true;
        servo.heardAt = now();
      }
    });
    this.felt = new FeltForce(model);
    this.driven = new Uint8Array(model.joints.length);
    this.met = new Uint8Array(model.joints.length);
    this.drivenSince = new Float64Array(model.joints.length);
    this.drivenLast = new Float64Array(model.joints.length).fill(Number.NEGATIVE_INFINITY);
    this.lastDistance = new Float64Array(model.joints.length);
    this.sinksUntil = new Float64Array(model.joints.length);
    this.swingsUntil = new Float64Array(model.joints.length);
    this.narrowed = new Uint8Array(model.joints.length);
    this.altered = new Uint8Array(model.joints.length);
    this.comesUntil = new Float64Array(model.joints.length);
    this.renamed = new Float64Array(model.joints.length).fill(Number.POSITIVE_INFINITY);
    this.renamedAt = Float64Array.from(sim.physics.positions);
    this.anchors = Float64Array.from(sim.physics.positions);
    this.rest = model.poses.get('rest')!;
    this.weights = sim.physics.holdingTorques();
  }

  /** It follows nobody any more. */
  free(): void {
    this.leader = null;
    this.left = null;
    this.feltBy = null;
    this.drives.clear();
    this.ties++;
  }

  /** How far a joint at rest may swing, rad. @param usual of one whose motor is not burdened */
  swing(j: number, usual: number, now: number): number {
    // The others do not move meanwhile: its goals differ by no more than its droop, which it may have hung by.
    const droop = Math.abs(this.weights[j]!) / this.model.joints[j]!.stiffness;
    const comes = now < this.comesUntil[j]! ? usual + SWINGS_BY * droop : usual;
    return now < this.swingsUntil[j]! ? Math.max(comes, BURDENED_SWING) : comes;
  }

  licensed(now: number): boolean {
    for (const until of this.licences.values()) if (until >= now) return true;
    return false;
  }

  excused(now: number): boolean {
    for (const reason of NATURE) if ((this.licences.get(reason) ?? 0) >= now) return true;
    return false;
  }

  /** How a joint may be driven now by what was asked. @param setpoint where it is asked to be, rad */
  most(j: number, setpoint: number, now: number): Most {
    const joint = this.model.joints[j]!;
    const { leader } = this;
    const led = leader?.sim.physics.positions[j] ?? setpoint;
    if (j === this.model.gripper?.index || Math.abs(setpoint - led) < MET) this.met[j] = 1;
    let speed = 0;
    let gain = 0;
    for (const [reason, until] of this.licences) {
      if (until < now) continue;
      const approaches = reason === 'mirroring' && this.met[j] === 0;
      const most = mostOf(approaches ? 'approach' : (this.paces.get(reason) ?? 'follow'), joint);
      speed = Math.max(speed, most.speed);
      gain = Math.max(gain, most.gain);
    }
    return { speed: this.crawls || leader?.crawls ? Math.min(speed, CRAWL) : speed, gain };
  }

  /** Whether somebody has asked for torque that may go on now. */
  mayTakeTorque(now: number): boolean {
    for (const { until } of this.torqueAsks.values()) if (until >= now) return true;
    return ['weak', 'protection', 'hanging'].some((reason) => (this.licences.get(reason) ?? 0) >= now);
  }

  /** Nobody who has asked for torque before `asked` is to get it after `over`, s. */
  endTorqueAsks(asked: number, over: number): void {
    const until = over + ON_ITS_WAY + this.lateness;
    for (const ask of this.torqueAsks.values()) if (ask.asked < asked) ask.until = Math.min(ask.until, until);
  }

  /** Whether it may float: with its weight carried, or as a leader that is let go. */
  floats(now: number): boolean {
    for (const [reason, until] of this.licences) if (FLOATING.test(reason) && until >= now) return true;
    return false;
  }

  /** Whether nothing was asked of it but to float. @param holds or it has been stopped meanwhile */
  onlyFloats(now: number, holds: boolean): boolean {
    for (const [reason, until] of this.licences) {
      if (until < now || reason === 'hand') continue;
      if (holds && reason === 'stopping') continue;
      if (!FLOATING.test(reason) || this.paces.get(reason) === 'align') return false;
    }
    return holds || this.floats(now);
  }

  /** When one of its servos was heard last, s. */
  get heardLast(): number {
    return Math.max(...[...this.servos.values()].map(({ heardAt }) => heardAt));
  }

  /** Whether all its servos are heard, and have taken what they were sent. */
  sound(now: number): boolean {
    let sound = true;
    for (const servo of this.servos.values()) {
      if (servo.goal === null || this.sim.servos[servo.joint]![0]!.goal === servo.goal) servo.obeyedAt = now;
      if (now - servo.heardAt > UNHEARD || now - servo.obeyedAt > UNHEARD) sound = false;
    }
    return sound;
  }

  /** Whether it would fall without torque. */
  get raised(): boolean {
    const { positions } = this.sim.physics;
    const weights = this.sim.physics.holdingTorques();
    const { gripper } = this.model;
    return this.model.joints.some(
      (_, j) =>
        j !== gripper?.index &&
        Math.abs(weights[j]!) > CARRYING * Math.max(...weights.map(Math.abs), 0.05) &&
        Math.abs(weights[j]!) > 0.02 &&
        Math.abs(positions[j]! - this.rest[j]!) > RAISED,
    );
  }
}

/**
 * Judges a run by what the servos are sent and by what the physics says; what the bridge says of itself is only held
 * against that. What people asked for it is told by who asks.
 */
export class Judge {
  readonly violations: Violation[] = [];
  readonly figures: Record<Family, Figures> = { feetech: noFigures(), dynamixel: noFigures() };
  /** Whether the bridge says now that an arm floats: what it says is held against what the arm's motors do. */
  saysFloating: (arm: string) => boolean = () => false;
  readonly #arms = new Map<string, WatchedArm>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param crawls nobody has said where its joints are at zero */
  add(name: string, model: ArmModel, sim: SimulatedArm, crawls: boolean): void {
    this.#arms.set(
      name,
      new WatchedArm(name, model, sim, crawls, (arm, write) => this.#written(arm, write), this.#now),
    );
  }

  get names(): string[] {
    return [...this.#arms.keys()];
  }

  /** A bus has been opened: nothing is known of its servos. */
  opened(arm: string): void {
    const { servos, requests, replies } = this.#arms.get(arm)!;
    for (const servo of servos.values()) {
      servo.heard = false;
      servo.pace.reset();
    }
    // What was cut off when the bus was closed goes on no more.
    requests.reset();
    replies.reset();
  }

  /** The host writes to the bus. */
  sent(arm: string, bytes: Uint8Array): void {
    this.#arms.get(arm)!.requests.feed(bytes);
  }

  /** The host reads from the bus. */
  received(arm: string, bytes: Uint8Array): void {
    this.#arms.get(arm)!.replies.feed(bytes);
  }

  /** The arm may move for a reason until an instant, s. A stop ends all that were asked for. */
  allow(arm: string, reason: string, until: number, pace?: Pace): void {
    const watched = this.#arms.get(arm)!;
    watched.licences.set(reason, until);
    if (pace !== undefined) watched.paces.set(reason, pace);
    watched.given.set(reason, this.#now());
    if (!NATURE.has(reason)) watched.abandoned = false;
  }

  /** Somebody asks for torque of an arm. */
  allowTorque(arm: string, who: string): void {
    this.#arms.get(arm)!.torqueAsks.set(who, { asked: this.#now(), until: Number.POSITIVE_INFINITY });
  }

  /** Who has asked for torque of an arm has been answered, or has hung up and is heard for so long, s. */
  endTorqueAsk(name: string, who: string, heard = 0): void {
    const arm = this.#arms.get(name)!;
    const ask = arm.torqueAsks.get(who);
    if (ask) ask.until = Math.min(ask.until, this.#now() + heard + ON_ITS_WAY + arm.lateness);
  }

  /** Who has asked for torque of an arm before an instant gets none after another one, s. */
  endTorqueAsks(arm: string, asked: number, over = this.#now()): void {
    this.#arms.get(arm)!.endTorqueAsks(asked, over);
  }

  allowedUntil(arm: string, reason: string): number {
    return this.#arms.get(arm)!.licences.get(reason) ?? 0;
  }

  /** Whether something is done to the arm, or its servos cannot do what they should: its speeds are not the bridge's. */
  isExcused(arm: string): boolean {
    return this.#arms.get(arm)!.excused(this.#now());
  }

  /** Whether more is done to the arm than by the bridge, or its servos do or tell what they should not. */
  isDisturbed(name: string): boolean {
    const { misread, lateness } = this.#arms.get(name)!;
    return misread || lateness > 0 || this.isExcused(name);
  }

  /** A servo of an arm has been made slower by another program or, where it is `narrow`, given limits of its own. */
  alter(arm: string, id: number, narrow: boolean): void {
    const watched = this.#arms.get(arm)!;
    const servo = watched.servos.get(id);
    if (servo === undefined) return;
    watched.altered[servo.joint] = 1;
    if (!narrow) return;
    watched.narrowed[servo.joint] = 1;
    // One that holds beyond its new limits goes to them by itself, and swings past them.
    if (watched.sim.servos[servo.joint]!.some((one) => one.torqueOn && Math.abs(one.goalDistance) > UNASKED / 2))
      this.allow(arm, 'weak', this.#now() + GOES_TO_LIMITS);
  }

  /** A servo of an arm takes goals again, after a time in which it took none. */
  takesAgain(arm: string, servo: number): void {
    const { comesUntil, servos } = this.#arms.get(arm)!;
    const seen = servos.get(servo);
    if (seen !== undefined) comesUntil[seen.joint] = this.#now() + COMES;
  }

  /** Servos of an arm are dead, which takes so long to be lowered, s; or all live, 0. */
  dead(arm: string, lowering: number): void {
    this.#arms.get(arm)!.lowering = lowering;
  }

  /** A servo of an arm has got an id: its own one, or another. */
  rename(arm: string, servo: number, id: number): void {
    const watched = this.#arms.get(arm)!;
    const seen = watched.servos.get(servo);
    // The second servo of a joint moves nothing by itself.
    if (seen !== undefined)
      watched.renamed[seen.joint] = id === servo ? Number.POSITIVE_INFINITY : this.#now() + REST_TIME;
  }

  /** The control thread stands still for so long, s: torque that it is switching on is undone so much later. */
  sleeps(duration: number): void {
    for (const { drivenSince } of this.#arms.values()) {
      for (let j = 0; j < drivenSince.length; j++)
        if (this.#now() - drivenSince[j]! <= ARMING) drivenSince[j]! += duration;
    }
  }

  /**
   * The bus of an arm is silent until then, s. Dynamixel servos then stop where they are, by a watchdog that the bridge has
   * set, and hang by their droop.
   */
  silent(name: string, until: number): void {
    const arm = this.#arms.get(name)!;
    if (arm.family === 'dynamixel')
      arm.licences.set('hanging', Math.max(arm.licences.get('hanging') ?? 0, until + HANGING));
  }

  /** The bus of an arm is no longer silent. */
  speaks(name: string): void {
    const arm = this.#arms.get(name)!;
    const until = this.#now() + HANGING;
    if ((arm.licences.get('hanging') ?? 0) > until) arm.licences.set('hanging', until);
  }

  /**
   * The arm follows another one from now on: it may move while that one does, and for as long as it takes to catch up.
   * @param asked when that was asked for, s: what was asked of it before is over
   */
  follows(name: string, leader: string, inverted: boolean, asked: number): void {
    const arm = this.#arms.get(name)!;
    arm.free();
    const over = this.#now() + REST_TIME;
    for (const [reason, until] of arm.licences) {
      if (!NATURE.has(reason) && (arm.given.get(reason) ?? 0) < asked) arm.licences.set(reason, Math.min(until, over));
    }
    arm.leader = this.#arms.get(leader)!;
    arm.led = Float64Array.from(arm.leader.sim.physics.positions);
    arm.nearest = inverted ? null : new Float64Array(arm.led.length).fill(Number.POSITIVE_INFINITY);
    arm.narrowed.fill(0);
    arm.met.fill(inverted ? 1 : 0);
    arm.licences.set('mirroring', this.#now() + CATCHING_UP);
  }

  /** From now on, or perhaps, a leader feels so much of an arm that follows it. @returns what it was before */
  feels(name: string, leader: string, feels: Feels): () => void {
    const arm = this.#arms.get(name)!;
    const { feltBy, feels: before } = arm;
    const by = this.#arms.get(leader)!;
    arm.feltBy = by;
    arm.feels = feels;
    return () => {
      if (arm.feltBy !== by || arm.feels !== feels) return;
      arm.feltBy = feltBy;
      arm.feels = before;
    };
  }

  /** All leaders feel so much of the arms that follow them. @param atLeast what they felt goes on too */
  allFeel(feels: Feels, atLeast: boolean): void {
    for (const arm of this.#arms.values()) {
      const by = arm.feltBy ?? arm.leader;
      if (by === null) continue;
      const before = arm.feltBy === null ? NOTHING : arm.feels;
      arm.feltBy = by;
      arm.feels = atLeast
        ? { arm: Math.max(before.arm, feels.arm), gripper: Math.max(before.gripper, feels.gripper) }
        : feels;
    }
  }

  /** Something else has driven an arm, which leads nobody any more. */
  leadsNobody(name: string): void {
    for (const arm of this.#arms.values()) if (arm.feltBy?.name === name) arm.feltBy = null;
  }

  /** Something else is to drive the arm, which follows no longer. @returns makes it follow again, where that is refused */
  driven(name: string): () => void {
    const arm = this.#arms.get(name)!;
    const { ties, drives } = arm;
    const drive = Symbol(name);
    const leader = arm.leader ?? arm.left;
    drives.add(drive);
    arm.left = leader;
    arm.leader = null;
    return () => {
      drives.delete(drive);
      if (arm.ties !== ties || leader === null || drives.size > 0) return;
      arm.leader = leader;
      arm.nearest?.fill(Number.POSITIVE_INFINITY);
      arm.licences.set('mirroring', this.#now() + CATCHING_UP);
    };
  }

  /** Something has come between arms that follow and those that lead: they may catch up with it until then, s. */
  disturbed(until: number): void {
    for (const arm of this.#arms.values()) {
      const before = arm.licences.get('mirroring') ?? 0;
      if (arm.leader !== null) arm.licences.set('mirroring', Math.max(before, until + CATCHING_UP));
    }
  }

  /** Its servos tell positions that are not so, of which the bridge cannot know. */
  misread(arm: string, misread: boolean): void {
    this.#arms.get(arm)!.misread = misread;
  }

  /** From now on what servos of the arm are sent reaches them so late, s: a joint that a hand leads has gone on by then. */
  late(arm: string, lateness: number): void {
    this.#arms.get(arm)!.lateness = lateness;
  }

  isMisread(arm: string): boolean {
    return this.#arms.get(arm)!.misread;
  }

  /** Torque of the arm may be cut until then, or longer where that has been said. */
  allowRelease(arm: string, until: number): void {
    const watched = this.#arms.get(arm)!;
    watched.releaseUntil = Math.max(watched.releaseUntil, until);
  }

  releasedUntil(arm: string): number {
    return this.#arms.get(arm)!.releaseUntil;
  }

  /** Torque of the arm may be cut until then, and no longer. */
  setRelease(arm: string, until: number): void {
    this.#arms.get(arm)!.releaseUntil = until;
  }

  /** Reasons for motion that match end then, where they have not ended before, s. */
  end(arm: string, reasons: RegExp, until: number): void {
    const { licences } = this.#arms.get(arm)!;
    if (reasons.test('mirroring')) this.#arms.get(arm)!.free();
    for (const [reason, before] of licences) if (reasons.test(reason) && before > until) licences.set(reason, until);
  }

  /**
   * A stop of the arm has been asked for: whatever was asked before is over.
   * @param delay until the bridge can hear it, s
   */
  stopped(name: string, delay: number): void {
    const arm = this.#arms.get(name)!;
    const from = this.#now() + delay;
    for (const reason of arm.licences.keys()) if (!NATURE.has(reason)) arm.licences.delete(reason);
    arm.free();
    arm.licences.set('stopping', from + REST_TIME);
    arm.stopped = true;
    arm.stopAnswered = Number.POSITIVE_INFINITY;
    arm.endTorqueAsks(Number.POSITIVE_INFINITY, from);
    arm.releaseUntil = 0;
    if (arm.driven.some((driven) => driven === 1)) {
      const positions = arm.sim.physics.positions.slice();
      arm.stop = { from, due: from + REST_TIME, positions, atDue: null, rested: false };
      this.figures[arm.family].stops++;
    }
  }

  /** Whatever was asked of the arm before is over, as when the bridge has been killed. */
  forget(name: string): void {
    const arm = this.#arms.get(name)!;
    for (const reason of arm.licences.keys()) if (!NATURE.has(reason)) arm.licences.delete(reason);
    arm.free();
    arm.endTorqueAsks(Number.POSITIVE_INFINITY, this.#now());
    arm.arrivesUntil = this.#now() + ARRIVES_LATE;
    arm.licences.set('stopping', this.#now() + REST_TIME);
  }

  /**
   * The main thread has stood still for so long that every arm is to have braked: whatever was asked before is over, but for what
   * its servos ask for: an arm that they cannot carry is lowered all the same.
   * @param since when it was heard last, s
   * @param heard when the servos of the arm hear of it, s
   */
  abandoned(name: string, since: number, heard: number): void {
    const arm = this.#arms.get(name)!;
    for (const reason of arm.licences.keys()) {
      const asked = !NATURE.has(reason) && reason !== 'protection';
      if (asked && (arm.given.get(reason) ?? 0) < since) arm.licences.delete(reason);
    }
    arm.free();
    arm.endTorqueAsks(since, heard);
    arm.licences.set('stopping', heard + REST_TIME);
    arm.abandoned = true;
  }

  /** The stop has been answered: the joints rest, and from now on no torque goes on. */
  stopAnswered(name: string): void {
    const arm = this.#arms.get(name)!;
    arm.stopAnswered = this.#now();
    if (arm.stopped) arm.told = { until: this.#now() + AFTER_ANSWER, positions: arm.sim.physics.positions.slice() };
  }

  /** A person releases the arm, and may ask for motion anew. */
  reset(name: string): void {
    const arm = this.#arms.get(name)!;
    arm.stopped = false;
    arm.stop = null;
    arm.told = null;
    if (arm.lowering > 0) this.allow(name, 'protection', this.#now() + arm.lowering, 'lowering');
  }

  isStopped(arm: string): boolean {
    return this.#arms.get(arm)!.stopped;
  }

  /** Whether all servos of an arm have torque. */
  powered(arm: string): boolean {
    return this.#arms.get(arm)!.sim.servos.every((joint) => joint.every((servo) => servo.torqueOn && servo.awake));
  }

  /** Whether some servo of an arm has torque, or may get it. */
  mayHold(name: string): boolean {
    const arm = this.#arms.get(name)!;
    return this.torqueOf(name).includes(true) || arm.mayTakeTorque(this.#now());
  }

  /** Which joints of an arm have torque. */
  torqueOf(arm: string): readonly boolean[] {
    return this.#arms.get(arm)!.sim.servos.map((joint) => joint.every((servo) => servo.torqueOn && servo.awake));
  }

  /** Whether an arm would fall without torque. */
  isRaised(arm: string): boolean {
    return this.#arms.get(arm)!.raised;
  }

  complain(rule: Rule, arm: string, text: string): void {
    const before = this.violations.filter((other) => other.rule === rule && other.arm === arm);
    if (before.length < TOLD) this.violations.push({ rule, at: this.#now(), arm, text });
  }

  /** Looks at the physics; to be called every 5 ms or so. */
  look(): void {
    for (const arm of this.#arms.values()) this.#look(arm);
  }

  #look(arm: WatchedArm): void {
    const now = this.#now();
    const { physics, servos } = arm.sim;
    arm.weights = physics.holdingTorques();
    let all = true;
    for (let j = 0; j < servos.length; j++) {
      const on = servos[j]!.every((servo) => servo.torqueOn && servo.awake);
      if (on && arm.driven[j] === 0) this.#switchedOn(arm, j);
      if (on) {
        arm.drivenLast[j] = now;
        // One that protected itself did not pull with what its distance says.
        arm.lastDistance[j] = servos[j]!.some((servo) => servo.protects) ? 0 : goalDistance(servos[j]!);
      } else all = false;
      if (servos[j]!.some((servo) => servo.protects)) this.#weakened(arm, now);
      const { torqueLimit } = arm.model.joints[j]!;
      const weight = Math.abs(arm.weights[j]!);
      if (on && weight > BURDENED * torqueLimit) arm.swingsUntil[j] = now + SINKING;
      if (on && weight > OVERBURDENED * torqueLimit) {
        arm.sinksUntil[j] = now + SINKING;
        arm.licences.set('weak', Math.max(arm.licences.get('weak') ?? 0, now + SINKING));
      }
      arm.driven[j] = on ? 1 : 0;
    }
    if (arm.leader !== null) this.#watchLeader(arm, arm.leader, now);
    const licensed = arm.licensed(now);
    const allowed = all ? UNASKED : UNASKED_PARTLY;
    const gripper = arm.model.gripper?.index;
    if (gripper !== undefined && Math.abs(goalDistance(servos[gripper]!)) < ARRIVED) arm.arrivesUntil = 0;
    for (let j = 0; j < servos.length; j++) {
      const position = physics.positions[j]!;
      const come = arm.comesUntil[j]! > 0 && now >= arm.comesUntil[j]!;
      if (come) arm.comesUntil[j] = 0;
      if (come || arm.driven[j] === 0 || licensed || arm.misread || (j === gripper && now < arm.arrivesUntil)) {
        arm.anchors[j] = position;
        continue;
      }
      const moved = position - arm.anchors[j]!;
      if (Math.abs(moved) <= arm.swing(j, allowed, now)) continue;
      const name = arm.model.joints[j]!.name;
      const rule = arm.stopped ? 'after stop' : arm.abandoned ? 'unattended' : 'unasked';
      this.complain(rule, arm.name, `${name} has moved by ${moved.toFixed(3)} rad`);
      arm.anchors[j] = position;
    }
    this.#judgeRenamed(arm, now);
    for (const servo of arm.servos.values()) {
      if (servo.cut === null) continue;
      if (arm.driven[servo.joint] === 1) servo.cut = null;
      if (servo.cut === null || now - servo.cut < GIVES_WAY) continue;
      servo.cut = null;
      this.complain('drop', arm.name, `torque of ${arm.model.joints[servo.joint]!.name} was cut on a raised arm`);
    }
    this.#judgeFelt(arm, now);
    this.#judgeSpeed(arm, now);
    if (arm.stop) this.#judgeStop(arm, arm.stop, now);
    if (arm.told) this.#judgeTold(arm, arm.told, now);
  }

  /** A servo that has got the id of another one would go where that one is sent. */
  #judgeRenamed(arm: WatchedArm, now: number): void {
    const { positions } = arm.sim.physics;
    const led = (arm.licences.get('hand') ?? 0) >= now;
    for (let j = 0; j < positions.length; j++) {
      if (led || arm.driven[j] === 0 || now < arm.renamed[j]!) arm.renamedAt[j] = positions[j]!;
      const moved = positions[j]! - arm.renamedAt[j]!;
      if (Math.abs(moved) <= arm.swing(j, UNASKED, now)) continue;
      const { name } = arm.model.joints[j]!;
      this.complain('unasked', arm.name, `${name}, whose servo has another id, has moved by ${moved.toFixed(3)} rad`);
      arm.renamedAt[j] = positions[j]!;
    }
  }

  /** How the motors push the hand at an arm that floats. */
  #judgeFelt(arm: WatchedArm, now: number): void {
    const { physics, servos, motorTorques } = arm.sim;
    let sound = !arm.misread && arm.lateness === 0 && arm.sound(now);
    for (const [reason, until] of arm.licences)
      if (until >= now && reason !== 'hand' && NATURE.has(reason)) sound = false;
    const state = {
      saysFloating: this.saysFloating(arm.name),
      floats: arm.onlyFloats(now, false),
      holds: arm.onlyFloats(now, true),
      sound,
    };
    const followers = [...this.#arms.values()].filter(
      (other) => other.feltBy === arm && !other.stopped && now - other.heardLast < STALE && arm.floats(now),
    );
    const gripper = arm.model.gripper?.index;
    for (let j = 0; j < servos.length; j++) {
      const part = j === gripper ? 'gripper' : 'arm';
      const feels = followers.some((other) => other.feels[part] > 0);
      const joint = {
        position: physics.positions[j]!,
        velocity: physics.velocities[j]!,
        motor: motorTorques[j]!,
        weight: arm.weights[j]!,
        gain: servos[j]![0]!.positionGain,
      };
      const wrong = arm.felt.look(j, now, joint, arm.driven[j] === 1, feels, state);
      if (wrong !== '' && arm.altered[j] === 0)
        this.complain('feedback', arm.name, `${arm.model.joints[j]!.name} ${wrong}`);
    }
  }

  /** An arm whose joints are said to rest. */
  #judgeTold(arm: WatchedArm, { until, positions }: NonNullable<WatchedArm['told']>, now: number): void {
    const moved = arm.excused(now) || arm.misread ? -1 : this.#movedJoint(arm, positions, now);
    if (moved < 0 && now < until) return;
    arm.told = null;
    if (moved < 0) return;
    const way = Math.abs(arm.sim.physics.positions[moved]! - positions[moved]!);
    const joint = arm.model.joints[moved]!.name;
    this.complain('answer', arm.name, `a stop is ok, and ${joint} goes on by ${way.toFixed(3)} rad after the answer`);
  }

  /** A joint with torque that has left a place by more than an arm at rest may swing; -1 for none. */
  #movedJoint(arm: WatchedArm, from: Float64Array, now: number): number {
    const { positions } = arm.sim.physics;
    return arm.model.joints.findIndex(
      (_, j) =>
        arm.driven[j] === 1 &&
        now >= arm.sinksUntil[j]! &&
        Math.abs(positions[j]! - from[j]!) > arm.swing(j, UNASKED, now),
    );
  }

  /** A follower may move while its leader does. */
  #watchLeader(arm: WatchedArm, leader: WatchedArm, now: number): void {
    const { positions } = leader.sim.physics;
    if (!positions.some((position, j) => Math.abs(position - arm.led[j]!) > LEADS)) {
      if (arm.nearest !== null) this.#judgeFollowing(arm, arm.nearest, positions, now);
      return;
    }
    arm.nearest?.fill(Number.POSITIVE_INFINITY);
    arm.led.set(positions);
    arm.licences.set('mirroring', Math.max(arm.licences.get('mirroring') ?? 0, now + CATCHING_UP));
  }

  #judgeFollowing(arm: WatchedArm, nearest: Float64Array, led: Float64Array, now: number): void {
    const { physics, motorTorques } = arm.sim;
    const { positions } = physics;
    for (let j = 0; j < led.length; j++) {
      const distance = Math.abs(positions[j]! - led[j]!);
      const pushed = Math.abs(motorTorques[j]! - arm.weights[j]!) > PUSHED * arm.model.joints[j]!.torqueLimit;
      // One of which a servo has been overloaded is lowered, wherever its leader is.
      const lowered = (arm.licences.get('protection') ?? 0) >= now;
      if (pushed || lowered || arm.driven[j] === 0 || arm.narrowed[j] === 1 || arm.excused(now))
        nearest[j] = Number.POSITIVE_INFINITY;
      nearest[j] = Math.min(nearest[j]!, distance);
      if (distance <= nearest[j]! + STRAYS) continue;
      const joint = arm.model.joints[j]!.name;
      this.complain(
        'following',
        arm.name,
        `${joint} is ${distance.toFixed(2)} rad from its leader's, which stands still`,
      );
      nearest[j] = distance;
    }
  }

  /** A servo holds back: the arm sinks, and the bridge may lower it. */
  #weakened(arm: WatchedArm, now: number): void {
    arm.licences.set('weak', Math.max(arm.licences.get('weak') ?? 0, now + SINKING));
    if (arm.stopped) return;
    arm.licences.set('protection', Math.max(arm.licences.get('protection') ?? 0, now + WEAK));
    arm.paces.set('protection', 'lowering');
    arm.releaseUntil = Math.max(arm.releaseUntil, now + WEAK);
  }

  #judgeSpeed(arm: WatchedArm, now: number): void {
    const { positions } = arm.sim.physics;
    const past = arm.history.length * LOOK >= SPEED_TIME ? arm.history.shift()! : null;
    if (past !== null) {
      const before = arm.speeds.length * LOOK >= SPEED_TIME ? arm.speeds.shift()! : null;
      const speeds = before ?? new Float64Array(positions.length);
      for (let j = 0; j < positions.length; j++) {
        const speedBefore = before === null ? Number.NaN : before[j]!;
        speeds[j] = Number.NaN;
        if (arm.driven[j] === 0 || arm.altered[j] === 1 || arm.excused(now)) continue;
        const joint = arm.model.joints[j]!;
        const velocity = (positions[j]! - past[j]!) / SPEED_TIME;
        const speed = Math.abs(velocity);
        speeds[j] = velocity;
        const figures = this.figures[arm.family];
        const acceleration = Math.abs(velocity - speedBefore) / SPEED_TIME;
        if (acceleration > figures.acceleration) figures.acceleration = acceleration;
        figures.speed = Math.max(figures.speed, speed);
        // What an arm touches turns its joints too.
        if (speed > SPEED_PART * joint.mirror.velocity + SPEED_MORE && arm.sim.physics.contacts().length === 0)
          this.complain('speed', arm.name, `${joint.name} goes at ${speed.toFixed(2)} rad/s`);
        const out = Math.max(joint.lower - positions[j]!, positions[j]! - joint.upper);
        const outBefore = Math.max(joint.lower - past[j]!, past[j]! - joint.upper);
        if (out > RANGE_MORE && out > outBefore + 1e-3)
          this.complain('range', arm.name, `${joint.name} is driven ${out.toFixed(3)} rad beyond its limits`);
      }
      arm.speeds.push(speeds);
      past.set(positions);
      arm.history.push(past);
    } else {
      arm.history.push(positions.slice());
    }
  }

  #judgeStop(arm: WatchedArm, stop: Stop, now: number): void {
    if (arm.excused(now) || arm.misread) {
      arm.stop = null;
      return;
    }
    if (now < stop.from) {
      stop.positions.set(arm.sim.physics.positions);
      return;
    }
    const { positions, velocities } = arm.sim.physics;
    let moving = -1;
    let way = 0;
    if (now > stop.due) stop.atDue ??= positions.slice();
    for (let j = 0; j < positions.length; j++) {
      if (arm.driven[j] === 0 || now < arm.sinksUntil[j]!) continue;
      if (j === arm.model.gripper?.index && now < arm.arrivesUntil) continue;
      if (Math.abs(velocities[j]!) > REST_SPEED) moving = j;
      way = Math.max(way, Math.abs(positions[j]! - stop.positions[j]!));
    }
    const figures = this.figures[arm.family];
    if (moving < 0) {
      if (!stop.rested) figures.rest = Math.max(figures.rest, now - stop.from);
      stop.rested = true;
    } else if (now > stop.due && this.#leaves(stop, positions, moving, arm.swing(moving, REST_SWING, now))) {
      const joint = arm.model.joints[moving]!.name;
      const speed = velocities[moving]!.toFixed(2);
      this.complain('stop', arm.name, `${joint} goes at ${speed} rad/s ${(now - stop.from).toFixed(2)} s after a stop`);
      figures.rest = Math.max(figures.rest, now - stop.from);
      stop.rested = false;
    }
    figures.way = Math.max(figures.way, way);
    if (way > REST_WAY) {
      this.complain('stop', arm.name, `a joint has gone ${way.toFixed(2)} rad since a stop`);
      arm.stop = null;
    } else if (now > stop.due + 1) {
      arm.stop = null;
    }
  }

  /** Whether a joint of an arm that had to rest has left the place where it was then by more than it may swing, rad. */
  #leaves({ atDue }: Stop, positions: Float64Array, joint: number, swing: number): boolean {
    return Math.abs(positions[joint]! - (atDue ?? positions)[joint]!) > swing;
  }

  #switchedOn(arm: WatchedArm, j: number): void {
    const figures = this.figures[arm.family];
    const joint = arm.model.joints[j]!;
    const droop = Math.abs(arm.sim.physics.holdingTorques()[j]!) / joint.stiffness;
    const distance = goalDistance(arm.sim.servos[j]!);
    const before = this.#now() - arm.drivenLast[j]! < UNNOTICED ? arm.lastDistance[j]! : 0;
    figures.torqueEvents++;
    arm.drivenSince[j] = this.#now();
    const limp = this.#now() - arm.drivenLast[j]! >= UNNOTICED;
    if (limp && !arm.mayTakeTorque(this.#now()))
      this.complain('unasked torque', arm.name, `${joint.name} got torque that nobody has asked for`);
    if (arm.stopped && this.#now() > arm.stopAnswered + LOOK && !arm.excused(this.#now()))
      this.complain('after stop', arm.name, `${joint.name} got torque after a stop had been answered`);
    // Where a servo is that lies nobody knows.
    if (arm.misread) return;
    if (before === 0) figures.torque = Math.max(figures.torque, distance);
    if (distance <= TORQUE_DISTANCE + Math.max(1.5 * droop, before) + arm.lateness * LED_SPEED) return;
    this.complain('torque', arm.name, `${joint.name} got torque with a goal ${distance.toFixed(3)} rad away`);
  }

  #written(arm: WatchedArm, { id, address, data }: Write): void {
    const { torque, goal, goalSize } = REGISTERS[arm.family];
    const end = address + data.length;
    const servo = arm.servos.get(id);
    if (!servo) return;
    if (address <= goal && end >= goal + goalSize) {
      const at = goal - address;
      const raw = data.slice(at, at + goalSize).reduceRight((value, byte) => 256 * value + byte, 0);
      this.#goalSent(arm, id, servo, arm.family === 'feetech' ? signMagnitude(raw) : raw | 0);
    }
    if (address <= torque && end > torque && data[torque - address] === 0) this.#torqueCut(arm, servo);
  }

  #goalSent(arm: WatchedArm, id: number, servo: ServoSeen, goal: number): void {
    const joint = arm.model.joints[servo.joint]!;
    if (!servo.heard) this.complain('blind', arm.name, `servo ${id} of ${joint.name} was sent ${goal} unheard`);
    const on = arm.sim.servos[servo.joint]!.every((other) => other.torqueOn);
    this.figures[arm.family].goals++;
    if (on && servo.goal !== null) {
      // A servo may have changed its goal by itself, and may not have heard the one before this.
      const [held] = arm.sim.servos[servo.joint]!;
      const way = Math.abs(servo.scale) * Math.min(Math.abs(goal - servo.goal), Math.abs(goal - held!.goal));
      // A servo that has counted a turn more is where it was.
      const step = arm.misread ? Math.abs(way - TURN * Math.round(way / TURN)) : way;
      const floats = arm.floats(this.#now());
      const figures = this.figures[arm.family];
      if (!floats) figures.step = Math.max(figures.step, step);
      const text = `${joint.name} was sent a goal ${step.toFixed(3)} rad on`;
      if (step > LARGEST_STEP + arm.lateness * LED_SPEED) this.complain(floats ? 'float step' : 'step', arm.name, text);
    }
    servo.goal = goal;
    this.#judgePace(arm, servo, on, goal);
  }

  #judgePace(arm: WatchedArm, servo: ServoSeen, on: boolean, goal: number): void {
    const now = this.#now();
    const { joint: j } = servo;
    const joint = arm.model.joints[j]!;
    const position = arm.sim.physics.positions[j]!;
    const [held] = arm.sim.servos[j]!;
    // What a servo would go if it held this goal, which it will a moment later.
    const ahead = (goal - held!.goal) * servo.scale + Math.sign(servo.scale) * held!.goalDistance;
    const setpoint = position + ahead - arm.weights[j]! / joint.stiffness;
    // A leader may be met at any time.
    const most = arm.most(j, setpoint, now);
    if (!on || arm.excused(now) || arm.misread || !arm.licensed(now)) {
      servo.pace.reset();
      return;
    }
    const tooFast = servo.pace.take(now, setpoint, position + ahead, position, most);
    // Goals of an arm that floats leap where its gains change, and its servos follow them softly.
    if (tooFast === null || (tooFast.what === 'gain' && arm.floats(now))) return;
    servo.pace.reset();
    if (tooFast.what === 'speed')
      this.complain('pace', arm.name, `${joint.name} was sent goals at ${tooFast.by.toFixed(2)} rad/s`);
    else
      this.complain(
        'gain',
        arm.name,
        `${joint.name} was sent goals that gain ${tooFast.by.toFixed(1)} rad/s in a second`,
      );
  }

  #torqueCut(arm: WatchedArm, servo: ServoSeen): void {
    const servos = arm.sim.servos[servo.joint]!;
    if (!servos.some((other) => other.torqueOn) || this.#now() < arm.releaseUntil || !arm.raised) return;
    // One that protects itself carries next to nothing, and comes back only by being switched off.
    if (servos.some((other) => other.protects)) return;
    // Torque that has just come on and is taken back leaves the arm as it was: nobody has let go of it yet.
    if (this.#now() - arm.drivenSince[servo.joint]! > ARMING) servo.cut = this.#now();
  }
}

/** Time between two looks, s. */
export const LOOK = 0.005;

/** Reasons for motion that a stop does not end: what is done to the arm, not by it. */
const NATURE: ReadonlySet<string> = new Set(['hand', 'weak', 'hanging']);

/** Reasons for motion with which an arm may float. */
const FLOATING = /^gravity|^leading/;

/** @throws {Error} for a family whose frames the judge cannot read */
function familyOf({ name, family }: ArmModel): Family {
  if (family === 'feetech' || family === 'dynamixel') return family;
  throw new Error(`the judge cannot read what is said to the ${family} servos of ${name}`);
}

/** Largest distance of a joint's servos from their goals, rad. */
function goalDistance(servos: SimulatedArm['servos'][number]): number {
  return Math.max(...servos.map((servo) => Math.abs(servo.goalDistance)));
}

function signMagnitude(raw: number): number {
  return raw & 0x8000 ? -(raw & 0x7fff) : raw;
}

function noFigures(): Figures {
  return { step: 0, speed: 0, acceleration: 0, rest: 0, way: 0, torque: 0, goals: 0, torqueEvents: 0, stops: 0 };
}
