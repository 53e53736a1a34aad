import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Arm } from './arm/arm.ts';
import { ArmControl } from './arm/arm-control.ts';
import { ArmRecords } from './arm/arm-records.ts';
import { Arms } from './arm/arms.ts';
import { type ControlChannel, ControlClient } from './arm/control-client.ts';
import { defaultStateFolder, forgetWhenRestored, GainStore } from './arm/gain-store.ts';
import { inSentence, Journal, levelOf } from './arm/journal.ts';
import { LOOK, LoopLoad } from './arm/loop-load.ts';
import { nextCycle } from './arm/next-cycle.ts';
import { PositionGains } from './arm/position-gains.ts';
import type { SceneObjects } from './arm/scene.ts';
import { simulatedCounterpart } from './arm/simulated-counterpart.ts';
import type { Caller, LoopStatistics } from './arm/types.ts';
import { type ArmPlan, armSetup, planArm, planScene, recordedArm, remount } from './arm-plan.ts';
import { CalibrationService } from './calibration/calibration-service.ts';
import { CalibrationStore } from './calibration/calibration-store.ts';
import { FrictionService } from './calibration/friction-service.ts';
import type { Clock, Timer } from './clock.ts';
import { recordingsFolder } from './config/folders.ts';
import { ConfigError } from './config/load.ts';
import type { ArmConfig, Config } from './config/schema.ts';
import { Fleet } from './fleet/fleet.ts';
import { type Host, kitJoints, makeKit, type SimulatedArms } from './host.ts';
import { buildApp, listen, type SimulationControl } from './http/app.ts';
import { type Certificate, checkBind, readCertificate, readTokens, type Tokens } from './http/tokens.ts';
import { eventView } from './http/views.ts';
import { LogTail } from './log.ts';
import { messageOf } from './message-of.ts';
import { Autostart } from './mirror/autostart.ts';
import { GravityService } from './mirror/gravity.ts';
import { MirrorService } from './mirror/mirror-service.ts';
import { StreamService } from './mirror/stream-service.ts';
import { ChunkService } from './motion/chunk-service.ts';
import { Goals } from './motion/goals.ts';
import { JogService } from './motion/jog-service.ts';
import { JointGoals } from './motion/joint-goals.ts';
import { MoveService } from './motion/move-service.ts';
import { Planners } from './motion/planners.ts';
import { Protection } from './motion/protection.ts';
import { StreamedMoves } from './motion/streamed-moves.ts';
import { TeleopService } from './motion/teleop-service.ts';
import { TorqueSwitch } from './motion/torque.ts';
import { TrajectoryService } from './motion/trajectory-service.ts';
import { NamedTokens } from './named-tokens.ts';
import { RecordingService } from './recording/recording-service.ts';
import { type RosPreparation, type RosProgress, wordsOf } from './ros/preparation.ts';
import { type Graph, type RosRoom, RosUnavailable } from './ros/room.ts';
import { Roster } from './roster.ts';
import { BEAT_INTERVAL } from './rt/loop/attendance.ts';
import { histogramOf, timingAt } from './rt/loop/loop-timing.ts';
import { LoopField, SharedState } from './rt/snapshot/shared-snapshot.ts';
import { benchBy } from './servo/bench.ts';
import { ownFile, SetupService } from './setup/setup-service.ts';
import type { StopArm, StopSetup } from './stop/messages.ts';
import { StopListener } from './stop/stop-listener.ts';
import { VERSION } from './version.ts';

/** Longest wait at start for the arms to answer, s; an arm that does not is reported and retried later. */
const CONNECT_TIMEOUT = 5;
/** Listeners are called at least this often, s, even if the control loop is silent. */
const CYCLE_TIMEOUT = 1;
/**
 * ROS 2 that is ready waits so long for arms that are driven, and looks so often whether one is, s: loading it may keep this
 * thread until they are halted.
 */
const JOIN_PATIENCE = 10;
const JOIN_LOOK = 0.1;

/** Largest port number. */
const LAST_PORT = 65535;

/** Time for last answers to leave before HTTP closes, s: a stop that ended the lowering must still be answered. */
const LAST_ANSWERS = 0.1;
/** Interval at which it is looked whether arms follow what leads them, s. */
const LAG_LOOK = 0.1;

