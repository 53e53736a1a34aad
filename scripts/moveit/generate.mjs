// node scripts/moveit/generate.mjs [MODEL_FOLDER ...]
// Writes moveit/arm_bridge_moveit/config/<model>/ from robots/<model>; for folders of other models, MODEL_FOLDER/moveit/.
// Needs a compiled bridge (npm run build).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moveitFiles } from './files.mjs';

const compiled = (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { armChain, armModels, loadArmModel } = await compiled('arm/model.js');
const { withPrefix } = await compiled('kinematics/urdf-text.js');
const { HEADROOM } = await compiled('rt/sources/trajectory.js');
const { POSITION_SLACK } = await compiled('rt/sources/waypoints.js');
const tools = { ...(await compiled('kinematics/shapes.js')), withPrefix, HEADROOM, POSITION_SLACK };

const PACKAGE = fileURLToPath(new URL('../../moveit/arm_bridge_moveit/config/', import.meta.url));
const given = process.argv.slice(2).map((folder) => resolve(folder));
const targets =
  given.length === 0
    ? armModels().map((name) => [name, join(PACKAGE, name)])
    : given.map((folder) => [folder, join(folder, 'moveit')]);

for (const [source, folder] of targets) {
  const model = loadArmModel(source);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(moveitFiles(model, armChain(model), tools))) {
    writeFileSync(join(folder, file), text);
    process.stdout.write(`${join(folder, file)}\n`);
  }
}
