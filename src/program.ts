import { Command } from 'commander';
import type { Logger } from 'pino';
import type { Bridge } from './bridge.ts';
import { offerBrowser } from './cli/browser.ts';
import { portNumber } from './cli/port-number.ts';
import { onEndingSignal } from './cli/signals.ts';
import { type Clock, systemClock } from './clock.ts';
import { requireDemo } from './config/demo.ts';
import { ConfigError, DEFAULT_CONFIG_FILE, loadConfig, usualConfigFile } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { startLog } from './log.ts';
import { NODE_NAME, parseRosArguments, RosArgumentError, splitRosArguments } from './ros/arguments.ts';
import { ParameterArguments } from './ros/parameter-arguments.ts';
import { RosPreparation, wordsOf } from './ros/preparation.ts';
import { VERSION } from './version.ts';
import { Watchdog } from './watchdog.ts';

/** One Ctrl-C through npm arrives two or three times at once: signals within this time count as one, s. */
const ONE_SIGNAL = 1;
/** Longest exit, s, and of arms that are on their way down slowly: those not lowered by then are left holding. */
const EXIT_LIMIT = 9.5;
const SLOW_EXIT_LIMIT = 35;
/** Longest wait for ROS to end in an exit that leaves the arms holding, s. */
const ABANDON_LIMIT = 0.3;

interface Options {
  readonly config: string;
  readonly host?: string;
  readonly port?: number;
  readonly ros: boolean;
  readonly demo?: true;
}

/**
 * Keeps signals from ending the process while the bridge starts: arms may be driven by then, and ROS 2 must leave the
 * graph. A signal a second or more after the first one still ends the process.
 * @returns a function that releases the signals and returns the first one received
 */
function holdSignals(logger: Logger, clock: Clock): () => NodeJS.Signals | null {
  let first: { readonly signal: NodeJS.Signals; readonly at: number } | null = null;
  const release = onEndingSignal((signal) => {
    if (first === null) {
      first = { signal, at: clock.now() };
      logger.info(`${signal}: the bridge ends as soon as it has started (once more: at once)`);
    } else if (clock.now() - first.at >= ONE_SIGNAL) {
      release();
      process.kill(process.pid, signal);
    }
  });
  return () => {
    release();
    return first?.signal ?? null;
  };
}

/**
 * Shuts down on signals and uncaught errors: lower, release, exit. A later signal exits at once with the arms holding.
 * @param early a signal received before; null: none
 */
function endOnSignals(
  bridge: Bridge,
  logger: Logger,
  clock: Clock,
  watchdog: Watchdog,
  early: NodeJS.Signals | null,
): void {
  let first = 0;
  const exitHolding = (): void => {
    clock.after(ABANDON_LIMIT, () => process.exit(1));
    void bridge.abandon().finally(() => process.exit(1));
  };
  const end = (cause: string, code: number): void => {
    const now = clock.now();
    if (first !== 0) {
      if (now - first < ONE_SIGNAL) return;
      logger.warn(`${cause} again: exit at once; arms with torque on hold where they are`);
      exitHolding();
      return;
    }
    first = now;
    watchdog.ending();
    logger.info(`${cause}: lowering the arms, then exit (once more: exit at once, holding)`);
    const late = (): void => {
      logger.error('the exit took too long; arms with torque on hold where they are');
      exitHolding();
    };
    const due = (): void => {
      const lowers = bridge.arms.all.some(({ activity }) => activity !== null);
      if (lowers) clock.after(SLOW_EXIT_LIMIT - EXIT_LIMIT, late, true);
      else late();
    };
    clock.after(EXIT_LIMIT, due, true);
    bridge.close().then(
      () => {
        watchdog.close();
        logger.info('bye');
        process.exitCode = code;
      },
      (error: unknown) => {
        logger.fatal({ err: error }, 'the exit failed; arms with torque on hold where they are');
        exitHolding();
      },
    );
  };
  // A second error is no reason to hurry: the lowering continues.
  const fail = (cause: string): void => {
    if (first === 0) end(cause, 1);
  };
  onEndingSignal((signal) => end(signal, 0));
  bridge.onFailure = fail;
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught error');
    fail('uncaught error');
  });
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'unhandled rejection');
    fail('unhandled rejection');
  });
  if (early !== null) end(early, 0);
}

/**
 * The preparation of a ROS 2 that the bridge joins later; null where there is none, or none to wait for any more. If
 * the bridge is useless without ROS 2, waits for it here.
 */
async function preparationFor(config: Config, logger: Logger, clock: Clock): Promise<RosPreparation | null> {
  const preparation = RosPreparation.of(process.env, clock);
  if (preparation === null || config.ros.enabled === false) {
    preparation?.abandon();
    return null;
  }
  const remote = config.arms.find(({ bus }) => bus === 'ros');
  if (config.ros.enabled === 'auto' && remote === undefined) return preparation;
  const why = remote === undefined ? 'ros.enabled is true' : `${remote.name} has its bus on another machine`;
  logger.info(`waiting for ROS 2, which is being prepared, because ${why}`);
  preparation.onStep = (progress) => logger.info(`ROS 2 is being prepared: ${wordsOf(progress)}`);
  await preparation.ended;
  return null;
}

