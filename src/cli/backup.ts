import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { systemClock } from '../clock.ts';
import { ConfigError, loadConfig, usualConfigFile } from '../config/load.ts';
import { handOver, makeFolder } from '../disk.ts';
import { VERSION } from '../version.ts';
import { NAMED_TOKENS, placesOf } from './backup-places.ts';
import { carryOut, EXIT, UsageError } from './servo-access.ts';

/** Version of the backup format. A bridge reads this version and all older ones. */
const FORMAT = 1;
const MANIFEST = 'manifest.json';
/** Records of arms: whether each has been stopped. */
const ARM_RECORD = /^arm-.*\.json$/;
/** State files to back up: neither tokens nor an unfinished set-up. */
const STATE_FILES = /^(?!(?:setup|tokens)\.).*\.json$/;

const manifestSchema = z.object({
  format: z.int().min(1),
  /** Version of the bridge that has made it. */
  version: z.string(),
  /** ISO 8601, UTC. */
  made: z.string(),
  /** Name of the configuration within `config/`. */
  config: z.string(),
  /** SHA-256 of every other file, by its path. */
  files: z.record(z.string().regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$)).+$/), z.string()),
});
type Manifest = z.output<typeof manifestSchema>;

/** What to do about a file that the configuration leads to. */
const NOT_THERE =
  'does not exist, and is not in the backup. Containers keep such files in docker/secrets: copy them from there. The ' +
  'service of systemd keeps its tokens in /etc/arm-bridge: run this with sudo.';

interface BackupOptions {
  readonly config: string;
  readonly tokens?: boolean;
  readonly recordings?: boolean;
}

interface RestoreOptions extends BackupOptions {
  readonly force?: boolean;
}

/** @throws {UsageError} when it fails */
function tar(...args: string[]): void {
  const { status, stderr, error } = spawnSync('tar', args, { encoding: 'utf8', stdio: ['inherit', 'pipe', 'pipe'] });
  if (status !== 0) throw new UsageError(`tar failed: ${(error?.message ?? stderr).trim()}`);
}

