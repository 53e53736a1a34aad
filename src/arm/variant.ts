/**
 * Builds of one arm that differ in parts of their data, such as a leader with other gears: an entry of `variants` in
 * its file is merged over the rest of the file.
 */

/** The arm as its file describes it. */
export const BASE_VARIANT = 'follower';

type Tree = Record<string, unknown>;

/**
 * Merges a variant.
 * @param content of an arm's file, not yet checked
 * @param variant one of its `variants`
 * @returns the content with that variant's values, without `variants`; for an unknown variant the names of all
 */
export function layVariant(content: unknown, variant: string): Tree | string[] {
  const { variants, ...base } = isTree(content) ? content : {};
  const known = isTree(variants) ? variants : {};
  const changes = known[variant];
  if (!isTree(changes)) return [BASE_VARIANT, ...Object.keys(known)];
  return laid(base, changes);
}

/** Merges objects key by key, and an object over a list of named entries by name; anything else replaces. */
function laid(base: Tree, changes: Tree): Tree {
  const result = { ...base };
  for (const [key, change] of Object.entries(changes)) result[key] = laidValue(base[key], change);
  return result;
}

function laidValue(base: unknown, change: unknown): unknown {
  if (!isTree(change)) return change;
  if (isTree(base)) return laid(base, change);
  if (!Array.isArray(base)) return change;
  const named = (entry: unknown): string | undefined =>
    isTree(entry) && typeof entry.name === 'string' ? entry.name : undefined;
  const unknown = Object.entries(change).filter(([name]) => !base.some((entry) => named(entry) === name));
  return [
    ...base.map((entry: unknown) => {
      const name = named(entry);
      return name !== undefined && name in change ? laidValue(entry, change[name]) : entry;
    }),
    // Kept, so that validation of the file reports what is wrong with them.
    ...unknown.map(([name, value]) => (isTree(value) ? { name, ...value } : value)),
  ];
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
