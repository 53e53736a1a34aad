import type { ArmSet } from '../arm/arms.ts';
import type { ArmHandle } from '../arm/handle.ts';
import { type Arm, BridgeError, type Caller } from '../arm/types.ts';
import type { JointHoming, ServoFacts } from '../rt/driver/arm-link.ts';
import type { CalibrationAnswer, Calibrations, CalibrationView } from './calibrating.ts';
import { Session, type SessionServices } from './calibration-session.ts';

/** How often it is looked whether an arm has become limp, so that its servos can get back what they had, s. */
const LOOK = 0.2;
/** Servos are asked for their offsets no more often than this. */
const MOST_READS = 6;

/** A session with who has begun it. */
interface Open {
  readonly session: Session;
  readonly caller: string;
  /** A step is being carried out. */
  busy: boolean;
}

/** Calibrates arms, one session for each, and gives back to servos what a session that was not finished has written. */
export class CalibrationService implements Calibrations {
  readonly #arms: ArmSet;
  readonly #services: SessionServices;
  readonly #notice: (text: string) => void;
  readonly #open = new Map<ArmHandle, Open>();
  /** Why a session has ended by itself, until somebody has been told. */
  readonly #ended = new Map<ArmHandle, string>();
  /** What servos are still to be given back. */
  readonly #left = new Map<ArmHandle, readonly JointHoming[]>();
  #closed = false;

  /** @param notice is given what people should know */
  constructor(arms: ArmSet, services: SessionServices, notice: (text: string) => void) {
    this.#arms = arms;
    this.#services = services;
    this.#notice = notice;
  }

  async next(arm: Arm, caller: Caller, reversed: readonly string[]): Promise<CalibrationAnswer> {
    const handle = this.#arms.byName(arm.name)!;
    const open = this.#open.get(handle);
    if (open === undefined) {
      const ended = this.#ended.get(handle);
      this.#ended.delete(handle);
      if (ended !== undefined) return over(ended);
      return this.#begin(handle, caller);
    }
    requireCaller(open, caller);
    if (open.busy) {
      const present = open.session.instruction();
      return { ...present, message: `The last step is still under way. ${present.message}` };
    }
    open.busy = true;
    try {
      const answer = await open.session.next(reversed, caller.signal);
      if (answer.status === 'success') this.#end(handle);
      return answer;
    } catch (error) {
      const why = this.#ended.get(handle);
      if (why === undefined) throw error;
      this.#ended.delete(handle);
      return over(why);
    } finally {
      open.busy = false;
    }
  }

  view(arm: Arm): CalibrationView | null {
    return this.#open.get(this.#arms.byName(arm.name)!)?.session.view() ?? null;
  }

  async cancel(arm: Arm, caller: Caller): Promise<boolean> {
    const handle = this.#arms.byName(arm.name)!;
    const open = this.#open.get(handle);
    if (open === undefined) return false;
    requireCaller(open, caller);
    // A step that is under way moves the arm: it decelerates to a hold.
    await handle.halt({ owner: open.session.owner, takeOver: false });
    await open.session.undo();
    this.#end(handle);
    return true;
  }

