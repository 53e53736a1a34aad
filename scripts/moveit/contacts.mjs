// Which links of an arm can touch: the collision matrix of its SRDF, sampled as MoveIt's set-up assistant does, with the
// bridge's own contact bodies (capsules, src/kinematics/shapes.ts).

/** Random poses that are tried; the assistant's default is 10 000. */
const SAMPLES = 100_000;
/** Pairs that touch in more than this part of all poses touch always, as in the assistant. */
const ALWAYS = 0.95;
/** From each of the closest poses of a pair a descent looks for a touch that sampling has missed. */
const DESCENTS = 20;
const DESCENT_STEPS = 300;

/** Repeatable random numbers, 0..1 (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The body of each link: links that fixed joints hold together are one; bodies know the one they turn on. */
function bodiesOf(chain) {
  const bodyOf = new Map([[chain.base, chain.base]]);
  const parentOf = new Map();
  for (const link of chain.links.slice(1)) {
    const joint = chain.description.joints.find(({ child }) => child === link);
    const parent = bodyOf.get(joint.parent);
    bodyOf.set(link, joint.type === 'fixed' ? parent : link);
    if (joint.type !== 'fixed') parentOf.set(link, parent);
  }
  return { bodyOf, parentOf };
}

/**
 * @param chain of the arm
 * @param shapes { coverWithCapsules, capsuleDistance, CAPSULE } of src/kinematics/shapes.ts
 * @returns {{bodies: string[], fixed: string[], first: string[], pairs: {a: string, b: string, reason: string}[]}} links with
 * contact bodies; those of them that stand on the table and those that turn on these; pairs that need no check, and why
 */
export function contactsOf(chain, limits, { coverWithCapsules, capsuleDistance, CAPSULE }) {
  const { bodyOf, parentOf } = bodiesOf(chain);
  const links = chain.links
    .map((name, index) => {
      const shapes = chain.description.links.get(name)?.collisions ?? [];
      return { name, index, local: shapes.flatMap((shape) => coverWithCapsules(shape, name)) };
    })
    .filter(({ local }) => local.length > 0);
  const scratch = new Float64Array(links.reduce((sum, { local }) => sum + local.length, 0));
  let used = 0;
  for (const link of links) {
    link.from = used;
    used += link.local.length;
    link.to = used;
  }
  const rotations = new Float64Array(9 * chain.links.length);
  const positions = new Float64Array(3 * chain.links.length);
  const place = (q) => {
    chain.linkFrames(q, rotations, positions);
    for (const { index, local, from } of links) {
      for (let i = 0; i < local.length; i += CAPSULE) {
        for (const end of [i, i + 3]) {
          for (let axis = 0; axis < 3; axis++) {
            const r = 9 * index + 3 * axis;
            scratch[from + end + axis] =
              positions[3 * index + axis] +
              rotations[r] * local[end] +
              rotations[r + 1] * local[end + 1] +
              rotations[r + 2] * local[end + 2];
          }
        }
        scratch[from + i + 6] = local[i + 6];
      }
    }
  };
  const distance = ([a, b]) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = a.from; i < a.to; i += CAPSULE) {
      for (let j = b.from; j < b.to; j += CAPSULE) least = Math.min(least, capsuleDistance(scratch, i, j));
    }
    return least;
  };

  const pairs = [];
  const sampled = [];
  for (const [at, a] of links.entries()) {
    for (const b of links.slice(at + 1)) {
      const [one, other] = [bodyOf.get(a.name), bodyOf.get(b.name)];
      if (one === other || parentOf.get(one) === other || parentOf.get(other) === one) {
        pairs.push({ a: a.name, b: b.name, reason: 'Adjacent' });
      } else sampled.push({ pair: [a, b], touches: 0, closest: [] });
    }
  }

  const next = random(1);
  const q = new Float64Array(chain.dof);
  for (let sample = 0; sample < SAMPLES; sample++) {
    for (let i = 0; i < q.length; i++) q[i] = limits[i].lower + next() * (limits[i].upper - limits[i].lower);
    place(q);
    for (const entry of sampled) {
      const found = distance(entry.pair);
      if (found <= 0) entry.touches++;
      const worst = entry.closest.at(-1);
      if (entry.closest.length < DESCENTS || found < worst.found) {
        entry.closest.push({ found, q: q.slice() });
        entry.closest.sort((left, right) => left.found - right.found);
        entry.closest.length = Math.min(entry.closest.length, DESCENTS);
      }
    }
  }
  for (const { pair, touches, closest } of sampled) {
    const [a, b] = pair.map(({ name }) => name);
    if (touches > ALWAYS * SAMPLES) pairs.push({ a, b, reason: 'Always' });
    else if (touches === 0 && !descends(pair, closest)) pairs.push({ a, b, reason: 'Never' });
  }
  const fixed = links.filter(({ name }) => bodyOf.get(name) === chain.base).map(({ name }) => name);
  const first = links.filter(({ name }) => parentOf.get(bodyOf.get(name)) === chain.base).map(({ name }) => name);
  return { bodies: links.map(({ name }) => name), fixed, first, pairs };

  /** Whether small random steps from close poses lead to a touch. */
  function descends(pair, closest) {
    for (const start of closest) {
      let best = start.found;
      let pose = start.q;
      for (let step = 0; step < DESCENT_STEPS; step++) {
        const size = 0.3 * (1 - step / DESCENT_STEPS);
        const tried = pose.map((value, i) =>
          Math.min(Math.max(value + size * (2 * next() - 1), limits[i].lower), limits[i].upper),
        );
        place(tried);
        const found = distance(pair);
        if (found <= 0) return true;
        if (found < best) {
          best = found;
          pose = tried;
        }
      }
    }
    return false;
  }
}
