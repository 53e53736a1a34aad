import { isDeepStrictEqual } from 'node:util';
import type { Arm, JointMount } from '../arm/arm.ts';
import { jointSetByMaker } from '../arm/model.ts';
import { BridgeError, type Caller, type Owner, startedBy } from '../arm/types.ts';
import type { ServoFacts } from '../rt/driver/arm-link.ts';
import type { CalibrationAnswer, CalibrationView } from './calibrating.ts';
import { Session, type SessionServices } from './calibration-session.ts';

/** Poll interval, s, while waiting for an arm to go limp so that its servos can be restored. */
const LOOK = 0.2;
/**
 * A session whose client has gone ends this long after its last step, s. A client without a live stream sends nothing
 * while a person leads the joints by hand, which takes minutes.
 */
export const PATIENCE = 300;
/** Most reads of the servo settings; gives up if no two reads in a row agree. */
const MOST_READS = 6;

/** A session and the client that started it. */
interface Open {
  readonly session: Session;
  readonly client: Owner;
  /** A step is running. */
  busy: boolean;
  /** End of its last step, monotonic, s. */
  stepped: number;
}

/** Calibrates arms, one session per arm. Restores the servos of sessions that did not finish. */
export class CalibrationService {
  readonly #services: SessionServices;
  readonly #notice: (text: string) => void;
  readonly #open = new Map<Arm, Open>();
  /** Why a session ended by itself; kept until a client has been told. */
  readonly #ended = new Map<Arm, string>();
  /** How the last session of an arm ended, as a clause for people. */
  readonly #last = new Map<Arm, string>();
  /** Former servo settings that must still be restored. */
  readonly #left = new Map<Arm, readonly JointMount[]>();
  #closed = false;

  /** @param notice receives messages for users */
  constructor(services: SessionServices, notice: (text: string) => void) {
    this.#services = services;
    this.#notice = notice;
  }

  /**
   * Starts an arm's calibration, or runs its current step and advances to the next.
   * @param reversed joints that moved opposite to the announced direction; only at the last step
   * @throws {BridgeError} disconnected, stopped, owned, unsupported, bad_request
   */
  async next(arm: Arm, caller: Caller, reversed: readonly string[]): Promise<CalibrationAnswer> {
    const open = this.#open.get(arm);
    if (open === undefined) {
      const ended = this.#ended.get(arm);
      this.#ended.delete(arm);
      if (ended !== undefined) return over(ended);
      return this.#begin(arm, caller);
    }
    requireCaller(open, caller);
    if (open.busy) {
      const present = open.session.instruction();
      return { ...present, message: `The last step is still under way. ${present.message}` };
    }
    open.busy = true;
    try {
      const answer = await open.session.next(reversed, caller.signal);
      if (answer.status === 'success') this.#end(open, 'done', 'its last calibration is kept');
      return answer;
    } catch (error) {
      const why = this.#ended.get(arm);
      if (why === undefined) throw error;
      this.#ended.delete(arm);
      return over(why);
    } finally {
      open.busy = false;
      open.stepped = arm.clock.now();
    }
  }

  /** Ends sessions whose clients have gone. The arms stay as they are: limp, or holding. */
  endForsaken(hasGone: (owner: Owner) => boolean): void {
    for (const [arm, open] of this.#open) {
      if (open.busy || arm.clock.now() - open.stepped < PATIENCE || !hasGone(open.client)) continue;
      // A new owner has just taken it: `#watch` ends the session.
      if (arm.owner?.key !== open.session.owner.key) continue;
      this.#lose(arm, open, `${open.client.name} has gone`);
      arm.letGo();
    }
  }

  /** Null if no calibration is in progress. */
  view(arm: Arm): CalibrationView | null {
    return this.#open.get(arm)?.session.view() ?? null;
  }

  /** How the last calibration of an arm ended, as a clause for people; null if there was none. */
  lastEnd(arm: Arm): string | null {
    return this.#last.get(arm) ?? null;
  }

  /**
   * Cancels the calibration and restores the servo settings; an arm with torque on goes limp over 2 s first.
   * @returns false if no calibration is in progress
   * @throws {BridgeError} owned
   */
  async cancel(arm: Arm, caller: Caller): Promise<boolean> {
    const open = this.#open.get(arm);
    if (open === undefined) return false;
    requireCaller(open, caller);
    // A running step may be moving the arm: brake it to a hold.
    await arm.halt({ owner: open.session.owner, takeOver: false });
    await open.session.undo();
    this.#end(open, 'cancel', 'its last calibration was cancelled');
    return true;
  }

