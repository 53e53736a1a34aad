import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MainModule } from '@mujoco/mujoco';
import { pino } from 'pino';
import { type ArmModel, loadArmModel } from '../src/arm/model.ts';
import { simulatedCounterpart } from '../src/arm/simulated-counterpart.ts';
import { Bridge } from '../src/bridge.ts';
import { asBuilt } from '../src/calibration/as-built.ts';
import { CalibrationStore } from '../src/calibration/calibration-store.ts';
import { configSchema } from '../src/config/schema.ts';
import { CLIENT_HEADER } from '../src/http/clients.ts';
import type { BytePort } from '../src/servo/port/port.ts';
import { LocalSimulation } from '../src/sim/local-simulation.ts';
import { seededRandom } from '../src/sim/random.ts';
import type { ServoFault } from '../src/sim/servo-faults.ts';
import type { SimFault } from '../src/sim/servo-line.ts';
import { watchAnswer } from './answers.ts';
import { control, stream } from './controllers.ts';
import { END_LIMIT, watchEnd } from './ending.ts';
import { Judge, LOOK } from './judge.ts';
import { LanePort } from './lane-port.ts';
import type { Deed, Layout, Script } from './script.ts';
import { type Lane, VirtualTime } from './virtual-clock.ts';
import { VirtualHost } from './virtual-host.ts';

/** Longest that anybody waits for an answer, s. */
const PATIENCE = 70;
/** Most plans take up to so long, s, and this share of them up to so much longer. */
const SHORT_PLAN = 0.02;
const LONGEST_PLAN = 0.4;
const LONG_PLAN = 0.1;
/** Time for a bridge to start, s. */
const START = 30;
/** Time in which arms come back once everything is mended, s. */
const RECOVERY = 25;
/** What a servo's fault may make an arm do by itself, which is lowering it, takes at most this long, s. */
const LOWERING = 30;
/** So long after a fault of a servo an arm may sink, s; longer only where a servo still holds back. */
const SAGGING = 3;
/** Within this time the control thread has noticed that the main thread stands still, s. */
const NOTICED = 0.3;
/** A request whose handler has not begun is asked when it begins, so long before, s. */
const HANDED_OVER = 0.1;
/** So many joints, from the base on, raise an arm. */
const UPPER_ARM = 3;
/** A hand that lets go leaves the arm swinging for so long, s: a weak motor brakes little. */
const SWING = 2;

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer has in it is looked at field by field
  readonly body: any;
}

/** What has been asked and not answered, or has been. */
export interface Asked {
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly body: object | undefined;
  answer: Answer | null;
}

/** The bridge, its arms and everybody about them in virtual time. */
export class World {
  readonly time = new VirtualTime();
  readonly judge: Judge;
  readonly simulation: LocalSimulation;
  readonly models = new Map<string, ArmModel>();
  /** Lines of the log, with the instant of each. */
  readonly log: { readonly at: number; readonly level: number; readonly text: string }[] = [];
  readonly asked: Asked[] = [];
  /** A number that differs when anything has been sent otherwise, and bytes sent. */
  fingerprint = 0;
  bytes = 0;
  bridge: Bridge | null = null;
  host: VirtualHost | null = null;
  readonly layout: Layout;
  readonly #lane: Lane;
  readonly #planningTime: () => number;
  readonly #mujoco: MainModule | null;
  readonly #folder: string;
  /** Until when the main thread and the control thread do not run, s. */
  #mainPausedUntil = 0;
  #controlPausedUntil = 0;
  /** When the main thread began to stand still, and for how long the control thread has run meanwhile, s. */
  #mainPausedSince = 0;
  #alone = 0;
  /** Until when bytes are late or missing, s, by arm. */
  readonly #slowUntil = new Map<string, number>();
  /** Servos whose reading stays as it is, and how often servos of an arm have begun or ended to tell wrong positions. */
  readonly #frozen = new Set<string>();
  readonly #lies = new Map<string, number>();
  /** Registers of servos that have been changed, by arm and id. */
  readonly #changed: { readonly arm: string; readonly id: string; readonly names: readonly string[] }[] = [];
  #tidying = false;

