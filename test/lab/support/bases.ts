/** The images that docker/Dockerfile names in FROM, made from packages of Debian, npm and PyPI: no hub can be asked here. */

import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine } from './engine.ts';
import { FOLDER, ROOT, run, say } from './run.ts';

const BASES = join(ROOT, 'test/lab/bases');
const DEBIAN = 'arm-bridge-lab:bookworm';
const CERTIFICATES = '/usr/local/share/ca-certificates';
const MIRRORS = [
  'deb http://deb.debian.org/debian bookworm main',
  'deb http://deb.debian.org/debian bookworm-updates main',
  'deb http://deb.debian.org/debian-security bookworm-security main',
];
const BUILD_LIMIT = 1_200_000;

/** The images of the Dockerfile that none of its own stages makes. */
export function basesOf(dockerfile: string): string[] {
  const variables = new Map([...dockerfile.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name!, value!]));
  const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)];
  const own = new Set(stages.map(([, , name]) => name));
  const named = stages.map(([, base]) => base!.replace(/\$\{(\w+)\}/g, (_, name: string) => variables.get(name) ?? ''));
  return [...new Set(named)].filter((name) => !own.has(name));
}

/** Label of an image of ROS: a sum of what it was made by, without which another one is made. */
const MADE_BY = 'arm-bridge.made-by';

function sumOf(...names: readonly string[]): string {
  const sum = createHash('sha256');
  for (const name of names) sum.update(readFileSync(join(BASES, name)));
  return sum.digest('hex');
}

/** Makes the one with a name that begins so, if the engine does not have it yet, or has it as it was made before. */
export async function makeBase(engine: Engine, kind: 'node:' | 'ros:'): Promise<void> {
  const named = basesOf(readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8'));
  const unknown = named.find((name) => !/^(node:.*-bookworm-slim|ros:\w+-ros-base)$/.test(name));
  if (unknown !== undefined)
    throw new Error(`docker/Dockerfile is made from ${unknown}, which test/lab/support/bases.ts cannot make`);
  const nameOf = (begin: string): string => named.find((name) => name.startsWith(begin))!;
  const image = nameOf(kind);
  const sum = sumOf('make-ros.mjs', 'ros.Dockerfile');
  const format = ['--format', `{{index .Config.Labels "${MADE_BY}"}}`];
  const { code, stdout } = await engine.outcome(['image', 'inspect', ...format, image]);
  if (code === 0 && (kind === 'node:' || stdout.trim() === sum)) return;
  say(`making the base image ${image}`);
  if (kind === 'node:') await makeNode(engine, image);
  else await makeRos(engine, image, nameOf('node:'), sum);
}

/** Makes the image of Debian that all others are made from, if the engine does not have it yet. */
export async function makeDebian(engine: Engine): Promise<void> {
  if ((await engine.outcome(['image', 'inspect', DEBIAN])).code === 0) return;
  say('making the base image of Debian');
  const archive = join(FOLDER, 'debian.tar');
  const options = ['--variant=minbase', '--include=ca-certificates', '--aptopt=APT::Sandbox::User "root"'];
  options.push('--aptopt=Acquire::Retries "5"');
  // As the official images have it: what apt keeps for its next run stays out of the layers.
  const clean = 'DPkg::Post-Invoke { "rm -f /var/cache/apt/*.bin /var/cache/apt/archives/*.deb || true"; };';
  const quiet = 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";';
  options.push(`--customize-hook=echo '${clean} ${quiet}' > "$1/etc/apt/apt.conf.d/docker-clean"`);
  options.push(`--customize-hook=echo 'Acquire::Retries "5";' > "$1/etc/apt/apt.conf.d/retries"`);
  await run('mmdebstrap', [...options, 'bookworm', archive, ...MIRRORS], { timeout: 300_000 });
  await engine.docker(['import', archive, DEBIAN], { timeout: 120_000 });
  rmSync(archive);
}

/** Runs one container with the limits of docker/compose.yaml. @throws {Error} with what the engine or the kernel refuses */
export async function runsContainers(engine: Engine): Promise<void> {
  const limits = ['--network=host', '--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--memory=256m', '--user=1000'];
  await engine.docker(['run', '--rm', ...limits, DEBIAN, 'true'], { timeout: 120_000 });
}

function freshContext(name: string): string {
  const context = join(FOLDER, name);
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  return context;
}

async function makeNode(engine: Engine, image: string): Promise<void> {
  const program = process.env.ARM_BRIDGE_NODE_24 ?? '';
  const version = existsSync(program) ? (await run(program, ['--version'])).trim() : 'none';
  if (image !== `node:${version.slice(1)}-bookworm-slim`) {
    throw new Error(
      `docker/Dockerfile is made from ${image}, and scripts/locks/node-24 pins Node ${version}: let both agree`,
    );
  }
  const context = freshContext('node-base');
  const prefix = dirname(dirname(program));
  for (const name of ['bin', 'include', 'lib']) {
    if (existsSync(join(prefix, name))) cpSync(join(prefix, name), join(context, 'node', name), { recursive: true });
  }
  const npm = dirname(dirname(realpathSync((await run('which', ['npm'])).trim())));
  cpSync(npm, join(context, 'npm'), { recursive: true, dereference: true });
  // The registries of this machine may be reached by certificates of its own.
  mkdirSync(join(context, 'certificates'));
  const own = existsSync(CERTIFICATES) ? readdirSync(CERTIFICATES).filter((name) => name.endsWith('.crt')) : [];
  for (const name of own) cpSync(join(CERTIFICATES, name), join(context, 'certificates', name));
  writeFileSync(join(context, 'npmrc'), 'cafile=/etc/ssl/certs/ca-certificates.crt\nfetch-retries=5\n');
  const file = join(BASES, 'node.Dockerfile');
  await engine.docker(['build', '--network=host', '-f', file, '-t', image, context], { timeout: BUILD_LIMIT });
}

/** @param sum for its label */
async function makeRos(engine: Engine, image: string, node: string, sum: string): Promise<void> {
  const context = freshContext('ros-base');
  cpSync(join(BASES, 'make-ros.mjs'), join(context, 'make-ros.mjs'));
  for (const name of ['scripts/lib', 'scripts/locks', 'scripts/interfaces.py', 'interfaces', 'package.json']) {
    cpSync(join(ROOT, name), join(context, 'repository', name), { recursive: true });
  }
  const distro = /^ros:(\w+)-/.exec(image)![1]!;
  const args = ['--label', `${MADE_BY}=${sum}`, '--build-arg', `NODE=${node}`, '--build-arg', `ROS_DISTRO=${distro}`];
  const file = join(BASES, 'ros.Dockerfile');
  await engine.docker(['build', '--network=host', ...args, '-f', file, '-t', image, context], { timeout: BUILD_LIMIT });
}