  /**
   * Restores the servos of limp arms; reports the arms whose servos cannot be restored, such as those with torque on.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const [arm, { session }] of this.#open) if (session.unsaved !== null) this.#left.set(arm, session.unsaved);
    for (const arm of [...this.#left.keys()]) {
      if (await this.#giveBack(arm)) continue;
      this.#notice(`${arm.name} keeps offsets of a calibration that was not finished: calibrate it again`);
    }
  }

  async #begin(arm: Arm, caller: Caller): Promise<CalibrationAnswer> {
    requireOwnServos(arm);
    const owner = startedBy(caller.owner, 'its calibration');
    await arm.keepFor({ ...caller, owner });
    try {
      const facts = await surely(arm);
      const session = new Session(arm, owner, this.#services, facts, this.#left.get(arm) ?? null);
      this.#left.delete(arm);
      const open = { session, client: caller.owner, busy: false, stepped: arm.clock.now() };
      this.#open.set(arm, open);
      void this.#watch(arm, open);
      return session.instruction();
    } catch (error) {
      arm.letGo();
      throw error;
    }
  }

  /** Samples the arm every cycle while the session owns it. */
  async #watch(arm: Arm, open: Open): Promise<void> {
    const { session } = open;
    let fault = '';
    while (!this.#closed && this.#open.get(arm) === open && fault === '') {
      session.sample();
      try {
        await arm.nextCycle();
      } catch {
        fault = 'the control loop has stopped';
      }
      if (arm.owner?.key !== session.owner.key) fault = lossOf(arm);
    }
    if (!this.#closed && this.#open.get(arm) === open) this.#lose(arm, open, fault);
  }

  /** @param fault why the session has ended by itself, human-readable */
  #lose(arm: Arm, open: Open, fault: string): void {
    const { session } = open;
    this.#end(open, 'lost', `its last calibration was lost (${fault})`);
    const left = session.unsaved === null ? '' : ' Its servos get their former offsets back when the arm is next limp.';
    const text = `The calibration of ${arm.name} has ended: ${fault}.${left}`;
    this.#ended.set(arm, text);
    this.#notice(text);
  }

  #end({ session }: Open, input: 'done' | 'cancel' | 'lost', told: string): void {
    const { arm } = session;
    this.#last.set(arm, told);
    const effects = session.put(input);
    this.#open.delete(arm);
    if (effects.includes('giveBack') && session.unsaved !== null) {
      this.#left.set(arm, session.unsaved);
      void this.#giveBackWhenLimp(arm);
    }
    if (effects.includes('release')) arm.letGo();
  }

  async #giveBackWhenLimp(arm: Arm): Promise<void> {
    while (!this.#closed && this.#left.has(arm) && !(await this.#giveBack(arm))) {
      await arm.clock.sleep(LOOK, true);
    }
  }

  /** @returns true if nothing is left to restore */
  async #giveBack(arm: Arm): Promise<boolean> {
    const left = this.#left.get(arm);
    if (left === undefined) return true;
    const { state, torque } = arm.read();
    if (state === 'disconnected' || torque) return false;
    try {
      await arm.calibrate(left);
    } catch {
      // Torque went on meanwhile, or the arm disconnected: try again later.
      return false;
    }
    if (this.#left.get(arm) === left) this.#left.delete(arm);
    return true;
  }
}

/**
 * Reads the servo settings until two reads agree, because a late reply to another request would corrupt an offset or a
 * limit.
 */
async function surely(arm: Arm): Promise<readonly ServoFacts[]> {
  let facts = await arm.servos.read();
  for (let reads = 1; reads < MOST_READS; reads++) {
    const before = facts;
    facts = await arm.servos.read();
    if (isDeepStrictEqual(facts, before)) return facts;
  }
  throw new BridgeError(
    'no_sample',
    `The servos of arm ${arm.name} answer differently each time they are asked how they are set: check its cable, and call again.`,
  );
}

function over(message: string): CalibrationAnswer {
  return { status: 'error', message: `${message} Call again to begin anew.`, step: 0, steps: 0 };
}

/** @throws {BridgeError} owned */
function requireCaller({ session, client }: Open, caller: Caller): void {
  if (caller.owner.key === client.key) return;
  throw new BridgeError('owned', `Arm ${session.arm.name} is being calibrated by somebody else: ask them to end it.`, {
    arm: session.arm,
  });
}

function lossOf(arm: Arm): string {
  const { state } = arm.read();
  if (state === 'stopped' || state === 'disconnected') return `the arm is ${state} (${arm.reason})`;
  return `taken over by ${arm.owner?.name ?? 'another client'}`;
}

/** @throws {BridgeError} unsupported */
function requireOwnServos(arm: Arm): void {
  arm.requireConnected();
  if (arm.remote) {
    throw new BridgeError(
      'unsupported',
      `The servos of arm ${arm.name} belong to the bridge of another machine (bus: ros): calibrate it there.`,
    );
  }
  const double = jointSetByMaker(arm.model);
  if (double === undefined) return;
  throw new BridgeError(
    'unsupported',
    `${double.name} of arm ${arm.name} has ${double.servos.length} servos, whose offsets must agree: set them with the ` +
      "maker's tool, and their zero in the data of the arm.",
  );
}
