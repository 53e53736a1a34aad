import type { Arm, JointMount } from '../arm/arm.ts';
import type { JointModel } from '../arm/model.ts';
import { BridgeError, type Caller, type Owner } from '../arm/types.ts';
import type { CalibrationFile } from '../config/calibration.ts';
import { Running } from '../machine.ts';
import type { ServoFacts } from '../rt/driver/arm-link.ts';
import { familyByName } from '../servo/families.ts';
import { type CalibrationAnswer, type CalibrationView, STEPS } from './calibrating.ts';
import { CALIBRATION, type Step } from './calibration-steps.ts';
import { directionOf } from './directions.ts';
import { isFullTurn, type JointPlan, planJoint, sweepFault, sweepFaults, type Travel } from './homing-plan.ts';
import { Sweep } from './sweep.ts';
import { goLimp, holdTorque, moveEach, nudges, outside } from './trial.ts';

/** What a session needs from the rest of the bridge. */
export interface SessionServices {
  /** Lowers the arm and lets it go limp; resolves to null, or to why it still holds. */
  readonly lower: (arm: Arm, caller: Caller) => Promise<string | null>;
  /** Saves the calibration; returns where. @throws {Error} with a message for users */
  readonly save: (arm: Arm, file: CalibrationFile) => string;
}

/** The calibration of one arm, from its first step to its last. */
export class Session {
  readonly arm: Arm;
  /** Owner of the arm during the session. */
  readonly owner: Owner;
  readonly #machine: Running<Step, keyof typeof CALIBRATION.inputs, keyof typeof CALIBRATION.effects>;
  /** Servo settings to restore if the session fails; null while the servos hold nothing unsaved. */
  unsaved: readonly JointMount[] | null;
  readonly #services: SessionServices;
  readonly #facts: readonly ServoFacts[];
  readonly #before: readonly JointMount[];
  /** Joint models in force during the sweep, with their former zero and sign. */
  readonly #swept: readonly JointModel[];
  readonly #sweep: Sweep;
  /** Time of the newest sample in it, as in snapshots, s. */
  #sampled = 0;
  readonly #signs: (1 | -1)[];
  #middle: Float64Array | null = null;
  #travels: readonly Travel[] = [];
  #plans: readonly JointPlan[] = [];
  /** Joints not moved since their sign was last set; undefined: none has moved yet. */
  #untried: readonly string[] | undefined;
  /** Pose held between the trial moves, and the amount of each move, rad. */
  #home: Float64Array = new Float64Array();
  #by: Float64Array = new Float64Array();

  /**
   * @param facts settings of the arm's servos, just read
   * @param left settings that an earlier, unsaved calibration must still restore; null: none
   */
  constructor(
    arm: Arm,
    owner: Owner,
    services: SessionServices,
    facts: readonly ServoFacts[],
    left: readonly JointMount[] | null,
  ) {
    const { joints } = arm.model;
    this.arm = arm;
    this.owner = owner;
    this.#services = services;
    this.#facts = facts;
    this.#swept = joints;
    this.#signs = joints.map(({ servos }) => servos[0]!.sign);
    this.#before =
      left ??
      joints.map(({ servos }, i) => ({
        offset: facts[i]!.homingOffset,
        operatingMode: facts[i]!.operatingMode,
        limits: facts[i]!.positionLimits,
        expected: servos[0]!.homing !== undefined,
        sign: servos[0]!.sign,
        zero: servos[0]!.zero,
        travel: servos[0]!.travel,
      }));
    this.unsaved = left;
    this.#sweep = new Sweep(joints.length);
    this.#machine = new Running(CALIBRATION, arm.clock.now());
    if (!arm.read().torque) this.put('done');
  }

  get step(): Step {
    return this.#machine.state;
  }

  /** @returns effects for the caller to carry out */
  put(input: keyof typeof CALIBRATION.inputs): readonly (keyof typeof CALIBRATION.effects)[] {
    return this.#machine.put(input, this.arm.clock.now());
  }

