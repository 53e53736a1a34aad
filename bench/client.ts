/** Drives emulated servos by the bridge's own code in one thread, and prints what it measured. */

import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../src/clock.ts';
import type { ArmController } from '../src/rt/joint/arm-controller.ts';
import { ControlLoop } from '../src/rt/loop/control-loop.ts';
import { busSession } from '../src/rt/open-link.ts';
import { StateCode } from '../src/rt/snapshot/arm-fields.ts';
import { SharedState } from '../src/rt/snapshot/shared-snapshot.ts';
import { Feedback } from '../src/rt/sources/feedback.ts';
import { Feel } from '../src/rt/sources/feel.ts';
import { Float } from '../src/rt/sources/float.ts';
import { radiansToSteps } from '../src/servo/calibration.ts';
import { DynamixelBus } from '../src/servo/dynamixel/dynamixel-bus.ts';
import { FeetechBus } from '../src/servo/feetech/feetech-bus.ts';
import { makePort } from '../src/servo/port/make.ts';
import { fineTimers } from '../src/thread.ts';
import { linkJoints, loadModel, makeRuntime, mirror } from './arms.ts';
import type { ClientOptions, ClientReport } from './messages.ts';
import { FollowerLink, LeaderLink, Probe } from './probe.ts';

/** Time for the start ramp and the compiler, s; no longer than is measured. */
const WARM_UP = 2;
/** Time until all arms are connected and moving, s: a machine that is busy with other work loads the programs and checks all servos that slowly. */
const START_LIMIT = 120;
/** A read of the bus alone that has not settled after so long is expired, ms. */
const PATIENCE = 5;

const options: ClientOptions = JSON.parse(process.argv[2]!);
const model = loadModel();
const joints = linkJoints(model, options.family);
const probe = new Probe();
/** Each joint follows its like. */
const MAPS = joints.map((_, from) => ({ from, scale: 1, offset: 0, lower: -10, upper: 10 }));
const NONE = new Float64Array(joints.length);
const SOFT = NONE.map(() => model.gravity.softGain);

const seconds = systemClock.now;

async function until(condition: () => boolean, what: () => string): Promise<void> {
  const limit = seconds() + START_LIMIT;
  while (!condition()) {
    if (seconds() > limit) throw new Error(what());
    await sleep(20);
  }
}

/** Lets `probe` see `duration` s go by. */
async function measure(duration: number): Promise<ClientReport> {
  await sleep(Math.min(WARM_UP, duration) * 1000);
  probe.on = true;
  const began = seconds();
  const cpu = process.cpuUsage();
  await sleep(duration * 1000);
  const { user, system } = process.cpuUsage(cpu);
  const took = seconds() - began;
  probe.on = false;
  return {
    cycles: probe.cycles,
    seconds: took,
    cpu: (user + system) / 1e6,
    periods: probe.periods.ascending(),
    ages: probe.ages.ascending(),
    sent: 0,
    skipped: probe.skipped,
    heap: null,
  };
}

/**
 * What `cycles` cycles leave on the heap. As many go before, so that functions have been compiled and tables have their
 * final size: the compiler keeps its own things on the same heap.
 */
async function heapAfter(cycles: number): Promise<{ used: number; buffers: number }> {
  const collect = globalThis.gc;
  if (!collect) throw new Error('heap is measured by node --expose-gc');
  const settled = (): { heapUsed: number; arrayBuffers: number } => {
    collect();
    collect();
    return process.memoryUsage();
  };
  probe.on = true;
  const reach = async (count: number): Promise<void> => {
    while (probe.cycles < count) await sleep(100);
  };
  await reach(cycles);
  const before = settled();
  await reach(2 * cycles);
  const after = settled();
  return { used: after.heapUsed - before.heapUsed, buffers: after.arrayBuffers - before.arrayBuffers };
}

/**
 * One arm that holds where it is, or pairs of arms of which the second mirrors the first. The first pair's reads begin a
 * cycle, the last one's goals end it.
 */