const SHUTDOWN: Caller = {
  owner: { key: 'shutdown', name: 'the shutdown of the bridge' },
  takeOver: true,
  automatic: true,
};
/** Why an arm with autostart is stopped after a crash. */
const UNCLEAN =
  'the bridge did not end properly: look after the arm, then reset it, and its mirroring begins by itself (autostart)';

/** Why an arm with autostart is stopped where a crash would leave no trace. */
const UNKEPT =
  'state_folder cannot be written, so an improper end would go unnoticed: make it writable; until then look after the arm ' +
  'at each start and reset it, and its mirroring begins by itself (autostart)';

export interface RosStatus {
  readonly enabled: boolean;
  /** Why it is off; empty while it is on. */
  readonly reason: string;
  readonly distro: string | null;
  /** Null while it is off. */
  readonly graph: Graph | null;
  /** Progress of its preparation while that keeps it off; null otherwise. */
  readonly preparing: RosProgress | null;
}

export interface BridgeOptions {
  /** ROS arguments of the command line, with their `--ros-args`. */
  readonly rosArgs?: readonly string[];
  /** Recent log lines, for clients. */
  readonly log?: LogTail;
  /** A ROS 2 that is still being prepared; the bridge joins it as soon as it is ready. */
  readonly preparation?: RosPreparation | null;
  /** The configuration file, where newly set up arms are saved; null: the configuration shipped with the bridge. */
  readonly configFile?: string | null;
  /** Whether to complete the recordings that a killed bridge left. A command's own bridge leaves them to the next one. */
  readonly recover?: boolean;
}

/** The whole bridge: builds all parts from a configuration, starts them, and stops them in reverse. */
export class Bridge {
  readonly arms: Arms;
  readonly motion: MoveService;
  readonly joints: JointGoals;
  readonly streamedMoves: StreamedMoves;
  readonly torque: TorqueSwitch;
  readonly recordings: RecordingService;
  readonly calibration: CalibrationService;
  readonly friction: FrictionService;
  readonly mirror: MirrorService;
  readonly jog: JogService;
  readonly chunks: ChunkService;
  readonly streams: StreamService;
  readonly gains: PositionGains;
  readonly trajectories: TrajectoryService;
  readonly teleoperation: TeleopService;
  readonly gravity: GravityService;
  readonly connections: Roster;
  readonly setup: SetupService;
  /** The simulated arms; null when there are none. */
  readonly simulation: SimulatedArms | null;
  /** Objects in front of simulated arms. */
  readonly scene: SceneObjects;
  /** Where HTTP listens, once started and if it listens. */
  address: { host: string; port: number } = { host: '', port: 0 };

  /** Called when a part that every arm depends on has failed: the process must end. */
  onFailure: (reason: string) => void = () => {};

  /** Includes arms added later. */
  #config: Config;
  readonly #host: Host;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #log: LogTail;
  readonly #shared: SharedState;
  readonly #control: ControlClient;
  readonly #planners: Planners;
  readonly #protection: Protection;
  readonly #records: ArmRecords;
  readonly #journal: Journal;
  readonly #named: NamedTokens;
  readonly #fleet: Fleet;
  /** Arms that an earlier bridge left stopped. */
  readonly #leftStopped = new Set<Arm>();
  #autostart: Autostart[] = [];
  /** Seed of the next practice kit. */
  #kits = 1;
  readonly #load = new LoopLoad();
  /** Null when HTTP does not listen, or stops have no port of their own. */
  #stop: StopListener | null = null;
  readonly #watch: Pick<Timer, 'cancel'>;
  readonly #lagWatch: Pick<Timer, 'cancel'>;
  readonly #beat: Pick<Timer, 'cancel'>;
  readonly #cycleListeners = new Set<() => void>();
  #rosRoom: RosRoom | null = null;
  #ros: RosStatus = { enabled: false, reason: 'it is starting', distro: null, graph: null, preparing: null };
  /** ROS 2 that joins later; null once it has joined, or if it never will. */
  #preparation: RosPreparation | null = null;
  /** Resolves when ROS 2 has joined, or will not. */
  #joined: Promise<void> = Promise.resolve();
  #app: FastifyInstance | null = null;
  #closing: Promise<void> | null = null;
  #open = true;
  /** The start has succeeded. */
  #started = false;