  /** Adds the arm's newest sample to the sweep, once. */
  sample(): void {
    const { positions, sampleTime } = this.arm.read();
    if (sampleTime === this.#sampled || (this.step !== 'middle' && this.step !== 'sweep')) return;
    this.#sampled = sampleTime;
    this.#sweep.add(positions);
  }

  /** What the user must do at the current step. */
  instruction(): CalibrationAnswer {
    return this.#answer(this.#text());
  }

  /** Runs the current step and advances to the next one. @throws {BridgeError} */
  async next(reversed: readonly string[], signal: AbortSignal | undefined): Promise<CalibrationAnswer> {
    const { arm, owner } = this;
    // Allowed while uncalibrated, because these moves show whether the angles are right.
    const caller: Caller = { owner, takeOver: false, uncalibrated: true, ...(signal === undefined ? {} : { signal }) };
    if (reversed.length > 0 && this.step !== 'save') {
      throw new BridgeError(
        'bad_request',
        'Joints are said to be reversed after each of them has moved, at the last step.',
      );
    }
    switch (this.step) {
      case 'lower': {
        const problem = await this.#services.lower(arm, caller);
        if (problem !== null) return this.#notYet(problem);
        break;
      }
      case 'middle':
        this.sample();
        this.#middle = this.#sweep.positions.slice();
        this.#sweep.restart();
        break;
      case 'sweep': {
        const travels = this.#present();
        const faults = sweepFaults(arm.model.joints, travels);
        if (faults !== '') return this.#notYet(faults);
        this.#travels = travels;
        await this.#write();
        break;
      }
      case 'hold': {
        const names = outside(arm);
        if (names !== '') return this.#notYet(`${names} at or beyond a limit`);
        const problem = await holdTorque(arm, caller);
        if (problem !== null) return this.#notYet(problem);
        this.#home = arm.read().setpoints.slice();
        this.#by = nudges(arm, this.#untried);
        break;
      }
      case 'move': {
        const problem = await moveEach(arm, this.#home, this.#by, caller);
        if (problem !== null) return this.#notYet(`${problem}. The arm holds`);
        break;
      }
      case 'save':
        return this.#finish(reversed, caller);
      case 'ended':
        return this.instruction();
    }
    this.put('done');
    return this.instruction();
  }

  /** Lets the arm go limp and restores the servo settings. @throws {BridgeError} stopped if it does not go limp */
  async undo(): Promise<void> {
    const problem = await goLimp(this.arm, { owner: this.owner, takeOver: false, uncalibrated: true });
    if (problem !== null) throw new BridgeError('stopped', `Arm ${this.arm.name} has not gone limp: ${problem}.`);
    if (this.unsaved === null) return;
    await this.arm.calibrate(this.unsaved);
    this.unsaved = null;
  }

  view(): CalibrationView {
    const { positions, least, most } = this.#sweep;
    const travels = this.#present();
    return {
      ...this.instruction(),
      joints: this.arm.model.joints.map((joint, i) => {
        const middle = this.#middle?.[i] ?? positions[i]!;
        return {
          name: joint.name,
          position: positions[i]! - middle,
          least: least[i]! - middle,
          most: most[i]! - middle,
          range: joint.upper - joint.lower,
          done: isFullTurn(joint) || (this.#middle !== null && sweepFault(joint, travels[i]!) === null),
        };
      }),
    };
  }

  async #finish(reversed: readonly string[], caller: Caller): Promise<CalibrationAnswer> {
    const { arm } = this;
    const places = reversed.map((name) => arm.model.joints.findIndex((joint) => joint.name === name));
    if (places.includes(-1)) {
      const known = arm.model.joints.map(({ name }) => name).join(', ');
      throw new BridgeError('bad_request', `Arm ${arm.name} has the joints ${known}, not ${reversed.join(', ')}.`);
    }
    const problem = await goLimp(arm, caller);
    if (problem !== null) return this.#notYet(problem);
    if (places.length > 0) {
      for (const i of places) this.#signs[i] = this.#signs[i] === 1 ? -1 : 1;
      this.#untried = reversed;
      await this.#write();
      this.put('reversed');
      return this.#answer(`${reversed.join(', ')}: turned round. ${this.#text()}`);
    }
    await arm.place();
    const where = this.#services.save(arm, this.#file());
    this.unsaved = null;
    const offsets = arm.model.joints.map(({ name }, i) => `${name} ${this.#plans[i]!.offset}`).join(', ');
    return {
      status: 'success',
      message: `${arm.name} is calibrated and limp. Homing offsets: ${offsets}. Kept in its servos and in ${where}.`,
      step: STEPS.length,
      steps: STEPS.length,
    };
  }

  async #write(): Promise<void> {
    const { model } = this.arm;
    this.#plans = this.#swept.map((joint, i) =>
      planJoint(joint, familyByName(model.family), this.#facts[i]!, this.#travels[i]!, this.#signs[i]!),
    );
    this.unsaved = this.#before;
    // Nobody has seen yet whether these joints go as asked.
    await this.arm.calibrate(this.#plans, false);
  }

  #file(): CalibrationFile {
    const { name, model } = this.arm;
    const joints = model.joints.map((joint, i) => {
      const { sign, zero, offset, travel } = this.#plans[i]!;
      const [least, most] = travel;
      const { id } = joint.servos[0]!;
      return [joint.name, { id, sign, zero, homing_offset: offset, range_min: least, range_max: most }] as const;
    });
    return {
      version: 1,
      arm: name,
      model: model.name,
      variant: model.variant,
      written: new Date(1000 * this.arm.clock.wall()).toISOString(),
      joints: Object.fromEntries(joints),
    };
  }

  #present(): Travel[] {
    const { positions, least, most } = this.#sweep;
    return Array.from(positions, (position, i) => ({
      middle: this.#middle?.[i] ?? position,
      least: least[i]!,
      most: most[i]!,
    }));
  }