async function run(options: Options, rosArgs: readonly string[]): Promise<void> {
  const { prefix, argv } = parseRosArguments(rosArgs);
  const config = loadConfig(options.config, process.env, {
    parameters: new ParameterArguments(argv).of(`${prefix}/${NODE_NAME}`),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.ros ? {} : { ros: false }),
  });
  if (options.demo) requireDemo(config);
  const { logger, tail } = startLog(config.log.level);
  const watchdog = new Watchdog(systemClock, process.env);
  const preparation = await preparationFor(config, logger, systemClock);
  // Imported only when needed: without them the other commands start in half the time.
  const [{ Bridge }, { thisMachine }] = await Promise.all([import('./bridge.ts'), import('./host.ts')]);
  const letGo = holdSignals(logger, systemClock);
  const bridge = await Bridge.start(config, logger, thisMachine(systemClock), {
    rosArgs,
    log: tail,
    preparation,
    configFile: options.config === DEFAULT_CONFIG_FILE ? null : options.config,
  });
  const early = letGo();
  endOnSignals(bridge, logger, systemClock, watchdog, early);
  if (early !== null) return;
  watchdog.begin(
    () => bridge.loop().cycles,
    (reason) => bridge.onFailure(reason),
  );
  bridge.autostart();
  const { host, port } = bridge.address;
  const shown = host.includes(':') ? `[${host}]` : host;
  const scheme = config.http.tls === null || config.http.tls === 'off' ? 'http' : 'https';
  const arms = bridge.arms.all.map((arm) => `${arm.name} (id ${arm.id}, ${arm.bus})`).join(', ');
  logger.info(`arm-bridge ${VERSION}: ${arms}; HTTP on ${scheme}://${shown}:${port}`);
  if (bridge.stopPort !== null) {
    logger.info(`Stops are also heard on port ${bridge.stopPort}, whatever else the bridge is busy with`);
  }
  const here = ['127.0.0.1', '0.0.0.0', '::1', '::'].includes(host) ? 'localhost' : shown;
  const page = `${scheme}://${here}:${port}${options.demo ? '/#tour' : ''}`;
  logger.info(`Open ${page} in your browser${offerBrowser(page) ? ' (or press Enter)' : ''}`);
}

/**
 * Ends the process on an unknown word in place of a command, and suggests the most similar command.
 * @param words that follow the command `above`
 */
function refuseUnknown(above: Command, words: readonly string[]): void {
  if (above.commands.length === 0) return;
  const place = wordAt(above, words);
  const word = words[place];
  if (word === undefined || word === 'help') return;
  // Commander does so only for programs that do nothing without a command, and only after checking the options.
  const known = new Command(program.name());
  for (const each of above.commands)
    known
      .command(each.name())
      .helpOption(false)
      .action(() => {});
  known.parse([word], { from: 'user' });
  refuseUnknown(above.commands.find((each) => each.name() === word)!, words.slice(place + 1));
}

const { own, ros } = splitRosArguments(process.argv.slice(2));
const program = new Command('arm-bridge')
  .description(
    'Puts robot arms on ROS 2 and HTTP: drives their servos, guards every motion, mirrors leaders to followers.',
  )
  .version(VERSION)
  .option('--config <file>', 'configuration file (YAML)', usualConfigFile())
  .option('--port <number>', 'HTTP port; 0 takes a free one', portNumber)
  .option('--host <address>', 'address to listen on; any but loopback needs http.tls and a token')
  .option('--no-ros', 'serve HTTP alone')
  .option('--demo', 'take a tour on the page: simulated arms, from the first move to a recording')
  // Sub-commands have options of the same names: a --port after a sub-command belongs to it.
  .enablePositionalOptions()
  .addHelpText('after', '\nROS arguments follow --ros-args, as for any ROS 2 node.')
  .action((options: Options) => run(options, ros));
/** Whether a word belongs to the option before it: as its value, or possibly so if the option is unknown. */
function isValue({ options }: Command, before: string | undefined): boolean {
  if (before === undefined || !before.startsWith('-') || before.includes('=')) return false;
  const option = options.find(({ long, short }) => before === long || before === short);
  return option === undefined || option.required;
}
/** Index of the first word that is neither an option nor its value; words.length if there is none. */
function wordAt(above: Command, words: readonly string[]): number {
  const place = words.findIndex((word, index) => !word.startsWith('-') && !isValue(above, words[index - 1]));
  return place < 0 ? words.length : place;
}
const command = own[wordAt(program, own)];
if (command !== undefined || own.includes('--help') || own.includes('-h')) {
  // Loading the commands takes as long as loading everything the bridge needs to start.
  const { addCommands } = await import('./cli/commands.ts');
  addCommands(program.helpCommand(true), usualConfigFile());
  refuseUnknown(program, own);
}

try {
  await program.parseAsync(own, { from: 'user' });
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof RosArgumentError)) throw error;
  process.stderr.write(`arm-bridge: ${error.message}\n`);
  process.exitCode = 2;
}
