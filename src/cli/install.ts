import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config/load.ts';
import { PROJECT } from '../home.ts';
import { RULES_FILE } from '../servo/port/serial-errors.ts';
import { type Finding, shown } from './doctor/finding.ts';
import { carryOut, EXIT, UsageError } from './servo-access.ts';

/**
 * Usual place of the checkout that docker/build.sh has built. The unit and its drop-in name it; installing them puts
 * the actual place in its stead.
 */
const USUAL_PLACE = '/opt/arm-bridge';
const USER = 'arm-bridge';
const HOME = '/var/lib/arm-bridge';
const CONFIG = '/etc/arm-bridge/config.yaml';
const ENVIRONMENT = '/etc/arm-bridge/environment';
const UNIT = '/etc/systemd/system/arm-bridge.service';
const DROP_IN = `${UNIT}.d/realtime.conf`;
/** Serial ports belong to one of these groups: Debian, Fedora and their like; Arch. */
const SERIAL_GROUPS = ['dialout', 'uucp'];
/** Subjects of the faults that keep the bridge from starting. It runs without an arm, and reports it. */
const ESSENTIAL = ['node', 'configuration', 'ros'];

interface Options {
  readonly config?: string;
  readonly realtime?: boolean;
  readonly start: boolean;
  readonly into: string;
}

/** A file to install. If `kept`, an existing file stays unchanged. */
export interface InstalledFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
  readonly kept: boolean;
}

/** Inputs of an installation. */
export interface Place {
  /** The built checkout. */
  readonly home: string;
  /** Text of the configuration. */
  readonly config: string;
  /** Group that serial ports belong to on this machine. */
  readonly serialGroup: string;
  readonly realtime: boolean;
  /** Lines of the existing rules file; empty if there is none. */
  readonly rules: readonly string[];
}

/** Files of the service, with their contents for this machine. */
export function installedFiles({ home, config, serialGroup, realtime, rules }: Place): InstalledFile[] {
  const from = (name: string): string => readFileSync(join(home, 'config', name), 'utf8');
  const here = (text: string): string =>
    text
      .replaceAll(USUAL_PLACE, home)
      .replace(/^SupplementaryGroups=.*$/m, `SupplementaryGroups=${serialGroup}`)
      .replaceAll('GROUP="dialout"', `GROUP="${serialGroup}"`);
  const ours = here(from('70-arm-bridge.rules')).trimEnd().split('\n');
  // Keep rules written by arm-bridge setup or by a person.
  const others = rules.filter((line) => line.trim() !== '' && !ours.includes(line));
  return [
    { path: UNIT, text: here(from('arm-bridge.service')), mode: 0o644, kept: false },
    ...(realtime ? [{ path: DROP_IN, text: here(from('arm-bridge-realtime.conf')), mode: 0o644, kept: false }] : []),
    { path: RULES_FILE, text: `${[...ours, ...others].join('\n')}\n`, mode: 0o644, kept: false },
    { path: CONFIG, text: config, mode: 0o644, kept: true },
    { path: '/etc/arm-bridge/token', text: `${secret()}\n`, mode: 0o600, kept: true },
    { path: '/etc/arm-bridge/read_token', text: `${secret()}\n`, mode: 0o600, kept: true },
  ];
}

const secret = (): string => randomBytes(32).toString('hex');

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** @throws {UsageError} if the program fails, with its output */
function run(program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return stdout;
  const why = error === undefined ? `${stdout}${stderr}`.trim() : error.message;
  throw new UsageError(`${[program, ...args].join(' ')} failed: ${why}`);
}

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** Whether the unit hides a folder from the service, by its ProtectHome. */
export function isHidden(folder: string): boolean {
  return /^\/(home|root|run\/user)(\/|$)/.test(folder);
}

/** @throws {UsageError} for a checkout that the service's user could not run */
function checkedHome(): string {
  const home = resolve(fileURLToPath(PROJECT));
  if (!existsSync(join(home, 'build', 'environment.sh'))) {
    throw new UsageError(`${home} is not built for other users yet: run ${join(home, 'docker', 'build.sh')} first`);
  }
  if (isHidden(home)) {
    throw new UsageError(`${home} is in a home folder, which the service may not read: move it to ${USUAL_PLACE}`);
  }
  for (let folder = home; folder !== '/'; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o005) === 0o005) continue;
    throw new UsageError(
      `${folder} can be read by its owner alone, and the service is another user: move the checkout to ${USUAL_PLACE}`,
    );
  }
  return home;
}

