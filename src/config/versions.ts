type Tree = Record<string, unknown>;
/** Migrates the tree of a file from one version to the next, in place. */
export type Step = (tree: Tree) => void;

/**
 * Migration steps; the first leads from version 1 to 2. Add a step whenever a key of the configuration changes its name
 * or meaning. A file states its version in `version`; a file without it has version 1.
 */
const STEPS: readonly Step[] = [];

/**
 * Migrates the tree of a configuration file to the newest version, and removes `version` from it.
 * @returns human-readable reason why the file cannot be read; null on success
 */
export function migrate(tree: Tree, steps: readonly Step[] = STEPS): string | null {
  const newest = steps.length + 1;
  const { version = 1 } = tree;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    return `version: ${JSON.stringify(version)} is not allowed. Expected: a whole number from 1 to ${newest}`;
  }
  if (version > newest) {
    return (
      `version: it was written for version ${version} of the configuration, and this bridge knows those up to ${newest}: ` +
      'update the bridge, or restore the backup from before the update (arm-bridge restore)'
    );
  }
  for (const step of steps.slice(version - 1)) step(tree);
  delete tree.version;
  return null;
}
