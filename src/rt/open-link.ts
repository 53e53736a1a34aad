import type { Clock } from '../clock.ts';
import { type SetupLine, USUAL_IDS } from '../servo/assign.ts';
import { benchAt, carryOut } from '../servo/bench.ts';
import { BusSession } from '../servo/bus-session.ts';
import type { ClientOptions } from '../servo/exchange.ts';
import { familyByName } from '../servo/families.ts';
import { makePort } from '../servo/port/make.ts';
import type { BytePort } from '../servo/port/port.ts';
import { SimPort } from '../servo/port/sim.ts';
import { atRate } from '../servo/port/url.ts';
import { modelByName } from '../servo/servo-models.ts';
import type { RunBench } from './control-thread.ts';
import type { ArmLink } from './driver/arm-link.ts';
import type { GainPlan } from './driver/gains.ts';
import { RemoteLink } from './driver/remote-link.ts';
import { ServoLink } from './driver/servo-link.ts';
import { type LinkJoint, type LinkServo, servoSlots } from './driver/servo-slots.ts';
import type { ArmSetup, BusSetup, JointSetup } from './messages.ts';

/** Reply deadline of a simulated servo in a check, ms: long, because only a busy host makes a reply late. */
const SIMULATED_DEADLINE = 500;

/** Reply deadline during the setup of an arm, ms: a person would rather wait than hear that a servo is missing. */
const PATIENT_DEADLINE = 150;
/** Ids to look for on a simulated bus: no simulated arm has more servos, and a new servo has id 1. */
const SIMULATED_IDS = USUAL_IDS.slice(0, 10);

/** Makes the link of an arm to its servos or to the machine that has them. @throws {Error} unknown servo model */
export function openLink(arm: ArmSetup, clock: Clock): ArmLink {
  if (arm.bus.kind === 'remote') return new RemoteLink(arm.joints.length, arm.name);
  const simulated = arm.bus.kind === 'sim';
  return servoLink(busPort(arm.bus, clock), linkJoints(arm.name, arm.joints), arm.leftGains, simulated);
}

/** Makes the link to servos of one family on a port. */
export function servoLink(
  port: BytePort,
  joints: readonly LinkJoint[],
  leftGains: GainPlan | null = null,
  simulated = false,
): ServoLink {
  const session = busSession(port, joints, simulated ? { deadline: SIMULATED_DEADLINE } : {});
  return new ServoLink(session, joints, leftGains, simulated);
}

/** Makes the session on the bus of these joints. */
export function busSession(port: BytePort, joints: readonly LinkJoint[], options: ClientOptions = {}): BusSession {
  const slots = servoSlots(joints);
  const ids = slots.map(({ id }) => id);
  return new BusSession(port, slots[0]!.model.family, ids, options);
}

/** Converts joint setups to the joints of a link. @throws {Error} for an unknown servo model */
export function linkJoints(arm: string, joints: readonly JointSetup[]): LinkJoint[] {
  return joints.map(({ name, servos, settings, lower, upper }) => ({
    name,
    settings,
    lower,
    upper,
    servos: servos.map(({ id, model: trade, sign, zero, homing, shadow }): LinkServo => {
      const model = modelByName(trade);
      if (model === undefined) throw new Error(`arm ${arm}: no table of a servo "${trade}"`);
      return { id, model, calibration: { sign, zero, stepsPerTurn: model.stepsPerTurn }, homing, shadow };
    }),
  }));
}

/**
 * Runs a task on the servos of an arm that is being set up, one at a time and between the cycles, like the check on
 * connecting.
 * @throws {RangeError} for a family that does not exist
 */
export const runBench: RunBench = ({ bus, family: name, baudRate, task }, clock, settle) => {
  const family = familyByName(name);
  const simulated = bus.kind === 'sim';
  // A scan of many ids waits only as long as a reply takes; servos that are expected to be there get longer.
  const patience = simulated || task.call !== 'assign' ? { deadline: PATIENT_DEADLINE } : {};
  const line: SetupLine = {
    name: bus.url,
    async open(rate) {
      const port = busPort(rate === null ? bus : { ...bus, url: atRate(bus.url, rate) }, clock);
      await port.open();
      return { client: family.makeClient(port, patience), close: () => port.close() };
    },
  };
  void carryOut(benchAt(line, baudRate, simulated ? { ids: SIMULATED_IDS } : {}), task).then((bench) =>
    settle({ motion: 0, duration: 0, bench }),
  );
};

function busPort(bus: Exclude<BusSetup, { kind: 'remote' }>, clock: Clock): BytePort {
  if (bus.kind === 'port') return makePort(bus.url, clock);
  return 'postMessage' in bus.port ? new SimPort(bus.url, bus.port, clock) : bus.port;
}