  /** Gives servos of limp arms back what they had; those that still hold are told of. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const [handle, { session }] of this.#open)
      if (session.unsaved !== null) this.#left.set(handle, session.unsaved);
    for (const handle of [...this.#left.keys()]) {
      if (await this.#giveBack(handle)) continue;
      this.#notice(`${handle.name} keeps offsets of a calibration that was not finished: calibrate it again`);
    }
  }

  async #begin(handle: ArmHandle, caller: Caller): Promise<CalibrationAnswer> {
    requireOwnServos(handle);
    const owner = { key: `calibration/${caller.owner.key}`, name: 'its calibration' };
    await handle.halt({ ...caller, owner }, () => handle.keepFor(owner));
    try {
      const facts = await surely(handle);
      const session = new Session(handle, owner, this.#services, facts, this.#left.get(handle) ?? null);
      this.#left.delete(handle);
      const open = { session, caller: caller.owner.key, busy: false };
      this.#open.set(handle, open);
      void this.#watch(handle, open);
      return session.instruction();
    } catch (error) {
      handle.keepFor(null);
      throw error;
    }
  }

  /** Samples the arm in each cycle while its session has it. */
  async #watch(handle: ArmHandle, open: Open): Promise<void> {
    const { session } = open;
    let fault = '';
    while (!this.#closed && this.#open.get(handle) === open && fault === '') {
      session.sample();
      try {
        await handle.nextCycle();
      } catch {
        fault = 'the control loop has stopped';
      }
      if (handle.owner?.key !== session.owner.key) fault = lossOf(handle);
    }
    if (this.#closed || this.#open.get(handle) !== open) return;
    this.#open.delete(handle);
    if (session.unsaved !== null) {
      this.#left.set(handle, session.unsaved);
      void this.#giveBackWhenLimp(handle);
    }
    const left = session.unsaved === null ? '' : ' Its servos get their former offsets back when the arm is next limp.';
    const text = `The calibration of ${handle.name} has ended: ${fault}.${left}`;
    this.#ended.set(handle, text);
    this.#notice(text);
  }

  #end(handle: ArmHandle): void {
    this.#open.delete(handle);
    handle.keepFor(null);
  }

  async #giveBackWhenLimp(handle: ArmHandle): Promise<void> {
    while (!this.#closed && this.#left.has(handle) && !(await this.#giveBack(handle))) {
      await handle.clock.sleep(LOOK, true);
    }
  }

  /** @returns whether nothing is left to be given back */
  async #giveBack(handle: ArmHandle): Promise<boolean> {
    const left = this.#left.get(handle);
    if (left === undefined) return true;
    const { state, torque } = handle.read();
    if (state === 'disconnected' || torque) return false;
    try {
      await handle.calibrate(left);
    } catch {
      // Torque has gone on meanwhile, or the arm has gone: later.
      return false;
    }
    if (this.#left.get(handle) === left) this.#left.delete(handle);
    return true;
  }
}

/** What the servos are set to, read until it is the same twice: a late answer to something else would go into every offset. */
async function surely(handle: ArmHandle): Promise<readonly ServoFacts[]> {
  let facts = await handle.servos();
  for (let reads = 1; reads < MOST_READS; reads++) {
    const before = facts;
    facts = await handle.servos();
    const same = facts.every(({ homingOffset, operatingMode }, i) => {
      const other = before[i]!;
      return homingOffset === other.homingOffset && operatingMode === other.operatingMode;
    });
    if (same) return facts;
  }
  throw new BridgeError(
    'no_sample',
    `The servos of arm ${handle.name} answer differently each time they are asked for their offsets: check its cable, and call again.`,
  );
}

function over(message: string): CalibrationAnswer {
  return { status: 'error', message: `${message} Call again to begin anew.`, step: 0, steps: 0 };
}

/** @throws {BridgeError} owned */
function requireCaller({ session, caller: own }: Open, caller: Caller): void {
  if (caller.owner.key === own) return;
  throw new BridgeError(
    'owned',
    `Arm ${session.handle.name} is being calibrated by somebody else: ask them to end it.`,
    {
      owner: session.owner.name,
    },
  );
}

function lossOf(handle: ArmHandle): string {
  const { state } = handle.read();
  if (state === 'stopped' || state === 'disconnected') return `the arm is ${state} (${handle.reason})`;
  return `taken over by ${handle.owner?.name ?? 'another client'}`;
}

/** @throws {BridgeError} unsupported */
function requireOwnServos(handle: ArmHandle): void {
  handle.requireConnected();
  if (handle.remote) {
    throw new BridgeError(
      'unsupported',
      `The servos of arm ${handle.name} belong to the bridge of another machine (bus: ros): calibrate it there.`,
    );
  }
  const double = handle.model.joints.find(({ servos }) => servos.length > 1);
  if (double === undefined) return;
  throw new BridgeError(
    'unsupported',
    `${double.name} of arm ${handle.name} has ${double.servos.length} servos, whose offsets must agree: set them with the ` +
      "maker's tool, and their zero in the data of the arm.",
  );
}
