// node scripts/build.mjs [FOLDER]: compiles src/ and builds the control page, to dist/ or to another folder. Types are not
// checked, which takes ten times as long: `npm run typecheck` does that.

import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeLicences } from './lib/bundled-licences.mjs';
import { buildPage } from './lib/page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? join(root, 'dist'));
rmSync(out, { recursive: true, force: true });

/** The program and its threads. */
const PROGRAMS = [
  'main',
  'rt/entry',
  'sim/entry',
  'motion/planner-entry',
  'recording/entry',
  'stop/entry',
  'ros/departure-worker',
];
/** What scripts and tests take from the compiled bridge. */
const PARTS = [
  ...['bridge', 'host', 'clock', 'recording/folder-lock'],
  ...['arm/model', 'servo/servo-models', 'kinematics/shapes', 'kinematics/urdf-text'],
  ...['rt/sources/trajectory', 'rt/sources/waypoints'],
];
/** Packages with parts that are no JavaScript, which they look for beside themselves, and what ws does without. */
const EXTERNAL = ['@mujoco/mujoco', 'rclnodejs', 'serialport', 'bufferutil', 'utf-8-validate'];

// The packages go into the same few files: to find and read hundreds of modules one by one takes a quarter of a start.
const [{ metafile }] = await Promise.all([
  build({
    entryPoints: [...PROGRAMS, ...PARTS].map((name) => join(root, 'src', `${name}.ts`)),
    outdir: out,
    outbase: join(root, 'src'),
    tsconfig: join(root, 'tsconfig.json'),
    bundle: true,
    splitting: true,
    external: EXTERNAL,
    platform: 'node',
    format: 'esm',
    target: 'node20.20',
    // Packages that are no ES modules ask Node for its own modules by it.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
    },
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  }),
  buildPage(root, join(out, 'page')),
]);
writeLicences(root, Object.keys(metafile.inputs), join(out, 'licences.txt'));
