/**
 * The control thread's entry: builds the links, arms and loop from the setup, and turns commands into setpoint sources.
 * The second place, besides the bridge, where parts are put together.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { armChain } from '../kinematics/arm-chain.ts';
import type { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { makePort } from '../servo/port/make.ts';
import { SimPort } from '../servo/port/sim.ts';
import { modelByName } from '../servo/servo-models.ts';
import { fineTimers, setPriority } from '../thread.ts';
import type { ArmLink } from './driver/arm-link.ts';
import { RemoteLink } from './driver/remote-link.ts';
import { ServoLink } from './driver/servo-link.ts';
import type { LinkServo } from './driver/servo-slots.ts';
import { ArmController } from './joint/arm-controller.ts';
import { StallGuard, yieldLimits } from './joint/stall-guard.ts';
import { ControlLoop } from './loop/control-loop.ts';
import type { ArmSetup, Command, CommandResult, ControlSetup, FromControl, SourceSpec, ToControl } from './messages.ts';
import { LoopField, SharedState } from './snapshot/shared-snapshot.ts';
import { Float } from './sources/float.ts';
import { Follow, PLAIN, type Sampler } from './sources/follow.ts';
import { Jog, JogInput } from './sources/jog.ts';
import { mapPositions } from './sources/joint-map.ts';
import type { DriveModel } from './sources/lead.ts';
import type { SetpointSource } from './sources/setpoint-source.ts';
import { Trajectory } from './sources/trajectory.ts';
import { Waypoints, waypointFault } from './sources/waypoints.ts';

/** Part of a joint's torque limit that floating may ask of it. */
const FLOAT_TORQUE_SHARE = 0.5;

/** A joint that is slower rests, rad/s. */
const RESTING = 1e-3;

/** Torque goes on at the measured pose, which must be no older than this, s. */
const OLDEST_START = 0.1;

const setup = workerData as ControlSetup;
const port = parentPort!;
const shared = new SharedState(
  setup.arms.map((arm) => arm.joints.length),
  systemClock,
  setup.shared,
);
/** What is here of each arm, by its place; arms are only ever added. */
const setups: ArmSetup[] = [];
const arms: ArmController[] = [];
const streams: Stream[] = [];
const jogs: { readonly input: JogInput; readonly chain: Chain; readonly collision: CollisionModel }[] = [];
const loop = new ControlLoop(shared, setup.rate, systemClock);

function post(message: FromControl): void {
  port.postMessage(message);
}

/** Newest setpoints of a stream; joints that it has never named stay where they are. */
class Stream implements Sampler {
  sampleTime = 0;
  readonly #positions: Float64Array;

  constructor(joints: number) {
    this.#positions = new Float64Array(joints).fill(Number.NaN);
  }

  arrived(positions: Float64Array): void {
    for (let i = 0; i < positions.length; i++) {
      if (!Number.isNaN(positions[i]!)) this.#positions[i] = positions[i]!;
    }
    this.sampleTime = systemClock.now();
  }

  restart(): void {
    this.#positions.fill(Number.NaN);
  }

