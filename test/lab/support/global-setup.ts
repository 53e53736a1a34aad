/** Before all files of the laboratory: packages, base images, every target of docker/Dockerfile, and machines with systemd. */
import { makeBases, makeDebian, runsContainers } from './bases.ts';
import { Engine } from './engine.ts';
import { build, TARGETS } from './images.ts';
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
    await makeBases(engine);
    for (const target of TARGETS.filter((name) => wanted.includes(name))) await build(engine, target);
    for (const target of WITH_SYSTEMD.filter((name) => wanted.includes(name))) await layOut(engine, target);
  } finally {
    await engine.stop();
  }
}
