type Tree = Record<string, unknown>;
/** Brings the tree of a file from one version to the next, in place. */
export type Step = (tree: Tree) => void;

/**
 * Whenever a key of the configuration changes its name or its meaning, a step is added that brings older files up to it: the
 * first leads from version 1 to version 2. A file says its version by `version`; one without is of version 1.
 */
const STEPS: readonly Step[] = [];

/**
 * Brings the tree of a configuration file up to the newest version, and takes `version` out of it.
 * @returns why it cannot be read; null when it can
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
