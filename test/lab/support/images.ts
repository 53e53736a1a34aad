/** The images of docker/Dockerfile, built as docker/compose.yaml has them built. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compose } from './compose.ts';
import type { Engine } from './engine.ts';
import { ROOT, run, say } from './run.ts';

export const TARGETS = ['http', 'bookworm', 'ros', 'foxglove'] as const;
export type Target = (typeof TARGETS)[number];

/** What the images are tagged and labelled with: the version of this checkout. */
export const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;

export const imageOf = (target: Target, version = VERSION): string => `arm-bridge:${version}-${target}`;

const BUILD_LIMIT = 1_800_000;

/** Builds a target, and returns how long it took, s. @param version that it is tagged and labelled with */
export async function build(engine: Engine, target: Target, version = VERSION): Promise<number> {
  say(`building the image ${target}`);
  const begin = performance.now();
  const revision = (await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT })).trim();
  const variables = { ARM_BRIDGE_TARGET: target, ARM_BRIDGE_VERSION: version, ARM_BRIDGE_REVISION: revision };
  const args = ['--network=host', ...(await buildArguments(target, variables))];
  const file = ['-f', 'docker/Dockerfile', '--target', target, '-t', imageOf(target, version), '.'];
  await engine.docker(['build', ...args, ...file], { cwd: ROOT, timeout: BUILD_LIMIT });
  const seconds = (performance.now() - begin) / 1000;
  say(`the image ${target} was built in ${Math.round(seconds)} s`);
  return seconds;
}

/** Those that docker/compose.yaml gives every build. */
async function buildArguments(target: Target, variables: Readonly<Record<string, string>>): Promise<string[]> {
  const { services } = await new Compose(`build-${target}`).load(['*'], variables);
  const { args } = services.lab!.build as { readonly args: Readonly<Record<string, string>> };
  return Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
}

/** Size of an image, bytes. */
export async function sizeOf(engine: Engine, image: string): Promise<number> {
  return Number(await engine.inspect(image, '.Size'));
}
