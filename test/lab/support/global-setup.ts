/** Before all files of the laboratory: packages, base images, and every target of docker/Dockerfile. */
import { makeBases } from './bases.ts';
import { Engine } from './engine.ts';
import { build, TARGETS } from './images.ts';
import { installPackages } from './run.ts';

export default async function setup(): Promise<void> {
  await installPackages();
  // For whoever works on the tests: ARM_BRIDGE_LAB_TARGETS=http,bookworm builds these two, an empty list none.
  const wanted = process.env.ARM_BRIDGE_LAB_TARGETS?.split(',') ?? TARGETS;
  if (wanted.join('') === '') return;
  const engine = await Engine.start(null);
  try {
    await makeBases(engine);
    for (const target of TARGETS.filter((name) => wanted.includes(name))) await build(engine, target);
  } finally {
    await engine.stop();
  }
}
