/** Before all files of the laboratory: packages, base images, every target of docker/Dockerfile, and machines with systemd. */
import { makeBase, makeDebian, runsContainers } from './bases.ts';
import { Engine } from './engine.ts';
import { build, TARGETS, type Target } from './images.ts';
import { layOut } from './nspawn.ts';
import { installPackages, unavailable } from './run.ts';

/** Targets whose bridge is run by systemd. */
const WITH_SYSTEMD = ['bookworm', 'ros'] as const;

/** Gets what the machine has to give: packages, an engine that starts, and a container in it that runs. */
async function startEngine(): Promise<Engine> {
  await installPackages().catch((error: unknown) => {
    throw unavailable('packages of Debian cannot be had', error);
  });
  const engine = await Engine.start(null).catch((error: unknown) => {
    throw unavailable('no engine starts', error);
  });
  try {
    await makeDebian(engine);
    await runsContainers(engine);
  } catch (error) {
    await engine.stop();
    throw unavailable('the engine runs no container', error);
  }
  return engine;
}

export default async function setup(): Promise<void> {
  const engine = await startEngine();
  // For whoever works on the tests: ARM_BRIDGE_LAB_TARGETS=http,bookworm builds these two, an empty list none.
  const wanted = process.env.ARM_BRIDGE_LAB_TARGETS?.split(',') ?? TARGETS;
  try {
    if (wanted.join('') === '') return;
    await makeBase(engine, 'node:');
    const buildAll = async (...targets: Target[]): Promise<void> => {
      for (const target of targets.filter((name) => wanted.includes(name))) await build(engine, target);
    };
    // Side by side, since most of each is done by one compiler or one package manager at a time.
    await Promise.all([buildAll('http', 'bookworm'), makeBase(engine, 'ros:').then(() => buildAll('ros', 'foxglove'))]);
    for (const target of WITH_SYSTEMD.filter((name) => wanted.includes(name))) await layOut(engine, target);
  } finally {
    await engine.stop();
  }
}