  #notYet(problem: string): CalibrationAnswer {
    return this.#answer(`Not yet: ${problem}. ${this.#text()}`);
  }

  #answer(message: string): CalibrationAnswer {
    return {
      status: 'in_progress',
      message,
      step: (STEPS as readonly Step[]).indexOf(this.step) + 1,
      steps: STEPS.length,
    };
  }

  #text(): string {
    const { model, name } = this.arm;
    switch (this.step) {
      case 'ended':
        return 'The calibration has ended.';
      case 'lower':
        return `${name} holds. Clear its way down and keep a hand near it: at the next call it goes to its rest pose and limp.`;
      case 'middle':
        return 'The arm is limp. Bring every joint to the middle of its travel by hand, the gripper half open, then go on.';
      case 'sweep': {
        const rolls = model.joints.filter(isFullTurn).map((joint) => joint.name);
        const spared = rolls.length === 0 ? '' : `, but for ${rolls.join(' and ')}, which may stay`;
        return `Lead every joint to both ends of its travel by hand${spared}, then go on.`;
      }
      case 'hold':
        return 'The servos have their new offsets. Raise the arm to about the middle pose and hold it there: at the next call its torque goes on.';
      case 'move':
        return (
          'The arm holds: take your hands off it. At the next call its joints move by 6 degrees and back, one after the ' +
          `other. Watch which way each goes first. ${this.#moves()}.`
        );
      case 'save':
        return (
          `Has each joint gone as it should (${this.#moves()})? Take hold of the arm: at the next call it goes limp within ` +
          '2 s, and its calibration is kept. If a joint went the other way, name it as reversed.'
        );
    }
  }

  /** What the user should see each moving joint do. */
  #moves(): string {
    const { model } = this.arm;
    return model.joints
      .flatMap(({ name }, i) => (this.#by[i] === 0 ? [] : [`${name}: ${directionOf(model, i, this.#by[i]!)}`]))
      .join('; ');
  }
}
