import { request, send } from './api.ts';
import { bridge } from './bridge.ts';
import type { ArmFrame, ArmInfo, CalibrationAnswer, CalibrationState, SweptJoint } from './protocol.ts';
import { withoutRoutes } from './words.ts';

const CALIBRATION = 'its calibration, started by ';
/** Who calibrates an arm; null: nobody. @param owner as its frames tell it */
export function calibratedBy(owner: string | null): string | null {
  return owner?.startsWith(CALIBRATION) === true ? owner.slice(CALIBRATION.length) : null;
}
/** The step in which a hand leads the joints to their ends. */
export const SWEEP = 2;
/** How often the ranges of the joints are asked for meanwhile, ms. */
const INTERVAL = 200;
/** How often the step is, which another client may have taken further, ms: a button must not stand for another step. */
const STEP_INTERVAL = 1000;
const ANSWER_LIMIT = 2000;
/** Frames in a row that must say otherwise before a calibration counts as begun or ended by others: an answer may overtake some. */
const DISAGREEING = 15;

/** The calibration of one arm on the routes of the bridge, begun here or by another client. */
export class Calibrating {
  readonly info: ArmInfo;
  /** What the present step asks for; null while no calibration is under way. */
  answer: CalibrationAnswer | null = null;
  /** The last call has left the step as it was, and says why. */
  held = false;
  /** As last asked for. */
  joints: readonly SweptJoint[] = [];
  /** Why the last call was refused, or why the calibration has ended; empty when all is well. */
  fault = '';
  /** How the last calibration has ended as it should; empty while there is nothing to say. */
  outcome = '';
  /** Which call is under way. */
  call: 'step' | 'cancel' | null = null;
  readonly #changed: () => void;
  /** Counts calls: an answer that an earlier one has left behind is not the newest word. */
  #calls = 0;
  #disagreeing = 0;
  /** The one under way was begun or gone on with here. */
  #own = false;
  #asking = false;
  #asked = 0;

  /** @param changed called when something here is another */
  constructor(info: ArmInfo, changed: () => void) {
    this.info = info;
    this.#changed = changed;
  }

  /**
   * Begins, or carries the present step out; never throws.
   * @param reversed joints that went the other way than was said, at the last step
   * @param takeOver from whoever drives the arm
   */
  async next(reversed: readonly string[], takeOver = false): Promise<void> {
    if (this.call !== null) return;
    const before = this.answer?.current_step;
    const call = this.#begin('step');
    const query: Record<string, string | number> = { robot_id: this.info.id };
    if (reversed.length > 0) query.reversed = reversed.join(',');
    if (takeOver) query.take_over = 'true';
    const asked = { path: '/calibrate', query };
    let { ok, message, answer } = await send(asked);
    // The first call after one has ended by itself says why. Who begins has been told that it ended, and means the next one.
    const ended = ok && (answer as CalibrationAnswer).calibration_status === 'error';
    if (ended && before === undefined && call === this.#calls) ({ ok, message, answer } = await send(asked));
    if (call !== this.#calls) return;
    this.call = null;
    const said = ok ? (answer as CalibrationAnswer) : null;
    if (said === null) {
      this.fault = message;
    } else {
      const goesOn = said.calibration_status === 'in_progress';
      this.answer = goesOn ? said : null;
      this.#own = goesOn;
      this.held = goesOn && said.current_step === before;
      if (said.calibration_status === 'success') this.outcome = said.message;
      if (said.calibration_status === 'error') this.fault = said.message;
    }
    this.#changed();
  }

  /** Ends it without keeping it, also while a step is under way; never throws. */
  async cancel(): Promise<void> {
    if (this.call === 'cancel') return;
    const call = this.#begin('cancel');
    const { ok, message } = await request({ method: 'DELETE', path: this.#path });
    if (call !== this.#calls) return;
    this.call = null;
    if (ok) {
      this.answer = null;
      this.outcome = `${message}.`;
    } else {
      this.fault = message;
    }
    this.#changed();
  }

  /** Takes the newest frame of the arm: notices what others begin and end, and has step and ranges asked for. */
  take(frame: ArmFrame): void {
    if (this.call !== null) return;
    const underWay = calibratedBy(frame.owner) !== null;
    if (underWay === (this.answer !== null)) {
      this.#disagreeing = 0;
      if (underWay) void this.#ask();
      return;
    }
    this.#disagreeing += 1;
    if (this.#disagreeing < DISAGREEING) return;
    this.#disagreeing = 0;
    if (underWay) {
      void this.#ask();
      return;
    }
    void this.#hearEnd();
  }

  /** Others have ended it, or it was lost: the bridge says which. */
  async #hearEnd(): Promise<void> {
    this.answer = null;
    const call = this.#calls;
    const { ok, message } = await request({ method: 'GET', path: this.#path });
    if (ok || call !== this.#calls) return;
    const said = withoutRoutes(message);
    // To whoever calibrates the arm it is a fault; others are told.
    if (this.#own) this.fault = said;
    else this.outcome = said;
    this.#changed();
  }

  get #path(): string {
    return `/api/v1/arms/${encodeURIComponent(this.info.name)}/calibration`;
  }

  #begin(call: 'step' | 'cancel'): number {
    this.call = call;
    this.fault = '';
    this.outcome = '';
    this.#disagreeing = 0;
    this.#calls += 1;
    this.#changed();
    return this.#calls;
  }

  async #ask(): Promise<void> {
    const now = performance.now();
    const interval = this.answer?.current_step === SWEEP ? INTERVAL : STEP_INTERVAL;
    if (this.#asking || now - this.#asked < interval) return;
    this.#asking = true;
    this.#asked = now;
    const call = this.#calls;
    try {
      const signal = AbortSignal.timeout(ANSWER_LIMIT);
      const path = { name: this.info.name };
      const state = await bridge.call('get', '/api/v1/arms/{name}/calibration', { path, signal });
      if (call === this.#calls) this.#see(state);
    } catch {
      // It is not being calibrated any more, or the header says that there is no connection.
    } finally {
      this.#asking = false;
    }
  }

  #see(state: CalibrationState): void {
    if (this.answer === null) {
      this.#own = false;
      this.fault = '';
      this.outcome = '';
    }
    this.joints = state.joints;
    // What the last call has said of its step is more than the step's own words.
    if (this.answer?.current_step !== state.current_step) {
      this.answer = state;
      this.held = false;
    }
    this.#changed();
  }
}