  constructor(layout: Layout, seed: number, mujoco: MainModule | null) {
    this.layout = layout;
    this.#mujoco = mujoco;
    this.#lane = this.time.lane('world');
    const planning = seededRandom(seed);
    this.#planningTime = () => (planning() < LONG_PLAN ? LONGEST_PLAN : SHORT_PLAN) * planning();
    this.#folder = mkdtempSync(join(tmpdir(), 'arm-bridge-explore-'));
    this.judge = new Judge(() => this.time.now);
    this.judge.saysFloating = (arm) => this.bridge?.arms.byName(arm)?.read().state === 'floating';
    this.simulation = new LocalSimulation({
      clock: this.#lane,
      mujoco,
      line: layout.line,
      tick: LOOK,
      catchUp: Number.POSITIVE_INFINITY,
      onFailure: (message) => this.judge.complain('error', '', message),
    });
    for (const [
      index,
      { name, model: modelName, variant, payload = 0, backlash, homing = {}, calibrated = true },
    ] of layout.arms.entries()) {
      const model = loadArmModel(modelName, variant);
      const twin = simulatedCounterpart(model, name, { payload, stiffness: 1 });
      const gear = backlash === undefined ? {} : { gear: { backlash } };
      // Feetech takes the offset away from what the encoder tells, Dynamixel adds it.
      const sense = model.family === 'feetech' ? 1 : -1;
      const joints = twin.joints.map((joint) => {
        const offset = homing[joint.servos[0]!.id] ?? 0;
        const servos = joint.servos.map((servo) => ({ ...servo, zero: servo.zero + sense * offset }));
        return { ...joint, ...gear, servos, settings: { ...joint.settings, homing_offset: offset } };
      });
      const line = this.simulation.build({ ...twin, joints, seed: 1000 * seed + index + 1 });
      this.models.set(name, model);
      this.judge.add(name, model, line.sim, !calibrated);
    }
    this.#calibrate();
    this.#lane.every(LOOK, () => {
      this.#watchAlone();
      this.judge.look();
    });
  }

  get now(): number {
    return this.time.now;
  }

  /** Starts the bridge, as a new process does. */
  async start(): Promise<void> {
    if (this.bridge !== null) return;
    const host = new VirtualHost(this.#mujoco, this.time, null, this.layout.line);
    host.portAt = (url) => this.#port(url);
    host.planningTime = this.#planningTime;
    this.host = host;
    const { arms, pairs, rate } = this.layout;
    const config = configSchema.parse({
      state_folder: this.#folder,
      recording: { folder: join(this.#folder, 'recordings') },
      ros: { enabled: false },
      control: { rate },
      arms: arms.map(({ name, model, variant }, id) => ({
        name,
        id,
        model,
        ...(variant === undefined ? {} : { variant }),
        bus: `serial:/dev/explore/${name}`,
      })),
      pairs,
    });
    const logger = pino({ level: 'info' }, { write: (line) => this.#logged(line) });
    const starting = Bridge.start(config, logger, host).then(
      (bridge) => {
        if (this.host !== host) return;
        this.bridge = bridge;
        // A process ends by it, as program.ts has it end; the arms are left holding.
        bridge.onFailure = () => void this.#fail(bridge);
        bridge.autostart();
      },
      (error: unknown) => {
        if (this.host === host) this.judge.complain('error', '', `the bridge does not start: ${String(error)}`);
      },
    );
    await this.time.settles(starting, START);
    if (pairs.some(({ autostart }) => autostart)) {
      for (const { leader, follower } of pairs) {
        if (this.judge.isStopped(follower)) continue;
        this.judge.follows(follower, leader, false, this.now);
        this.judge.allowTorque(follower, 'autostart');
      }
    }
  }

  /** Ends a process without a word. */
  kill(): void {
    const { host } = this;
    this.host = null;
    this.bridge = null;
    if (host === null) return;
    host.halt();
    this.#silence(Number.POSITIVE_INFINITY);
    for (const { name } of this.layout.arms) this.judge.forget(name);
  }

  /** Lets time pass, s. */
  async pass(duration: number): Promise<void> {
    await this.time.run(this.time.now + duration);
  }

  /** Does one deed; what it takes goes on afterwards. */
  do(deed: Deed): void {
    switch (deed.do) {
      case 'ask':
        void this.ask(deed.method ?? 'POST', deed.url, this.#observed(deed), deed);
        break;
      case 'follow':
      case 'grip':
        void control(this, deed);
        break;
      case 'stream':
        void stream(this, deed, (duration) => new Promise((resolve) => this.#lane.after(duration, resolve)));
        break;
      case 'hand':
        this.hand(deed.arm, deed.joints, deed.over);
        break;
      case 'fault':
        this.fault(deed.arm, deed.fault);
        break;
      case 'pause':
        this.#pause(deed.thread, deed.for);
        break;
      case 'crash':
        this.host?.thread?.kill(new Error('explore: it was made to fail'));
        this.#silence(1);
        for (const { name } of this.layout.arms) this.judge.forget(name);
        break;
      case 'kill':
        this.kill();
        break;
      case 'start':
        void this.start();
        break;
      case 'end':
        void this.end();
        break;
      case 'clock':
        this.time.wallOffset += deed.by;
        break;
    }
  }

  /** The body of a request, with the stamp of the observation that it is about. */
  #observed({ body, age }: Extract<Deed, { do: 'ask' }>): object | undefined {
    if (age === undefined || this.host === null) return body;
    return { ...body, observed: this.host.clock.wall() - age };
  }

  /** A person asks by HTTP. @param who its name, if it has one; hangUp: s after which it is gone */
  async ask(
    method: string,
    url: string,
    body?: object,
    { who, hangUp }: { readonly who?: string; readonly hangUp?: number } = {},
  ): Promise<Answer | null> {
    const { bridge, host } = this;
    if (bridge === null || host === null) return null;
    const asked: Asked = { at: this.now, method, url, body, answer: null };
    this.asked.push(asked);
    const ended = this.#asking(method, url, body);
    const abort = new AbortController();
    if (hangUp !== undefined) this.#lane.after(hangUp, () => abort.abort());
    const patience = this.#lane.after(PATIENCE, () => {
      if (this.host === host) this.judge.complain('patience', '', `${method} ${url} has no answer after ${PATIENCE} s`);
    });
    // The main thread hears of it when it runs.
    await new Promise<void>((resolve) => host.clock.soon(resolve));
    const answered = await bridge.http
      .inject({
        method: method as 'GET',
        url,
        headers: { host: '127.0.0.1', ...(who === undefined ? {} : { [CLIENT_HEADER]: who }) },
        signal: abort.signal,
        ...(body === undefined ? {} : { payload: body }),
      })
      .then(
        ({ statusCode, payload }): Answer => ({ status: statusCode, body: parsed(payload) }),
        () => null,
      );
    patience.cancel();
    if (this.host !== host) return null;
    asked.answer = answered;
    ended(answered);
    return answered;
  }

  /** A hand leads joints of an arm, or lets go. */
  hand(arm: string, joints: Readonly<Record<string, number>> | null, over: number): void {
    this.simulation.get(arm).sim.hand(joints, over);
    const until = joints === null ? this.now + SWING : Number.POSITIVE_INFINITY;
    this.judge.allow(arm, 'hand', until);
  }

  fault(arm: string, fault: SimFault): void {
    const line = this.simulation.get(arm);
    line.fault(fault);
    const now = this.now;
    this.judge.disturbed(now + (fault.stall ?? 0));
    const weak = weakens(fault);
    if (weak) {
      this.judge.allow(arm, 'weak', now + SAGGING);
      this.judge.allow(arm, 'protection', now + LOWERING, 'lowering');
      this.judge.allowRelease(arm, now + LOWERING);
    }
    if (fault.dead !== undefined) this.judge.dead(arm, fault.dead.length > 0 ? LOWERING : 0);
    for (const [id, servo] of Object.entries(fault.servos ?? {})) {
      if (servo.ignoresGoals === false) this.judge.takesAgain(arm, Number(id));
      this.#misread(arm, id, servo);
      if (servo.registers?.id !== undefined) this.judge.rename(arm, Number(id), servo.registers.id);
      const names = Object.keys(servo.registers ?? {});
      if (names.length > 0) this.#changed.push({ arm, id, names });
      if (names.some((name) => !IDENTITY.has(name))) this.judge.alter(arm, Number(id), names.includes('min_position'));
    }
    if (fault.requests?.lateness !== undefined) this.judge.late(arm, fault.requests.lateness);
    const slow = (fault.stall ?? 0) + (fault.requests?.lateness ?? 0);
    if (slow > 0) this.#slowUntil.set(arm, Math.max(this.#slowUntil.get(arm) ?? 0, now + slow));
    if (fault.unplugged) this.judge.forget(arm);
    const silent = fault.unplugged ? Number.POSITIVE_INFINITY : (fault.stall ?? 0);
    if (silent > 0) this.judge.silent(arm, now + silent);
  }

  /** A servo tells a position that is not so, or no longer: until a little later nobody knows where its joint is. */
  #misread(arm: string, id: string, { frozen, misreads, turns }: ServoFault): void {
    const servo = `${arm} ${id}`;
    if (frozen === true) this.#frozen.add(servo);
    else if (frozen === false && !this.#frozen.delete(servo)) return;
    else if (frozen === undefined && !misreads?.position && turns === undefined) return;
    this.judge.misread(arm, true);
    const asks = (this.#lies.get(arm) ?? 0) + 1;
    this.#lies.set(arm, asks);
    this.#lane.after(MISREAD, () => {
      if (this.#lies.get(arm) !== asks || [...this.#frozen].some((other) => other.startsWith(`${arm} `))) return;
      this.judge.misread(arm, false);
    });
  }

  /** The process is asked to end, as by Ctrl-C. */
  async end(): Promise<void> {
    const { bridge } = this;
    if (bridge === null) return;
    for (const { name } of this.layout.arms) {
      this.judge.driven(name);
      this.judge.endTorqueAsks(name, this.now, this.now + this.delay(name));
      if (this.judge.isStopped(name)) continue;
      this.judge.allow(name, 'end', this.now + LOWERING, 'lowering');
    }
    const judge = watchEnd(this);
    const ended = await this.#close(bridge);
    if (this.bridge !== bridge) return;
    judge(ended);
    this.kill();
  }

  /** A process waits no longer than this for the end of its bridge. @returns whether it has ended */
  async #close(bridge: Bridge): Promise<boolean> {
    const ended = bridge.close().then(
      () => true,
      (error: unknown) => {
        this.judge.complain('error', '', `the bridge does not end: ${String(error)}`);
        return false;
      },
    );
    return Promise.race([ended, new Promise<boolean>((resolve) => this.#lane.after(END_LIMIT, () => resolve(false)))]);
  }

  /** A process ends by an error inside the bridge. */
  async #fail(bridge: Bridge): Promise<void> {
    await this.#close(bridge);
    if (this.bridge === bridge) this.kill();
  }

  /** Whether a thread has stood still since an instant, s. */
  paused(since: number): boolean {
    return Math.max(this.#mainPausedUntil, this.#controlPausedUntil) >= since;
  }

  /**
   * Everything is mended and everybody lets go: the arms have to come back, and to do what they are asked to. Call it at
   * the end of a run.
   */
  async recover(): Promise<void> {
    for (const { name } of this.layout.arms) {
      this.hand(name, null, 0);
      this.fault(name, MENDED);
      const servos = Object.fromEntries(this.#ids(name).map((id) => [id, HEALTHY]));
      this.simulation.get(name).fault({ servos });
    }
    this.#mendRegisters();
    await this.pass(1);
    if (this.bridge === null) await this.start();
    await this.pass(RECOVERY);
    // A bridge that has ended, by itself or because a person asked it to, is started again.
    if (this.bridge === null) await this.start();
    for (const [id, { name }] of this.layout.arms.entries()) {
      await this.#mustSettle(this.ask('POST', '/robot/add-connection', { robot_name: name, connection_details: {} }));
      // Which servos have shut themselves down is read with their alarms, a moment later.
      await this.pass(1);
      await this.#mustSettle(this.ask('POST', `/stop?robot_id=${id}`));
      await this.#mustSettle(this.ask('POST', `/stop/reset?robot_id=${id}`));
    }
    await this.pass(3);
    for (const [id, { name }] of this.layout.arms.entries()) {
      await this.#lift(name);
      const answer = await this.#mustSettle(this.ask('POST', `/move/init?robot_id=${id}&take_over=true`));
      if (answer?.body?.status !== 'ok') {
        const { rows } = await this.#status();
        this.judge.complain('liveness', name, `init: ${JSON.stringify(answer?.body)}; ${JSON.stringify(rows[id])}`);
      }
    }
  }

  /** Registers get what they had; a bridge looks at most of them only when it is started. */
  #mendRegisters(): void {
    if (this.#changed.length > 0) this.kill();
    for (const { arm, id, names } of this.#changed) {
      const known = names.flatMap((name) => (name in USUAL ? [[name, USUAL[name]!] as const] : []));
      this.simulation.get(arm).fault({ servos: { [id]: { registers: Object.fromEntries(known) } } });
    }
  }

  /** A person takes an arm by the hand to where nothing is in its way, and lets it hold there. */
  async #lift(name: string): Promise<void> {
    const id = this.id(name);
    const { joints, poses } = this.models.get(name)!;
    const init = poses.get('init')!;
    await this.#mustSettle(this.ask('POST', `/torque/toggle?robot_id=${id}`, { torque_status: false, force: true }));
    const raised = joints.map((joint, j) => [joint.name, init[j]!] as const);
    // Its upper arm first: a gripper that is turned while it lies on the table is caught there.
    this.hand(name, Object.fromEntries(raised.slice(0, UPPER_ARM)), 2);
    await this.pass(2);
    this.hand(name, Object.fromEntries(raised), 2);
    await this.pass(3);
    // A servo may have shut itself down under the weight that the others had let go of.
    await this.#mustSettle(this.ask('POST', `/stop?robot_id=${id}`));
    await this.#mustSettle(this.ask('POST', `/stop/reset?robot_id=${id}`));
    await this.#mustSettle(this.ask('POST', `/torque/toggle?robot_id=${id}`, { torque_status: true }));
    this.hand(name, null, 0);
    await this.pass(1);
  }

  /** Frees what the run has taken. */
  dispose(): void {
    this.#tidying = true;
    this.kill();
    this.simulation.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Id of an arm, for HTTP. */
  id(name: string): number {
    return this.layout.arms.findIndex((arm) => arm.name === name);
  }

  async #mustSettle<T>(promise: Promise<T>): Promise<T | null> {
    return (await this.time.settles(promise, PATIENCE)) ? promise : null;
  }

  async #status(): Promise<{ rows: unknown[] }> {
    const answer = await this.#mustSettle(this.ask('GET', '/status'));
    return { rows: answer?.body?.arms ?? [] };
  }

  /** What asking means for who may move; returns what its answer means. */
  #asking(method: string, url: string, body: object | undefined): (answer: Answer | null) => void {
    const parsedUrl = new URL(url, 'http://localhost');
    const only = parsedUrl.searchParams.get('robot_id');
    const all = this.layout.arms.map(({ name }) => name);
    const route = `${method} ${parsedUrl.pathname}`;
    const [, , , , inPath] = parsedUrl.pathname.split('/');
    const named = only === null ? all.find((name) => name === inPath) : all[Number(only)];
    const meant = named === undefined ? (only === null ? all : []) : [named];
    return watchAnswer(this, route, meant, body as Record<string, unknown> | undefined, parsedUrl.searchParams);
  }

  /** Time until the main thread hears what is said to it, and a servo what the bridge says, s. */
  delay(arm: string): number {
    const awake = Math.max(this.#mainPausedUntil, this.#controlPausedUntil, this.#slowUntil.get(arm) ?? 0);
    return Math.max(0, awake - this.now);
  }

  /** No bus is spoken to for so long, s. */
  #silence(duration: number): void {
    for (const { name } of this.layout.arms) this.judge.silent(name, this.now + duration);
  }

  #pause(thread: 'main' | 'control' | 'all', duration: number): void {
    const { host } = this;
    if (host === null) return;
    const until = this.now + duration;
    this.judge.disturbed(until);
    if (thread !== 'control') {
      host.clock.pause(duration);
      if (this.now >= this.#mainPausedUntil) this.#mainPausedSince = this.now;
      this.#mainPausedUntil = Math.max(this.#mainPausedUntil, until);
    }
    if (thread !== 'main') {
      this.#silence(duration);
      this.judge.sleeps(duration);
      host.controlLane.pause(duration);
      this.#controlPausedUntil = Math.max(this.#controlPausedUntil, until);
    }
  }

  /** When the main thread stands still and the control thread does not, every arm is to brake, and nothing goes on later. */
  #watchAlone(): void {
    const { now } = this;
    if (this.host === null || now >= this.#mainPausedUntil) {
      this.#alone = 0;
      return;
    }
    if (now < this.#controlPausedUntil) return;
    const before = this.#alone;
    this.#alone += LOOK;
    if (before >= NOTICED || this.#alone < NOTICED) return;
    for (const { name } of this.layout.arms) {
      const heard = Math.max(now, this.#slowUntil.get(name) ?? 0);
      this.judge.abandoned(name, this.#mainPausedSince - HANDED_OVER, heard);
    }
  }

  #port(url: string): BytePort {
    const name = url.split('/').at(-1)!;
    const { judge } = this;
    const host = this.host!;
    const port = new LanePort(url, this.simulation.portFor(name), host.controlLane);
    port.onOpened = () => {
      judge.opened(name);
      judge.speaks(name);
    };
    port.onSent = (bytes) => {
      this.#note(bytes);
      judge.sent(name, bytes);
    };
    port.onReceived = (bytes) => judge.received(name, bytes);
    return port;
  }

  #note(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    let hash = this.fingerprint ^ Math.round(this.now * 1e6);
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
    this.fingerprint = hash;
  }

  #logged(line: string): void {
    const { level, msg, err } = JSON.parse(line) as {
      level: number;
      msg: string;
      err?: { message: string; stack: string };
    };
    if (this.#tidying) return;
    this.log.push({ at: this.now, level, text: err === undefined ? msg : `${msg}: ${err.stack}` });
    const programming = err !== undefined && /^(?:Type|Range|Reference|Syntax)Error/.test(err.stack);
    if (programming) this.judge.complain('error', '', `${msg}: ${err.stack}`);
  }

  #ids(name: string): number[] {
    return this.models.get(name)!.joints.flatMap(({ servos }) => servos.map(({ id }) => id));
  }

  /** Arms of a run have been calibrated, but for those that are said not to be. */
  #calibrate(): void {
    const store = new CalibrationStore(join(this.#folder, 'calibration'));
    for (const [name, model] of this.models) {
      const { homing, calibrated = true } = this.layout.arms.find((arm) => arm.name === name)!;
      if (!calibrated) continue;
      store.write(name, asBuilt(model, name, '2026-01-01T00:00:00Z', homing));
    }
  }
}

/** Rules that are judged when everything has been mended. */
export const LATE_RULES: ReadonlySet<string> = new Set(['liveness', 'patience']);

/**
 * Runs a script to its end, or until a rule is broken.
 * @returns the world, to be disposed of
 */
export async function run(script: Script, mujoco: MainModule | null, until: string | null = null): Promise<World> {
  const world = new World(script.layout, script.seed, mujoco);
  const lane = world.time.lane('script');
  const broken = (): boolean => world.judge.violations.some(({ rule }) => rule === until);
  for (const { at, ...deed } of script.steps) if (at < 0) world.do(deed as Deed);
  await world.start();
  const begun = world.now;
  for (const { at, ...deed } of script.steps) if (at >= 0) lane.after(at, () => world.do(deed as Deed));
  const end = begun + script.length;
  while (world.now < end && !broken()) await world.pass(Math.min(LOOKED, end - world.now));
  if (until === null || LATE_RULES.has(until)) await world.recover();
  return world;
}

/** After a servo has told a wrong position for the last time, s. */
const MISREAD = 1;
/** Registers that say which servo it is, not how it moves. */
const IDENTITY: ReadonlySet<string> = new Set(['id', 'model_number']);

/** How often it is looked whether the rule has been broken, s. */
const LOOKED = 0.5;

/** What an answer of the bridge says, or the text itself. */
function parsed(payload: string): unknown {
  try {
    return payload === '' ? null : JSON.parse(payload);
  } catch {
    return payload;
  }
}

/** Whether a fault makes servos weaker than they should be, silent, or suspicious enough for the arm to be lowered. */
function weakens({ dead, powerCycle, volts, servos, loseRate = 0, missRate = 0, requests }: SimFault): boolean {
  const lossy = Math.max(loseRate, missRate, requests?.loseRate ?? 0) > 0.5;
  const some = Object.values(servos ?? {}).some(
    (servo) =>
      servo.overload ||
      servo.heat !== undefined ||
      servo.volts !== undefined ||
      servo.restart ||
      Object.keys(servo.registers ?? {}).some((register) => !SLOW.has(register)) ||
      servo.misreads?.temperature ||
      servo.misreads?.voltage,
  );
  return (dead?.length ?? 0) > 0 || powerCycle === true || (volts !== undefined && volts !== null) || some || lossy;
}

/** Registers that change how a servo goes to its goals, and not how strong it is. */
const SLOW: ReadonlySet<string> = new Set([
  'goal_speed',
  'acceleration',
  'goal_time',
  'goal_position',
  'min_position',
  'max_position',
  'profile_velocity',
  'profile_acceleration',
]);

/** What registers that another program may have changed usually have, counts. */
const USUAL: Readonly<Record<string, number>> = {
  min_position: 0,
  max_position: 4095,
  goal_speed: 0,
  acceleration: 0,
  goal_time: 0,
  profile_velocity: 0,
  profile_acceleration: 0,
};

/** A line and servos with nothing wrong. */
const MENDED: SimFault = {
  dead: [],
  loseRate: 0,
  corruptRate: 0,
  doubleRate: 0,
  missRate: 0,
  requests: { loseRate: 0, corruptRate: 0, doubleRate: 0, lateRate: 0, lateness: 0 },
  replies: { lateRate: 0, lateness: 0 },
  unplugged: false,
  volts: null,
};
const HEALTHY = {
  ignoresGoals: false,
  frozen: false,
  misreads: { position: null, temperature: null, voltage: null },
  heat: 30,
  volts: null,
} as const;
