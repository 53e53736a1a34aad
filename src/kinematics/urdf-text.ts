/** Edits of URDF text that keep everything else as its author wrote it. */

/** Matches a whole joint element, and a start tag that can contain the name of a link, joint or material. */
const JOINT = /<joint\b[^>]*[^/]>[\s\S]*?<\/joint>/g;
const NAMING = /<(link|joint|parent|child|mimic|material|gazebo)\b[^>]*>/g;
const COMMENT = /<!--[\s\S]*?-->/g;

/** For each element, the attribute that holds the name of a link, a joint or a material. */
const NAME_ATTRIBUTE: Readonly<Record<string, string>> = {
  link: 'name',
  joint: 'name',
  parent: 'link',
  child: 'link',
  mimic: 'joint',
  material: 'name',
  gazebo: 'reference',
};

/** Applies a change to the text outside comments. */
function outsideComments(text: string, change: (part: string) => string): string {
  const comments = text.match(COMMENT) ?? [];
  return text
    .split(COMMENT)
    .map((part, index) => `${change(part)}${comments[index] ?? ''}`)
    .join('');
}

function attribute(tag: string, name: string): string | null {
  return new RegExp(`\\b${name}\\s*=\\s*(["'])(.*?)\\1`).exec(tag)?.[2] ?? null;
}

function setAttribute(tag: string, name: string, value: string): string {
  return tag.replace(new RegExp(`(\\b${name}\\s*=\\s*)(["']).*?\\2`), (_, head: string) => `${head}"${value}"`);
}

/**
 * Replaces velocity limits in a URDF.
 *
 * @param urdf text of a valid URDF
 * @param velocities rad/s or m/s by joint name; a mimic joint gets its leader's value times its multiplier, other
 *   joints keep their own
 */
export function withVelocityLimits(urdf: string, velocities: ReadonlyMap<string, number>): string {
  return outsideComments(urdf, (part) =>
    part.replace(JOINT, (joint) => {
      const mimic = /<mimic\b[^>]*>/.exec(joint)?.[0];
      const driver = mimic === undefined ? attribute(joint, 'name') : attribute(mimic, 'joint');
      const velocity = velocities.get(driver ?? '');
      if (velocity === undefined) return joint;
      const multiplier = mimic === undefined ? 1 : Number(attribute(mimic, 'multiplier') ?? 1);
      const limit = Number((Math.abs(multiplier) * velocity).toPrecision(6));
      return joint.replace(/<limit\b[^>]*>/, (tag) => setAttribute(tag, 'velocity', String(limit)));
    }),
  );
}

/**
 * Prefixes the names of all links, joints and materials in a URDF, so that one robot can hold several arms.
 * @param urdf text of a valid URDF
 */
export function withPrefix(urdf: string, prefix: string): string {
  if (prefix === '') return urdf;
  return outsideComments(urdf, (part) =>
    part.replace(NAMING, (tag, element: string) => {
      const name = NAME_ATTRIBUTE[element]!;
      const value = attribute(tag, name);
      return value === null || value === '' ? tag : setAttribute(tag, name, `${prefix}${value}`);
    }),
  );
}