  private constructor(
    config: Config,
    logger: Logger,
    host: Host,
    log: LogTail,
    plans: ArmPlan[],
    shared: SharedState,
    launch: () => ControlChannel,
    store: GainStore,
    records: ArmRecords,
    simulation: SimulatedArms | null,
    scene: SceneObjects,
    calibrations: CalibrationStore,
    fleet: Fleet,
    configFile: string | null,
  ) {
    const { clock } = host;
    this.#config = config;
    this.#host = host;
    this.#clock = clock;
    this.#logger = logger;
    this.#log = log;
    this.#shared = shared;
    this.simulation = simulation;
    this.scene = scene;
    this.#records = records;
    this.#fleet = fleet;
    this.#control = new ControlClient(launch, shared, clock);
    this.#control.onFailure = (error) => {
      logger.error({ err: error }, 'the control thread has failed; servos hold their last goals');
    };
    this.#control.onGone = () => {
      if (!this.#open) return;
      this.#open = false;
      this.onFailure('the control thread fails again and again; servos hold their last goals');
    };
    this.#named = new NamedTokens(host.disk, config.state_folder ?? defaultStateFolder());
    this.#journal = new Journal(clock, (entry) =>
      logger[levelOf(entry)]({ event: eventView(entry) }, inSentence(entry)),
    );
    this.arms = new Arms(
      plans.map((plan, index) => this.#makeArm(plan, index)),
      this.#journal,
    );
    const planners = new Planners((givenUp) => host.startPlanner(givenUp));
    this.#planners = planners;
    // The planner thread takes a while to load an arm, so load it before the first move.
    for (const arm of this.arms.all) planners.of(arm);
    const goals = new Goals();
    this.motion = new MoveService(planners, goals);
    this.trajectories = new TrajectoryService(planners);
    this.#protection = new Protection(this.motion, (text) => logger.error(text));
    const notice = (text: string): void => logger.warn(text);
    this.#control.onNotice = notice;
    this.mirror = new MirrorService({
      arms: this.arms,
      configured: () => this.#config.pairs,
      store,
      moves: this.motion,
      planners,
      control: this.#control,
      loop: () => this.loop(),
      notice,
      clock,
    });
    this.gravity = new GravityService(store, this.motion, notice);
    this.joints = new JointGoals(planners, goals, this.#control);
    this.streamedMoves = new StreamedMoves(planners, goals, this.joints, this.motion);
    this.torque = new TorqueSwitch(this.motion);
    this.gains = new PositionGains(this.arms, store, notice);
    for (const [index, arm] of this.arms.all.entries()) this.gains.add(arm, config.arms[index]!.position_gains);
    this.recordings = new RecordingService(
      {
        arms: this.arms,
        planners,
        goals,
        clock,
        launch: (setup) => host.startRecording(setup),
        describe: (arm) => recordedArm(plans[arm.index]!, shared.memory(arm.index), config.ros.joint_prefix),
        pairs: () => this.mirror.joints,
        loop: shared.buffers.loop,
        loopRate: config.control.rate,
        version: VERSION,
        configuration: () => {
          const { arms, pairs, control } = this.#config;
          return { arms, pairs, control };
        },
        notice,
      },
      {
        folder: recordingsFolder(config),
        quota: config.recording.quota,
        cameras: config.recording.images,
      },
    );
    this.calibration = new CalibrationService(
      {
        lower: (arm, caller) => this.motion.lower(arm, caller),
        save: (arm, file) => {
          if (!arm.simulated) calibrations.write(arm.name, file);
          remount(plans[arm.index]!, file);
          return arm.simulated ? 'memory, since the arm is simulated' : calibrations.path(arm.name);
        },
      },
      notice,
    );
    this.friction = new FrictionService(this.motion, planners, (arm, file) => {
      calibrations.writeFriction(arm.name, file);
      return calibrations.frictionPath(arm.name);
    });
    this.streams = new StreamService(this.#control, clock);
    this.jog = new JogService(this.#control, clock);
    this.chunks = new ChunkService(planners, clock);
    this.teleoperation = new TeleopService(planners, this.#control, clock);
    simulation?.onObjects((arm, poses) => scene.seen(arm, poses));
    this.connections = new Roster({
      arms: this.arms,
      plans,
      planners,
      control: this.#control,
      shared,
      store,
      calibrations,
      motion: this.motion,
      mirror: this.mirror,
      gravity: this.gravity,
      simulation,
      scene,
      scan: () => host.scanPorts(),
      graph: {
        off: () => (this.ros.enabled ? '' : this.ros.reason),
        add: (arm) => this.#rosRoom?.add(arm),
      },
      makeArm: (plan, index) => this.#makeArm(plan, index),
    });
    this.setup = new SetupService({
      clock,
      arms: this.arms,
      reader: planners,
      ports: () => this.connections.free(),
      hold: (bus) => this.connections.hold(bus),
      bench: (url, { name: family }, baudRate, simulated) =>
        benchBy(async (task) => {
          const port = simulated === null ? null : simulation!.portFor(simulated);
          const bus = port === null ? ({ kind: 'port', url } as const) : ({ kind: 'sim', url, port } as const);
          const { bench } = await this.#control.command({ kind: 'bench', bus, family, baudRate, task });
          return bench!;
        }),
      kit:
        simulation === null
          ? null
          : ({ model }, name) => {
              const arm = simulatedCounterpart(model, name);
              return makeKit(simulation, arm, kitJoints(model.joints), this.#kits++, clock);
            },
      join: (arm, kit) => this.connections.join(arm, kit),
      pairs: () => this.#config.pairs,
      setPairs: (pairs) => {
        this.#config = { ...this.#config, pairs: [...pairs] };
      },
      file: ownFile(configFile),
    });
    this.connections.onAdded((arm) =>
      this.#added(arm, plans.find(({ config: { name } }) => name === arm.name)!.config),
    );
    this.#beat = clock.every(BEAT_INTERVAL, () => shared.beat(), true);
    this.#watch = clock.every(LOOK, () => this.#watchLoad(), true);
    this.#lagWatch = clock.every(LAG_LOOK, () => this.#watchLag(), true);
    void this.#watchCycles();
  }

  /**
   * Builds and starts everything.
   * @throws {ConfigError} for a configuration that cannot be carried out
   */
  static async start(
    config: Config,
    logger: Logger,
    host: Host,
    { rosArgs = [], log = new LogTail(), preparation = null, configFile = null, recover = true }: BridgeOptions = {},
  ): Promise<Bridge> {
    const { tokens, made } = readTokens(config.http, config.state_folder ?? defaultStateFolder());
    checkBind(config.http, tokens);
    const certificate = readCertificate(config.http);
    const fleet = new Fleet(config.fleet, host.clock, (text) => logger.warn(text));
    if (made !== null) logger.warn(`a token has been made: every request must carry the first line of ${made}`);
    const state = config.state_folder ?? defaultStateFolder();
    const calibrations = new CalibrationStore(config.calibration_folder ?? join(state, 'calibration'));
    const plans = config.arms.map((arm, index) => planArm(arm, index, calibrations));
    const simulated = plans.filter(({ config: arm }) => arm.bus.startsWith('sim:'));
    const scene = planScene(config);
    const simulation =
      simulated.length === 0
        ? null
        : await host
            .startSimulation(
              simulated.map(({ config: arm, model }) =>
                simulatedCounterpart(model, arm.name, arm.simulation, scene.of(arm.name)),
              ),
              {
                onFailure: (message) => logger.error(`simulation: ${message}`),
                // Real servos wait for no processor: simulated ones run just below the control loop that polls them.
                priority: config.control.priority && Math.max(1, config.control.priority - 1),
              },
            )
            .catch((error: unknown) => {
              throw new ConfigError(`the simulated arms cannot be started: ${messageOf(error)}`);
            });
    const shared = new SharedState(
      plans.map(({ model }) => model.joints.length),
      host.clock,
    );
    const store = new GainStore(host.disk, state);
    const records = new ArmRecords(host.disk, state, (text) => logger.error(text));
    const launch = (): ControlChannel => {
      const setups = plans.map((plan) => {
        const port = plan.config.bus.startsWith('sim:') ? simulation!.portFor(plan.config.name) : null;
        return armSetup(plan, port, store);
      });
      return host.startControl({ ...config.control, shared: shared.buffers, arms: setups });
    };
    const bridge = new Bridge(
      config,
      logger,
      host,
      log,
      plans,
      shared,
      launch,
      store,
      records,
      simulation,
      scene,
      calibrations,
      fleet,
      configFile,
    );
    try {
      // While no arm can be driven yet: loading keeps this thread so long that the control thread would stop them.
      const loads = preparation === null && config.ros.enabled !== false;
      await Promise.all([bridge.#connect(), loads ? host.loadRos() : null]);
      for (const arm of bridge.arms.all) arm.foundHolding = !arm.remote && arm.read().torque;
      await bridge.#takeBackGains(store);
      bridge.gains.begin();
      if (recover) {
        bridge.recordings
          .recover()
          .catch((error: unknown) => logger.error({ err: error }, 'recordings were not recovered'));
      }
      await bridge.#startHttp(tokens, certificate);
      // Last, because it takes longer than all the rest.
      if (preparation === null) await bridge.#startRos(rosArgs);
      else bridge.#joined = bridge.#joinRos(preparation, rosArgs);
      if (!bridge.#open) throw new Error('the control thread has ended during the start; the log says why');
      bridge.#started = true;
    } catch (error) {
      await bridge.close();
      throw error;
    }
    return bridge;
  }

  /** The HTTP service, which also takes requests by `inject`. */
  get http(): FastifyInstance {
    return this.#app!;
  }

  /** Port that accepts only stops; null while there is none. */
  get stopPort(): number | null {
    return this.#stop?.port ?? null;
  }

  /** Figures of the control loop. */
  loop(): LoopStatistics {
    const { loop, cycle } = this.#shared;
    return {
      cycles: cycle,
      rate: loop[LoopField.rate]!,
      late: loop[LoopField.late]!,
      trouble: this.#load.trouble,
      period: loop[LoopField.period]!,
      longestPeriod: loop[LoopField.longestPeriod]!,
      priority: loop[LoopField.priority]!,
      periods: timingAt(loop, LoopField.periods),
      lateness: timingAt(loop, LoopField.lateness),
      latency: timingAt(loop, LoopField.latency),
      histogram: histogramOf(loop),
    };
  }

  /**
   * Lowers every arm, switches its torque off, and ends all parts; safe to call more than once. A bridge whose start has
   * failed leaves arms holding that it has found holding.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * For an exit that leaves the arms holding: ends the ROS threads, because exiting under them would crash the process.
   */
  async abandon(): Promise<void> {
    await this.#rosRoom?.close();
  }

  async #close(): Promise<void> {
    const logger = this.#logger;
    this.#watch.cancel();
    this.#lagWatch.cancel();
    for (const autostart of this.#autostart) autostart.close();
    this.streams.close();
    this.jog.close();
    this.chunks.close();
    this.teleoperation.close();
    for (const arm of this.arms.all) arm.reserve(SHUTDOWN.owner);
    await this.mirror.stop(SHUTDOWN, 'hold');
    // A bridge that has not started moves no arm that it has found holding.
    const left = (arm: Arm): boolean => !this.#started && arm.foundHolding;
    for (const arm of this.arms.all)
      if (left(arm)) logger.warn(`${arm.name} goes on holding: the bridge does not start`);
    const lowered = this.arms.all.filter((arm) => !left(arm));
    const outcomes = await Promise.allSettled(lowered.map((arm) => this.motion.lower(arm, SHUTDOWN)));
    for (const [index, outcome] of outcomes.entries()) {
      const arm = lowered[index]!;
      if (outcome.status === 'rejected') logger.error(`${arm.name} was not lowered and holds: ${outcome.reason}`);
      else if (outcome.value !== null) logger.warn(outcome.value);
    }
    await this.gains.restore();
    await this.setup.close();
    await this.calibration.close();
    // Only once the arms are down: a stop must be heard while they are being lowered.
    await Promise.all(this.arms.all.map((arm) => arm.atRest().catch(() => false)));
    await this.#clock.sleep(LAST_ANSWERS);
    await this.#fleet.end();
    await this.#app?.close();
    this.#stop?.close();
    await this.recordings.close();
    this.#planners.close();
    this.#open = false;
    await this.#control.command({ kind: 'close' }).catch(() => {});
    this.#beat.cancel();
    for (const arm of this.arms.all) {
      if (this.#started) this.#records.end(arm);
      else this.#records.takeBack(arm);
    }
    await this.simulation?.close();
    // Last, so that nothing else waits for it.
    this.#preparation?.abandon();
    await this.#joined;
    await this.#rosRoom?.close();
  }

  #makeArm(plan: ArmPlan, index: number): Arm {
    const { config, calibrated: model, chain } = plan;
    const control = new ArmControl(config.name, index, this.#shared, this.#control, this.#clock);
    const arm = new Arm({
      id: config.id ?? index,
      name: config.name,
      model,
      bus: config.bus,
      chain,
      control,
      records: this.#records,
      journal: this.#journal,
      kit: plan.kit,
      detached: () => plan.detached !== null,
      trouble: () => this.#load.trouble,
    });
    const { stopped, unclean, kept } = this.#records.begin(config);
    if (stopped !== null) {
      arm.latch(stopped);
      this.#leftStopped.add(arm);
    }
    const doubt = unclean ? UNCLEAN : kept ? null : UNKEPT;
    if (stopped === null && doubt !== null && this.#autostarts(config.name)) arm.latch(doubt);
    if (arm.latched) {
      this.#logger.warn(`${config.name} is stopped until somebody resets it: ${stopped ?? doubt}`);
    }
    this.#control.listen(index, arm);
    arm.movesUncalibrated = config.uncalibrated;
    arm.limitSpeed(config.speed_scale);
    arm.limitAcceleration(config.acceleration_scale);
    this.#report(arm);
    return arm;
  }

  #added(arm: Arm, config: ArmConfig): void {
    this.#config = { ...this.#config, arms: [...this.#config.arms, config] };
    this.gains.add(arm, config.position_gains);
    if (!arm.remote) this.#rosRoom?.add(arm);
    this.#stop?.add(this.#stopArm(arm));
    this.#logger.info(`${arm.name} has been added as robot ${arm.id} on ${arm.bus}`);
  }

  #report(arm: Arm): void {
    const logger = this.#logger.child({ arm: arm.name });
    arm.onWarning = (text) => logger.warn(`${arm.name}: ${text}`);
    arm.onAiling = (joint, text, ailment) => void this.#protection.ailing(arm, joint, text, ailment);
    arm.onState((state, reason) => {
      if (state === 'disconnected') logger[this.#open ? 'warn' : 'info'](`${arm.name} is disconnected: ${reason}`);
      else logger.info(`${arm.name} is ${state}${reason === '' ? '' : ` (${reason})`}`);
    });
  }

  async #watchCycles(): Promise<void> {
    while (this.#open) {
      await nextCycle(this.#shared, this.#clock, this.#shared.cycle, CYCLE_TIMEOUT);
      for (const listener of this.#cycleListeners) listener();
    }
  }

  #watchLag(): void {
    for (const arm of this.arms.all) arm.watchLag();
  }

  #watchLoad(): void {
    const before = this.#load.trouble;
    this.#load.look(this.loop());
    const { trouble } = this.#load;
    if ((trouble === '') === (before === '')) return;
    if (trouble === '') this.#logger.info('this computer keeps up with the control loop again');
    else this.#logger.warn(`${trouble}: end other programs, or give the bridge a priority (control.priority)`);
  }

  async #connect(): Promise<void> {
    const deadline = this.#clock.now() + CONNECT_TIMEOUT;
    const local = this.arms.all.filter((arm) => !arm.remote);
    while (local.some((arm) => arm.read().state === 'disconnected') && this.#clock.now() < deadline) {
      await nextCycle(this.#shared, this.#clock, this.#shared.cycle, CYCLE_TIMEOUT);
    }
    for (const arm of local) {
      if (arm.read().state === 'disconnected') this.#logger.warn(`${arm.name} does not answer yet: ${arm.reason}`);
    }
  }

  /** Gives servos their own gains back as they connect, if a bridge that did not shut down cleanly left softer ones. */
  async #takeBackGains(store: GainStore): Promise<void> {
    const left = this.arms.all.filter((arm) => !arm.simulated && store.read(arm.name, arm.bus) !== null);
    await Promise.all(
      left.map(async (arm) => {
        if (arm.read().state === 'disconnected' || !(await forgetWhenRestored(arm, store))) return;
        this.#logger.info(
          `${arm.name}: the position gains of its servos, which had not been given back, are its own again`,
        );
      }),
    );
  }

  async #startRos(rosArgs: readonly string[]): Promise<void> {
    const { enabled } = this.#config.ros;
    if (enabled === false) {
      this.#withoutRos('switched off by the configuration or --no-ros');
      return;
    }
    try {
      this.#rosRoom = await this.#host.startRos({
        clock: this.#host.clock,
        config: this.#config,
        pairs: () => this.#config.pairs,
        mountOf: (arm) => this.#mountOf(arm),
        loop: () => this.loop(),
        arms: this.arms,
        motion: this.motion,
        mirror: this.mirror,
        gravity: this.gravity,
        torque: this.torque,
        trajectories: this.trajectories,
        jogging: this.jog,
        joints: this.streams,
        gains: this.gains,
        episodes: this.recordings,
        bridge: this.#fleet,
        logger: this.#logger,
        onSnapshot: (listener) => {
          this.#cycleListeners.add(listener);
          return () => this.#cycleListeners.delete(listener);
        },
        log: this.#log,
        rosArgs,
      });
      const { distro, graph } = this.#rosRoom;
      this.#ros = { enabled: true, reason: '', distro, graph, preparing: null };
    } catch (error) {
      if (!(error instanceof RosUnavailable)) throw error;
      if (enabled === true) throw new ConfigError(`ros.enabled is true, but ROS 2 cannot be used: ${error.message}`);
      this.#withoutRos(error.message);
    }
  }

  #withoutRos(reason: string): void {
    this.#ros = { enabled: false, reason, distro: null, graph: null, preparing: null };
    this.#unreach(`which is off (${reason})`);
    this.#logger.warn(`ROS 2 is off, HTTP alone is served: ${reason}`);
  }

  /** Records why remote arms cannot be driven; an empty text: they can. */
  #unreach(why: string): void {
    for (const arm of this.arms.all) {
      if (arm.remote) arm.unreachable = why && `its bus is reached by ROS 2 alone, ${why}`;
    }
  }

  /** Puts the arms on the graph as soon as ROS 2 has been prepared. The bridge keeps running whatever the outcome. */
  async #joinRos(preparation: RosPreparation, rosArgs: readonly string[]): Promise<void> {
    this.#preparation = preparation;
    this.#unreach('which is being prepared');
    preparation.inBackground();
    const tell = (progress: RosProgress): void => {
      this.#logger.info(`ROS 2 is being prepared and joins by itself: ${wordsOf(progress)}`);
    };
    tell(preparation.progress);
    preparation.onStep = tell;
    await preparation.ended;
    const limit = this.#clock.now() + JOIN_PATIENCE;
    const driven = (): boolean => this.arms.all.some((arm) => arm.owner !== null);
    while (driven() && this.#closing === null && this.#clock.now() < limit) await this.#clock.sleep(JOIN_LOOK);
    this.#preparation = null;
    if (this.#closing !== null) return;
    this.#unreach('');
    try {
      await this.#startRos(rosArgs);
    } catch (error) {
      this.#withoutRos(messageOf(error));
    }
  }

  /** Whether ROS 2 is on; if not, why, and how far its preparation is. */
  get ros(): RosStatus {
    const preparing = this.#preparation?.progress ?? null;
    if (preparing === null) return this.#ros;
    const reason = `it is being prepared: ${wordsOf(preparing)}`;
    return { enabled: false, reason, distro: null, graph: null, preparing };
  }

  async #alive(): Promise<boolean> {
    const { cycle } = this.#shared;
    await nextCycle(this.#shared, this.#clock, cycle, CYCLE_TIMEOUT);
    return this.#shared.cycle !== cycle;
  }

  #mountOf(arm: Arm): ArmConfig['mount'] {
    return this.#config.arms.find(({ name }) => name === arm.name)!.mount;
  }

  async #startHttp(tokens: Tokens | null, certificate: Certificate | null): Promise<void> {
    const simulation = this.simulation;
    const control: SimulationControl | null =
      simulation === null
        ? null
        : {
            hand: (arm, joints, duration, stiffness) => simulation.hand(arm.name, joints, duration, stiffness),
            truth: async (arm) => {
              const truth = await simulation.truth(arm.name);
              const joints = Object.fromEntries(arm.model.joints.map(({ name }, i) => [name, truth.positions[i]!]));
              return { joints, tool: truth.tool, time: truth.time };
            },
            scene: this.scene,
            objects: async (arm) => {
              const states = await simulation.objects(arm.name);
              const facts = this.scene.of(arm.name);
              return states.map((state, i) => ({ ...facts[i]!, ...state }));
            },
            leadObject: (arm, object, goal, duration) => simulation.leadObject(arm.name, object, goal, duration),
            resetObjects: (arm) => simulation.resetObjects(arm.name),
          };
    this.#app = buildApp({
      clock: this.#clock,
      config: this.#config.http,
      arms: this.arms,
      motion: this.motion,
      streamedMoves: this.streamedMoves,
      joints: this.joints,
      torque: this.torque,
      recordings: this.recordings,
      calibration: this.calibration,
      setup: this.setup,
      mirror: this.mirror,
      gravity: this.gravity,
      configuration: () => this.#config,
      jogging: this.jog,
      chunks: this.chunks,
      streams: this.streams,
      teleoperation: this.teleoperation,
      mountOf: (arm) => this.#mountOf(arm),
      log: this.#log,
      fleet: this.#fleet,
      alive: () => this.#alive(),
      connections: this.connections,
      devices: () => this.#host.scanPorts(),
      loop: () => this.loop(),
      planning: () => this.#planners.times,
      stopPort: () => this.stopPort,
      onSession: (key, session) => this.#stop?.session({ key, session }),
      ros: () => this.ros,
      simulation: control,
      logger: this.#logger,
      version: VERSION,
      tokens,
      named: this.#named,
      certificate,
    });
    if (!this.#host.listens) return;
    this.address = await listen(this.#app, this.#config.http, tokens);
    this.#logger.info('Server listening');
    await this.#startStop(tokens, certificate);
    this.#fleet.begin({ ...this.address, secure: certificate !== null });
  }

  async #startStop(tokens: Tokens | null, certificate: Certificate | null): Promise<void> {
    const config = this.#config;
    const { http } = config;
    const { stop_port: wanted } = http;
    if (wanted === 'off') return;
    const { host, port: pagePort } = this.address;
    const next = http.port === 0 || pagePort === LAST_PORT ? 0 : pagePort + 1;
    const setup: StopSetup = {
      config: http,
      tokens,
      state: config.state_folder ?? defaultStateFolder(),
      certificate,
      host,
      port: wanted ?? next,
      yields: wanted === null,
      pagePort,
      // Just below the control loop, which carries out the stop, and above all else.
      priority: this.#config.control.priority && Math.max(1, this.#config.control.priority - 1),
      loop: this.#shared.buffers.loop,
      arms: this.arms.all.map((arm) => this.#stopArm(arm)),
    };
    const stop = new StopListener((made) => this.#host.startStop(made), setup, this.#clock, this.#logger);
    this.#stop = stop;
    stop.onStopped = (arms, by, at, origin) => {
      for (const place of arms) this.arms.all[place]?.toldOfStop(by, at, origin);
    };
    await stop.listening();
    if (wanted === null && next !== 0 && stop.port !== next) {
      this.#logger.warn(
        `port ${next} is taken, so stops have port ${stop.port}, which can be another one next time: set http.stop_port`,
      );
    }
  }

  #stopArm({ id, name, bus, index, remote, model }: Arm): StopArm {
    return { id, name, bus, joints: model.joints.length, remote, memory: this.#shared.buffers.arms[index]! };
  }

  #autostarts(arm: string): boolean {
    return this.#config.pairs.some(
      ({ autostart, leader, follower }) => autostart && (leader === arm || follower === arm),
    );
  }

  /** Starts the pairs configured with `autostart` as soon as possible. */
  autostart(): void {
    const followers = new Map<Arm, Arm[]>();
    for (const pair of this.#config.pairs) {
      if (!pair.autostart) continue;
      const leader = this.arms.byName(pair.leader)!;
      followers.set(leader, [...(followers.get(leader) ?? []), this.arms.byName(pair.follower)!]);
    }
    for (const [leader, group] of followers) {
      const pairs = this.#config.pairs.filter((pair) => pair.autostart && pair.leader === leader.name);
      const gravity = pairs.find((pair) => pair.gravity_compensation !== null)?.gravity_compensation ?? null;
      const warn = (text: string): void => this.#logger.warn(text);
      const stopped = [leader, ...group].find((arm) => this.#leftStopped.has(arm));
      if (stopped !== undefined) {
        warn(
          `autostart of mirroring of ${leader.name}: not tried, since ${stopped.name} was stopped: start it by hand`,
        );
        continue;
      }
      const autostart = new Autostart(this.mirror, { leader, followers: group, gravity }, this.#clock, warn);
      this.#autostart.push(autostart);
      autostart.begin();
    }
  }
}