/** SHA-256 of a file, read piece by piece: a recording may be larger than the memory. */
function sum(file: string): string {
  const [hash, piece, descriptor] = [createHash('sha256'), Buffer.alloc(1 << 20), openSync(file, 'r')];
  try {
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}

/** Every file below a folder, as a path relative to it. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Runs a task with a temporary folder below `parent`, and removes the folder afterwards. */
function withScratch<T>(parent: string, task: (folder: string) => T): T {
  makeFolder(parent);
  const folder = mkdtempSync(join(parent, 'arm-bridge-backup-'));
  try {
    return task(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the exit code */
function backup(file: string, options: BackupOptions): number {
  const places = placesOf(options.config);
  return withScratch(tmpdir(), (scratch) => {
    /**
     * Links a file, or all files below a folder, into the backup. Copies of recordings might not fit into the temporary
     * folder.
     */
    const put = (from: string, to: string): void => {
      if (!existsSync(from)) return;
      if (statSync(from).isDirectory()) {
        for (const name of filesBelow(from)) put(join(from, name), `${to}/${name}`);
        return;
      }
      mkdirSync(dirname(join(scratch, to)), { recursive: true });
      symlinkSync(resolve(from), join(scratch, to));
      names.push(to);
    };
    const names: string[] = [];
    const folder = dirname(places.config);
    put(places.config, `config/${basename(places.config)}`);
    for (const path of places.own) put(join(folder, path), `config/${path}`);
    if (places.outside.length > 0) {
      process.stderr.write(
        `${places.outside.join(', ')}: not in the backup, since it is not below ${folder}. Copy it to the other computer yourself.\n`,
      );
    }
    put(places.calibration, 'calibration');
    for (const name of existsSync(places.state) ? readdirSync(places.state) : []) {
      if (STATE_FILES.test(name)) put(join(places.state, name), `state/${name}`);
    }
    const secrets = options.tokens ? places.secrets : {};
    for (const [kind, files] of Object.entries({ named: places.named, tokens: secrets })) {
      for (const [name, from] of Object.entries(files)) {
        if (from === null) continue;
        put(from, `${kind}/${name}`);
        if (!existsSync(from) && name !== NAMED_TOKENS) process.stderr.write(`${from} ${NOT_THERE}\n`);
      }
    }
    if (options.recordings) put(places.recordings, 'recordings');
    const written = (): number[] => names.map((name) => statSync(join(scratch, name)).mtimeMs);
    const before = written();
    const requireSame = (): void => {
      const after = written();
      const changed = names.filter((_, i) => before[i] !== after[i]);
      if (changed.length === 0) return;
      throw new UsageError(`${changed.join(', ')} changed meanwhile, so this is no backup: end the bridge first`);
    };
    const files = Object.fromEntries(names.map((name) => [name, sum(join(scratch, name))]));
    const manifest: Manifest = {
      format: FORMAT,
      version: VERSION,
      made: new Date(1000 * systemClock.wall()).toISOString(),
      config: basename(places.config),
      files,
    };
    writeFileSync(join(scratch, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    if (file === '-') {
      const { status } = spawnSync('tar', ['-chzf', '-', '-C', scratch, '.'], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      if (status !== 0) throw new UsageError('tar failed');
      requireSame();
    } else {
      // Written atomically, and readable by its owner only, because it may hold tokens.
      const draft = `${file}.${process.pid}`;
      // A killed backup may have left a draft of this name, readable by others.
      rmSync(draft, { force: true });
      writeFileSync(draft, '', { mode: 0o600, flag: 'wx' });
      try {
        tar('-chzf', draft, '-C', scratch, '.');
        requireSame();
        renameSync(draft, file);
      } finally {
        rmSync(draft, { force: true });
      }
    }
    const kept = Object.keys(files).length;
    process.stderr.write(`${file === '-' ? 'the backup' : file} holds ${kept} files: ${summary(Object.keys(files))}\n`);
    return EXIT.ok;
  });
}

function summary(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) {
    const kind = name.split('/')[0]!;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${kind} ${count}`).join(', ');
}

/** Reads and checks an unpacked backup. @throws {UsageError} if it cannot be used */
function checked(folder: string, file: string): Manifest {
  let manifest: Manifest;
  try {
    manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')));
  } catch {
    throw new UsageError(`${file} is no backup of arm-bridge: it has no ${MANIFEST} that can be read`);
  }
  if (manifest.format > FORMAT) {
    throw new UsageError(
      `${file} was made by arm-bridge ${manifest.version}, in a format that this one (${VERSION}) does not know: update first`,
    );
  }
  for (const [name, wanted] of Object.entries(manifest.files)) {
    const path = join(folder, name);
    if (!existsSync(path)) throw new UsageError(`${file} is damaged: ${name} is missing`);
    if (sum(path) !== wanted) throw new UsageError(`${file} is damaged: ${name} is not what was put into it`);
  }
  return manifest;
}

/** @returns the exit code */
function restore(file: string, options: RestoreOptions): number {
  // Not in /tmp, which has little room in a container.
  return withScratch(defaultStateFolder(), (scratch) => {
    if (file !== '-' && !existsSync(file)) throw new UsageError(`there is no ${file}`);
    tar('-xzf', file, '-C', scratch, '--no-same-owner', '--no-same-permissions');
    const manifest = checked(scratch, file);
    const config = join(scratch, 'config', manifest.config);
    // Checked before anything is changed, because the restored configuration names the target folders.
    try {
      loadConfig(config, process.env);
    } catch (error) {
      if (error instanceof ConfigError) throw new UsageError(`the configuration in ${file}: ${error.message}`);
      throw error;
    }
    const target = resolve(options.config);
    const there = placesOf(config, target);
    const homes: Readonly<Record<string, (path: string) => string | null>> = {
      config: (path) => (path === manifest.config ? target : join(dirname(target), path)),
      calibration: (path) => join(there.calibration, path),
      state: (path) => {
        const to = join(there.state, path);
        // A stop on this computer is released by a reset alone.
        const stays = !STATE_FILES.test(path) || (ARM_RECORD.test(path) && existsSync(to));
        return stays ? null : to;
      },
      recordings: (path) => (options.recordings ? join(there.recordings, path) : null),
      named: (path) => there.named[path] ?? null,
      tokens: (path) => (options.tokens ? (there.secrets[path] ?? null) : null),
    };
    const moves = Object.keys(manifest.files).flatMap((name) => {
      const [kind, ...rest] = name.split('/');
      const to = homes[kind!]?.(rest.join('/')) ?? null;
      if (to === null) {
        if (kind === 'tokens' && options.tokens) {
          process.stderr.write(`${name} is not restored: the configuration in ${file} does not say where it goes\n`);
        }
        return [];
      }
      return [{ name, to, secret: kind === 'tokens' }];
    });
    const differing = moves.filter(({ name, to }) => existsSync(to) && sum(to) !== manifest.files[name]);
    if (differing.length > 0 && !options.force) {
      throw new UsageError(
        `these files are there already and differ: ${differing.map(({ to }) => to).join(', ')}. Nothing was changed. ` +
          'End the bridge, make a backup of what is there, then add --force',
      );
    }
    makeFolder(there.state);
    for (const { name, to, secret } of moves) {
      makeFolder(dirname(to));
      const draft = `${to}.${process.pid}`;
      const old = existsSync(to) ? statSync(to) : null;
      // A copy takes the mode of its source before any content.
      chmodSync(join(scratch, name), old === null ? (secret ? 0o600 : 0o644) : old.mode & 0o777);
      copyFileSync(join(scratch, name), draft);
      // Who could read it still can. A new secret is the bridge's, which reads it: its state folder says who that is.
      if (old === null) handOver(draft, secret ? there.state : dirname(to));
      else if (process.getuid?.() === 0) chownSync(draft, old.uid, old.gid);
      renameSync(draft, to);
      process.stderr.write(`${to}\n`);
    }
    process.stderr.write(
      `restored ${moves.length} files of ${manifest.made}, made by arm-bridge ${manifest.version}: ` +
        `${summary(moves.map(({ name }) => name))}. A calibration is checked against its servos when they connect.\n`,
    );
    return EXIT.ok;
  });
}

/** Adds `arm-bridge backup` and `arm-bridge restore` to the program: the whole set-up in one file. */
export function addBackup(program: Command): void {
  program
    .command('backup <file>')
    .description(
      'Keeps what was set up in one file (tar.gz): configuration, arms of your own beside it, certificates that it names, ' +
        'calibrations, and what the bridge remembers of its arms. "-" stands for standard output.',
    )
    .option('--config <file>', 'configuration of the bridge', usualConfigFile())
    .option('--tokens', 'and the tokens and the private key: whoever has the file may move the arms then')
    .option('--recordings', 'and the recordings')
    .action((file: string, options: BackupOptions) => carryOut('backup', async () => backup(file, options)));
  program
    .command('restore <file>')
    .description(
      'Puts a backup back, on the same computer or another one, after it has been checked as a whole. Files that are there ' +
        'and differ are replaced with --force alone. The bridge is to be off. "-" stands for standard input.',
    )
    .option('--config <file>', 'where the configuration goes', usualConfigFile())
    .option('--tokens', 'and its tokens and private key')
    .option('--recordings', 'and its recordings')
    .option('--force', 'replace what is there')
    .action((file: string, options: RestoreOptions) => carryOut('restore', async () => restore(file, options)));
}
