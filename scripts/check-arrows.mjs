/**
 * Checks that imports between the rooms of src/ go only where the table of ARCHITECTURE.md lets them, that only clock.ts
 * reads time, sets timers and sleeps, and that nothing of the control thread awaits, logs or parses; ends non-zero
 * otherwise. Type-only imports count too: knowing a type is knowing the room.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

const DOCUMENT = fileURLToPath(new URL('../ARCHITECTURE.md', import.meta.url));

/**
 * Reads the table of rooms: which rooms each room may import, and of some only certain files, written as
 * "`room` (only `file`, `file`)". A file directly in src/ is a room of its own.
 */
function readTable(text) {
  const allowed = {};
  const only = {};
  const section = text.split(/^## /m).find((part) => part.startsWith('Rooms\n')) ?? '';
  for (const [, name, arrows] of section.matchAll(/^\| `([^`]+)` \|[^|]*\|([^|]*)\|$/gm)) {
    allowed[name] = [];
    for (const [, to, files] of arrows.matchAll(/`([^`]+)`(?: \(only ([^)]*)\))?/g)) {
      allowed[name].push(to);
      if (files) only[name] = { ...only[name], [to]: [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => file) };
    }
  }
  return { allowed, only };
}

const { allowed, only: narrow } = readTable(readFileSync(DOCUMENT, 'utf8'));
if (Object.keys(allowed).length === 0) {
  console.error('ARCHITECTURE.md: no table of rooms under "## Rooms"');
  process.exit(1);
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export(?! const))\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*?)?['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)/g;

/** What reads time, waits or sleeps; comments and texts do not count. */
const TIME =
  /\b(?:performance\b|Date\.now|new Date\b(?!\([^)])|(?<!(?<!globalThis)\.|[\w#])(?:setTimeout|setInterval|setImmediate)\b|Atomics\.wait(?:Async)?\b|AbortSignal\.timeout\b|process\.(?:hrtime|uptime)\b)|['"](?:node:)?(?:timers(?:\/promises)?|perf_hooks)['"]/g;
/** Files that every room may import. */
const COMMON = ['cameras.ts', 'clock.ts', 'home.ts', 'kept.ts', 'machine.ts', 'message-of.ts', 'sizes.ts'];
/** Whoever begins a thread or a program takes the clock of the machine and hands it on. */
const ENTRIES = /^(?:program|rt\/entry|sim\/entry|recording\/entry|stop\/entry|ros\/departure-worker|cli\/.*)\.ts$/;
/** Rooms whose errors name no route and no service: each rim words what to do (`Remedy` in arm/types.ts). */
const WORDLESS = /^(?:rt|arm|motion|mirror|calibration|recording)\/|^(?:roster|bridge|arm-plan)\.ts$/;
/** A route of HTTP or a service of ROS in a text. */
const ROUTE =
  /(?:POST|DELETE) \/|['"`\s]\/(?:move|stop|gravity|torque|joints|recording|robot|local|calibrate|end-effector|api)\/|~\/\w|take_over=/g;

function withoutProse(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/.*$/gm, '');
}

function room(path) {
  const parts = relative(SOURCE, path).split(sep);
  return parts[0];
}

const faults = [];
for (const entry of readdirSync(SOURCE, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
  const file = join(entry.parentPath, entry.name);
  const from = room(file);
  if (!(from in allowed)) {
    faults.push(`src/${relative(SOURCE, file)}: ARCHITECTURE.md has no room "${from}" in its table "Rooms"`);
    continue;
  }
  const name = relative(SOURCE, file).split(sep).join('/');
  const text = readFileSync(file, 'utf8');
  if (name !== 'clock.ts') {
    for (const [use] of withoutProse(text).matchAll(TIME)) faults.push(`src/${name}: ${use} is for clock.ts alone`);
    if (/\bsystemClock\b/.test(withoutProse(text)) && !ENTRIES.test(name))
      faults.push(`src/${name}: systemClock is for the entries of threads and programs, which hand it on`);
  }
  if (WORDLESS.test(name)) {
    for (const [use] of withoutProse(text).matchAll(ROUTE))
      faults.push(`src/${name}: "${use.trim()}" is for http and ros, which word what to do about an error`);
  }
  for (const [, static_, dynamic] of text.matchAll(IMPORT)) {
    const target = resolve(dirname(file), static_ ?? dynamic);
    const to = room(target);
    if (to === from || COMMON.includes(to) || to.startsWith('..')) continue;
    const inside = relative(join(SOURCE, to), target).split(sep).join('/');
    const only = narrow[from]?.[to];
    if (!allowed[from].includes(to)) faults.push(`src/${relative(SOURCE, file)}: ${from} must not know ${to}`);
    else if (only && !only.includes(inside))
      faults.push(`src/${relative(SOURCE, file)}: ${from} must not know ${to}/${inside}`);
  }
}
/** Where the control thread is put together: from here on nothing of it may reach what awaits, logs or parses. */
const COMPOSERS = ['rt/entry.ts', 'rt/open-link.ts'];
/** The clock has promises for others; what runs in a cycle calls none of them. */
const HARMLESS = ['clock.ts'];
const SLOW = /\b(?:async|await)\b|\.then\(|\bPromise\b|\bJSON\.parse\b/;
const SLOW_PACKAGE = /from '(?:pino|zod|yaml|fast-xml-parser|fastify|rclnodejs)[^']*'/;
/** Imports of values alone: what is only a type is gone when the program runs. */
const VALUES =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)([^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*?)?)from\s*['"](\.[^'"]+)['"]/g;

/** Files that a file needs when it runs. */
function needs(name) {
  const text = readFileSync(join(SOURCE, name), 'utf8');
  return [...text.matchAll(VALUES)]
    .filter(([, what]) => !/^\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?\s*,?)+\s*\}\s*$/.test(what.trim()))
    .map(([, , target]) =>
      relative(SOURCE, resolve(dirname(join(SOURCE, name)), target))
        .split(sep)
        .join('/'),
    );
}

const reached = new Map();
const waiting = readdirSync(join(SOURCE, 'rt'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `rt/${name.split(sep).join('/')}`)
  .filter((name) => !COMPOSERS.includes(name));
for (const name of waiting) reached.set(name, name);
while (waiting.length > 0) {
  const name = waiting.shift();
  for (const next of needs(name)) {
    if (COMPOSERS.includes(next))
      faults.push(`src/${name}: ${next} puts the control thread together, and is for its entry alone`);
    else if (!reached.has(next)) {
      reached.set(next, `${reached.get(name)} -> ${next}`);
      waiting.push(next);
    }
  }
}
for (const [name, way] of reached) {
  if (HARMLESS.includes(name)) continue;
  const text = readFileSync(join(SOURCE, name), 'utf8');
  const use = SLOW.exec(withoutProse(text)) ?? SLOW_PACKAGE.exec(text);
  if (use !== null) faults.push(`src/${name}: "${use[0]}" is not for the control thread, which needs it by ${way}`);
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error('Which room may import which is said by the table "Rooms" of ARCHITECTURE.md.');
  process.exit(1);
}
console.log('arrows between the rooms: as in ARCHITECTURE.md');