async function controlLoop(): Promise<ClientReport> {
  const single = options.ports.length === 1;
  const shared = new SharedState(
    options.ports.map(() => joints.length),
    systemClock,
  );
  const arms: ArmController[] = [];
  const add = <L extends LeaderLink>(link: L): { arm: ArmController; link: L } => {
    const arm = makeRuntime(model, arms.length, link, shared);
    arms.push(arm);
    return { arm, link };
  };
  const pairs: {
    follower: ArmController;
    link: FollowerLink;
    leader: LeaderLink | null;
    leading: ArmController | null;
  }[] = [];
  for (let i = 0; i < options.ports.length; i += 2) {
    const session = (at: number) => busSession(makePort(`serial:${options.ports[at]}`, systemClock), joints);
    const { link: leader, arm: leading } = single ? { link: null, arm: null } : add(new LeaderLink(session(i), joints));
    const { arm, link } = add(new FollowerLink(session(single ? i : i + 1), joints));
    link.leader = leader ?? link;
    pairs.push({ follower: arm, link, leader, leading });
  }
  (pairs[0]!.leader ?? pairs[0]!.link).meter = probe;
  pairs.at(-1)!.link.goals = probe;
  const loop = new ControlLoop(shared, options.rate ?? Number.POSITIVE_INFINITY, systemClock);
  for (const arm of arms) loop.add(arm);
  fineTimers();
  loop.start();
  try {
    const ends: string[] = [];
    for (const arm of arms) arm.motions.onEnd = (_, reason, text) => ends.push(`${reason} ${text}`);
    const reasons = (): string => [...ends, ...arms.map((arm) => arm.reason)].join('; ');
    await until(() => arms.every((arm) => arm.state !== StateCode.disconnected), reasons);
    const feels = arms.map((arm) => ({ feel: new Feel(arm) }));
    const energise = (arm: ArmController): Promise<void> => {
      arm.setTorque(true);
      return until(
        () => arm.holding,
        () => `torque does not go on: ${reasons()}`,
      );
    };
    for (const { follower, leader, leading } of pairs) {
      await energise(follower);
      if (leader === null || leading === null) continue;
      const source = mirror(model, leader);
      follower.drive(source);
      if (options.feels !== true) continue;
      await energise(leading);
      const { feel } = feels[follower.index]!;
      feel.begin(leading, leading.index, MAPS, source, { arm: 1, gripper: 1 });
      leading.drive(new Float(NONE, 0, SOFT, new Feedback(leading, leading.index, feels)));
    }
    const expected = single ? StateCode.ready : StateCode.mirroring;
    const heap = options.kind === 'heap' ? await heapAfter(options.cycles) : null;
    const report = await measure(options.kind === 'heap' ? 0 : options.seconds);
    for (const { follower, leading } of pairs) {
      if (options.feels === true && leading?.state !== StateCode.floating)
        throw new Error(`a leader floats no more: it is in state ${leading?.state}`);
      if (follower.state !== expected) throw new Error(`a follower fell into state ${follower.state}: ${reasons()}`);
    }
    return { ...report, heap };
  } finally {
    loop.stop();
    for (const arm of arms) await arm.link.close('the run is over');
  }
}

async function busAlone(): Promise<ClientReport> {
  const port = makePort(`serial:${options.ports[0]}`, systemClock);
  await port.open();
  const servos = joints.map((joint) => joint.servos[0]!);
  const ids = servos.map(({ id }) => id);
  const bus = options.family === 'feetech' ? new FeetechBus(port, ids) : new DynamixelBus(port, ids);
  const { presentPosition, goalPosition } = servos[0]!.model.common;
  const goals = Int32Array.from(servos, ({ calibration }) => radiansToSteps(calibration, 0));
  let stopped = false;
  let began = 0;
  const cycle = (): void => {
    if (stopped) return;
    began = seconds();
    probe.cycle(began);
    bus.beginRead(presentPosition.address, presentPosition.size);
  };
  bus.onSettled = () => {
    bus.syncWrite(goalPosition, goals);
    probe.written(began);
    cycle();
  };
  const watch = setInterval(() => {
    if (seconds() - began > PATIENCE / 1000) bus.expire();
  }, PATIENCE);
  cycle();
  const report = await measure(options.seconds);
  stopped = true;
  clearInterval(watch);
  await port.close();
  return report;
}

const report = options.kind === 'bus' ? await busAlone() : await controlLoop();
process.stdout.write(`${JSON.stringify({ ...report, sent: probe.sent })}\n`);
