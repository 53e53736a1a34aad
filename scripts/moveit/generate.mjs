// node scripts/moveit/generate.mjs
// Writes moveit/arm_bridge_moveit/config/<model>/ from robots/<model>. Needs a compiled bridge (npm run build).

import { mkdirSync, writeFileSync } from 'node:fs';
import { moveitFiles } from './files.mjs';

const compiled = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { armChain, armModels, loadArmModel } = await compiled('arm/model.js');
const { withPrefix } = await compiled('kinematics/urdf-text.js');
const { HEADROOM } = await compiled('rt/sources/trajectory.js');
const tools = { ...(await compiled('kinematics/shapes.js')), withPrefix, HEADROOM };

for (const name of armModels()) {
  const model = loadArmModel(name);
  const folder = new URL(`../../moveit/arm_bridge_moveit/config/${name}/`, import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(moveitFiles(model, armChain(model), tools))) {
    writeFileSync(new URL(file, folder), text);
    process.stdout.write(`${new URL(file, folder).pathname}\n`);
  }
}