  sample(out: Float64Array): void {
    for (let i = 0; i < out.length; i++) if (!Number.isNaN(this.#positions[i]!)) out[i] = this.#positions[i]!;
  }
}

function makeLink(arm: ArmSetup): ArmLink {
  if (arm.bus.kind === 'remote') return new RemoteLink(arm.joints.length, arm.name);
  const joints = arm.joints.map(({ name, servos, settings, lower, upper }) => ({
    name,
    settings,
    middle: (lower + upper) / 2,
    servos: servos.map(({ id, model: trade, sign, zero, homing, shadow }): LinkServo => {
      const model = modelByName(trade);
      if (model === undefined) throw new Error(`arm ${arm.name}: no table of a servo "${trade}"`);
      return { id, model, calibration: { sign, zero, stepsPerTurn: model.stepsPerTurn }, homing, shadow };
    }),
  }));
  const port =
    arm.bus.kind === 'sim' ? new SimPort(arm.bus.url, arm.bus.port, systemClock) : makePort(arm.bus.url, systemClock);
  return new ServoLink(port, joints, arm.leftGains);
}

function makeRuntime(arm: ArmSetup, index: number, chain: Chain): ArmController {
  const of = (pick: (joint: ArmSetup['joints'][number]) => number): Float64Array => Float64Array.from(arm.joints, pick);
  const model = {
    name: arm.name,
    limits: {
      lower: of((joint) => joint.lower),
      upper: of((joint) => joint.upper),
      velocity: { move: of((joint) => joint.moveVelocity), mirror: of((joint) => joint.mirrorVelocity) },
      acceleration: { move: of((joint) => joint.moveAcceleration), mirror: of((joint) => joint.mirrorAcceleration) },
    },
    stiffness: of((joint) => joint.stiffness),
    floatTorque: of((joint) => joint.torqueLimit * FLOAT_TORQUE_SHARE),
    gravity: (q: Float64Array, out: Float64Array) => chain.gravityTorques(q, out),
    stall: arm.joints.map(({ stall }) => (stall === null ? null : new StallGuard(stall))),
    yield: arm.joints.map(({ torqueLimit }) => new StallGuard(yieldLimits(torqueLimit))),
  };
  const runtime = new ArmController(index, model, makeLink(arm), shared);
  runtime.onEnd = (motion, reason) => post({ kind: 'ended', arm: index, motion, reason });
  runtime.onContactRelief = (joint) => {
    const text = `${arm.joints[joint]!.name} has pressed on something without moving: it gives way`;
    post({ kind: 'warning', arm: index, text });
  };
  const { link } = runtime;
  runtime.onState = () =>
    post({ kind: 'state', arm: index, state: runtime.state, reason: link.reason === '' ? link.fault : link.reason });
  link.onWarning = (text) => post({ kind: 'warning', arm: index, text });
  link.onAiling = (joint, text, ailment) => post({ kind: 'ailing', arm: index, joint, text, ailment });
  return runtime;
}

/** Adds an arm, whose memory is there, after those that there are. @throws {Error} when its data cannot be used */
function addArm(arm: ArmSetup): void {
  // One chain for all of this thread: no two of its calls overlap.
  const chain = armChain(arm);
  const jog = { input: new JogInput(arm.joints.length), chain, collision: new CollisionModel(chain) };
  const runtime = makeRuntime(arm, setups.length, chain);
  // Nothing throws from here on: an arm is in all of these lists at one place, or in none.
  if (arm.detached !== null) void runtime.link.close(arm.detached);
  setups.push(arm);
  arms.push(runtime);
  streams.push(new Stream(arm.joints.length));
  jogs.push(jog);
  loop.add(runtime);
}

for (const arm of setup.arms) addArm(arm);

/** What an arm's goals must lead by. A remote one's go out as they are: smoothed by both bridges they would be late twice. */
function driveModel(arm: ArmController): DriveModel {
  const { joints } = setups[arm.index]!;
  const over = (pick: (joint: ArmSetup['joints'][number]) => number): Float64Array =>
    Float64Array.from(joints, (joint, i) => pick(joint) / (joint.stiffness * arm.link.gain[i]!));
  return {
    damping: over((joint) => joint.damping),
    inertia: over((joint) => joint.inertia),
    friction: over((joint) => joint.friction),
    smooth: !arm.link.remote,
  };
}

/** Largest speeds for moves (rad/s), and accelerations with which they gain speed (rad/s^2). */
interface Pace {
  readonly top: Float64Array;
  readonly gaining: Float64Array;
}

function makeSource(arm: ArmController, command: Extract<Command, { kind: 'drive' }>, pace: Pace): SetpointSource {
  const { top, gaining } = pace;
  const spec = command.source;
  const { limits } = arm.model;
  switch (spec.kind) {
    case 'trajectory': {
      const { speed } = spec;
      const velocity = speed === null ? top : top.map((most) => Math.min(most, speed));
      const jerk = Float64Array.from(
        setups[command.arm]!.joints,
        ({ moveJerk }) => moveJerk ?? Number.POSITIVE_INFINITY,
      );
      return new Trajectory(spec.goal, { velocity, acceleration: gaining, jerk });
    }
    case 'mirror': {
      const { link } = arms[spec.leader]!;
      const { maps } = spec;
      const sampler: Sampler = {
        get sampleTime() {
          return link.up ? link.sampleTime : 0;
        },
        sample(out) {
          mapPositions(maps, link.positions, out);
        },
      };
      return new Follow(sampler, driveModel(arm), 'mirroring', systemClock.now, spec.options);
    }
    case 'stream': {
      const stream = streams[command.arm]!;
      stream.restart();
      return new Follow(stream, driveModel(arm), 'moving', systemClock.now, PLAIN, spec.timeout);
    }
    case 'waypoints':
      return new Waypoints(spec, top);
    case 'jog': {
      const { input, chain, collision } = jogs[command.arm]!;
      input.sampleTime = 0;
      const { lower, upper, acceleration } = limits;
      const move = { lower, upper, velocity: top, acceleration: acceleration.move, gaining };
      return new Jog(input, move, chain, collision, systemClock.now, spec.timeout);
    }
    case 'float':
      return new Float(spec.support, spec.fade, spec.gains);
  }
}

/** Part of its largest speeds at which an arm is moved. A motion that is slow by itself, as lowering is, keeps its own. */
function speedPart(arm: ArmController, spec: SourceSpec): number {
  return spec.kind === 'trajectory' && spec.speed !== null ? 1 : shared.speedPart(arm.index);
}

/**
 * The same of its accelerations. Poses with times of their own are not reached later than these say; and an arm that moves
 * keeps all, since it has to brake first.
 */
function accelerationPart(arm: ArmController, spec: SourceSpec): number {
  if (spec.kind === 'waypoints' || (spec.kind === 'trajectory' && spec.speed !== null)) return 1;
  return arm.gate.velocities.some((speed) => Math.abs(speed) > RESTING) ? 1 : shared.accelerationPart(arm.index);
}

/** Why a source cannot drive an arm at speeds up to `velocity` (rad/s); empty when it can. */
function refusalOf(arm: ArmController, spec: SourceSpec, velocity: Float64Array): string {
  const wrong = spec.kind === 'mirror' ? arms[spec.leader]!.link.miscalibrated : '';
  if (arm.link.miscalibrated !== '' || wrong !== '') return arm.link.miscalibrated || `its leader: ${wrong}`;
  if (spec.kind === 'trajectory') return spec.goal.every(Number.isFinite) ? '' : 'a goal position is no number';
  if (spec.kind !== 'waypoints') return '';
  const { lower, upper } = arm.model.limits;
  const names = setups[arm.index]!.joints.map((joint) => joint.name);
  return waypointFault(spec, arm.setpoints, { names, lower, upper, velocity }) ?? '';
}

type SlowCommand = Extract<Command, { kind: 'servos' | 'limit_temperatures' | 'calibrate' }>;

/** Carries out a command that takes transactions with single servos, over many cycles. */
async function talk(command: SlowCommand): Promise<CommandResult | string> {
  const { link, motion } = arms[command.arm]!;
  if (!link.up) return link.reason;
  try {
    if (command.kind === 'servos') return { motion, duration: 0, servos: await link.servos() };
    if (command.kind === 'calibrate') await link.calibrate(command.joints);
    else await link.limitTemperatures(command.limits);
    return { motion, duration: 0 };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Carries a command out; returns its result, or the reason why it cannot be. */
function carryOut(command: Exclude<Command, SlowCommand>): CommandResult | string {
  if (command.kind === 'close') return { motion: 0, duration: 0 };
  if (command.kind === 'add') {
    shared.add(command.setup.joints.length, command.shared);
    try {
      addArm(command.setup);
    } catch (error) {
      shared.drop();
      return error instanceof Error ? error.message : String(error);
    }
    return { motion: 0, duration: 0 };
  }
  const arm = arms[command.arm]!;
  switch (command.kind) {
    case 'connect':
      arm.link.reopen();
      break;
    case 'disconnect':
      void arm.link.close(command.reason);
      break;
    case 'torque':
      if (!arm.link.up) return arm.link.reason;
      if (command.on && shared.stopLatched(command.arm)) return 'it is stopped';
      if (command.on && arm.link.torqueRefusal !== '') return `no torque: ${arm.link.torqueRefusal}`;
      if (command.on && systemClock.now() - arm.link.sampleTime > OLDEST_START)
        return 'its servos do not answer just now';
      arm.setTorque(command.on);
      break;
    case 'gains': {
      const { gains } = arm.link;
      if (!arm.link.up) return arm.link.reason;
      if (gains === null) return 'its servos belong to another machine';
      const plan = gains.plan(command.parts, arm.model.floatTorque);
      return { motion: arm.motion, duration: 0, gains: { ...plan, restored: gains.restored } };
    }
    case 'work_gains': {
      const { gains } = arm.link;
      if (!arm.link.up) return arm.link.reason;
      if (gains === null) return 'its servos belong to another machine';
      gains.work(command.parts);
      break;
    }
    case 'recover': {
      // Its torque gives way for a moment, which no motion bears.
      if (!shared.stopLatched(command.arm)) break;
      const refusal = arm.link.recover(systemClock.now());
      if (refusal !== '') return refusal;
      break;
    }
    case 'give_up':
      arm.link.giveUp();
      break;
    case 'cancel':
      arm.cancel(command.motion, 'cancelled');
      break;
    case 'drive': {
      if (!arm.link.up) return arm.link.reason;
      if (shared.stopLatched(command.arm)) return 'it is stopped';
      if (!arm.powered) return 'its torque is off';
      const part = speedPart(arm, command.source);
      const gain = accelerationPart(arm, command.source);
      const { velocity, acceleration } = arm.model.limits;
      const top = velocity.move.map((most) => most * part);
      const refusal = refusalOf(arm, command.source, top);
      if (refusal !== '') return refusal;
      const source = makeSource(arm, command, { top, gaining: acceleration.move.map((most) => most * gain) });
      arm.drive(source, part, gain);
      const timed = source instanceof Trajectory || source instanceof Waypoints;
      return { motion: arm.motion, duration: timed ? source.duration : 0 };
    }
  }
  return { motion: arm.motion, duration: 0 };
}

function answer(request: number, result: CommandResult | string): void {
  if (typeof result === 'string') post({ kind: 'refused', request, reason: result });
  else post({ kind: 'reply', request, result });
}

async function close(): Promise<void> {
  loop.stop();
  await Promise.all(arms.map((arm) => arm.link.close('the bridge is ending')));
  port.close();
}

port.on('message', (message: ToControl) => {
  if ('sample' in message) {
    const { sample } = message;
    if (sample.kind === 'setpoints') {
      streams[sample.arm]!.arrived(sample.positions);
    } else if (sample.kind === 'jog') {
      jogs[sample.arm]!.input.arrived(sample.velocity, systemClock.now());
    } else {
      const { link } = arms[sample.arm]!;
      if (link instanceof RemoteLink) link.arrived(sample.positions, sample.velocities, systemClock.now());
    }
    return;
  }
  const { request, command } = message;
  if (command.kind === 'servos' || command.kind === 'limit_temperatures' || command.kind === 'calibrate') {
    void talk(command).then((result) => answer(request, result));
    return;
  }
  answer(request, carryOut(command));
  if (command.kind === 'close') void close();
});

if (setup.priority !== null) {
  const refusal = setPriority(setup.priority);
  shared.loop[LoopField.priority] = refusal === '' ? setup.priority : 0;
  if (refusal !== '') {
    post({ kind: 'notice', text: `the control thread runs without control.priority ${setup.priority}: ${refusal}` });
  }
}
fineTimers();
loop.start();