/** An assignment in a file of EnvironmentFile=: quoted parts, then what is not quoted (systemd.exec(5)). */
const ASSIGNMENT =
  /^[ \t]*([A-Za-z_]\w*)[ \t]*=((?:[ \t]*(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"))*)((?:\\[\s\S]|[^\\\n])*)$/gm;
const QUOTED = /[ \t]*(?:'([^']*)'|"((?:\\[\s\S]|[^"\\])*)")/g;

/** The variables that systemd takes from a file of EnvironmentFile=, such as ROS_DOMAIN_ID=7. */
export function environmentOf(text: string): string[] {
  const escaped = (pair: string, character: string): string => {
    if (character === '\n') return '';
    return '"\\`$'.includes(character) ? character : pair;
  };
  return [...text.matchAll(ASSIGNMENT)].map(([, name, quoted, bare]) => {
    const literal = quoted!.replace(
      QUOTED,
      (_, single?: string, double?: string) => single ?? double!.replace(/\\([\s\S])/g, escaped),
    );
    const rest = bare!.trim().replace(/\\([\s\S])/g, (_, character: string) => (character === '\n' ? '' : character));
    return `${name}=${literal}${rest}`;
  });
}

/** What the service is started with beside its unit. */
function settings(): string[] {
  return environmentOf(existsSync(ENVIRONMENT) ? readFileSync(ENVIRONMENT, 'utf8') : '');
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}

function write({ path, text, mode, kept }: InstalledFile, into: string): void {
  const file = join(into, path);
  if (kept && existsSync(file)) {
    tell(`${path} stays as it is`);
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
  // Set explicitly, because an existing file keeps its mode.
  chmodSync(file, mode);
  tell(`${path} is written`);
}

/** @returns the exit code */
function install({ config, realtime = false, start, into }: Options): number {
  const home = checkedHome();
  // The service is another user than the one that installs it, and has to get into /etc/arm-bridge.
  process.umask(0o022);
  const whole = into === '/';
  if (whole && process.getuid?.() !== 0) throw new UsageError('only root installs a service: run it by sudo');
  if (whole && !has('systemctl', '--version')) {
    throw new UsageError('there is no systemd here; docs/deployment.md has containers');
  }
  const file = config ?? join(home, 'config', 'default.yaml');
  loadConfig(file, {});
  const serialGroup = SERIAL_GROUPS.find((name) => has('getent', 'group', name)) ?? SERIAL_GROUPS[0]!;
  const rules = linesOf(join(into, RULES_FILE));
  const files = installedFiles({ home, config: readFileSync(file, 'utf8'), serialGroup, realtime, rules });
  for (const each of files) write(each, into);
  if (!whole) return EXIT.ok;
  if (!has('getent', 'passwd', USER)) {
    run('useradd', '--system', '--user-group', '--home-dir', HOME, '--shell', '/usr/sbin/nologin', USER);
    tell(`the user ${USER} is made`);
  }
  if (has('udevadm', '--version')) {
    // Fails in a container without a udev daemon, where there are no adapters either.
    if (!has('udevadm', 'control', '--reload') || !has('udevadm', 'trigger', '--subsystem-match=tty'))
      tell('udev does not run: its rules are in force once it does');
  }
  run('systemctl', 'daemon-reload');
  return prove(home, serialGroup, start);
}

/** Those of the findings with which the bridge would not start. */
export function essential(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ level, subject }) => level === 'fault' && ESSENTIAL.includes(subject));
}

/**
 * Runs the doctor with the user and the group of the service, then starts the service, unless the bridge would not run.
 * @returns the exit code
 */
function prove(home: string, serialGroup: string, start: boolean): number {
  const program = join(home, 'docker', 'arm-bridge');
  run('install', '-d', '-o', USER, '-g', USER, '-m', '750', HOME);
  const as = ['-u', USER, '-g', USER, '-G', serialGroup, '--', 'env', ...settings(), `HOME=${HOME}`];
  as.push(program, 'doctor', '--json', '--config', CONFIG);
  tell(`as the user ${USER}: arm-bridge doctor --config ${CONFIG}`);
  const { stdout, stderr } = spawnSync('runuser', as, { encoding: 'utf8', cwd: '/' });
  if (stdout === '') throw new UsageError(`the user ${USER} cannot run ${program}: ${stderr.trim()}`);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  process.stdout.write(`${shown(findings)}\n`);
  // Faults of ports do not count: a port without an arm may belong to another program.
  const faults = findings.filter(({ level, subject }) => level === 'fault' && !subject.startsWith('port '));
  const code = faults.length === 0 ? EXIT.ok : EXIT.failed;
  if (faults.length > 0) tell(`to be put right first: ${faults.map(({ subject }) => subject).join(', ')}`);
  const obstacles = essential(findings).map(({ subject }) => subject);
  if (start && obstacles.length > 0)
    tell(`the service is left as it is: its bridge would not start with these faults: ${obstacles.join(', ')}`);
  if (!start || obstacles.length > 0) {
    tell('to start it, now and with the machine: systemctl enable --now arm-bridge');
    return code;
  }
  const running = has('systemctl', 'is-active', '--quiet', 'arm-bridge');
  run('systemctl', 'enable', 'arm-bridge');
  if (running) {
    tell('the service runs as it was before: systemctl restart arm-bridge lowers its arms and starts the new one');
  } else {
    run('systemctl', 'start', 'arm-bridge');
    tell('arm-bridge runs; its log: journalctl -u arm-bridge');
  }
  return code;
}

function existing(text: string): string {
  if (existsSync(text)) return text;
  throw new InvalidArgumentError('there is no such file.');
}

/** Adds `arm-bridge install` to the program: installs the bridge as a systemd service, from a built checkout. */
export function addInstall(program: Command): void {
  program
    .command('install')
    .description(
      'Installs the bridge as a service of systemd: unit, udev rules, a user of its own, tokens, configuration. Looks at ' +
        'all of it as that user, and starts it. What is there already stays: configuration and tokens, rules of others.',
    )
    .option('--config <file>', 'configuration to install where there is none (default: a simulated pair)', existing)
    .option('--realtime', 'let the control thread go ahead of other programs')
    .option('--no-start', 'do not start it')
    .option('--into <folder>', 'write the files below this folder, and do nothing else', '/')
    .action((options: Options) => carryOut('install', async () => install(options)));
}
