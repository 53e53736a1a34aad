/**
 * Reads an SRDF over a URDF by the rules of srdfdom (moveit/srdfdom, src/model.cpp) and of MoveIt's robot model: whatever those
 * would log as an error and leave out is a fault here.
 */

import { XMLParser } from 'fast-xml-parser';
import type { Joint, RobotDescription } from '../../../src/kinematics/urdf.ts';

type Element = Readonly<Record<string, unknown>>;

export interface Group {
  readonly links: ReadonlySet<string>;
  /** Joints that move by themselves, in the order of the chain. */
  readonly joints: readonly string[];
}

export interface Srdf {
  readonly name: string;
  readonly groups: ReadonlyMap<string, Group>;
  readonly states: readonly {
    readonly name: string;
    readonly group: string;
    readonly values: ReadonlyMap<string, number>;
  }[];
  readonly endEffectors: readonly { readonly name: string; readonly group: string; readonly parentLink: string }[];
  readonly disabled: readonly { readonly pair: string; readonly reason: string }[];
  /** Empty for a file that MoveIt takes as a whole. */
  readonly faults: readonly string[];
}

/** Why MoveIt's set-up assistant leaves a pair of links out. */
const REASONS = ['Adjacent', 'Default', 'Always', 'Never', 'User'];
const ELEMENTS = ['group', 'group_state', 'end_effector', 'disable_collisions'];

export const pairOf = (a: string, b: string): string => [a, b].sort().join(' ');

export function readSrdf(text: string, urdf: RobotDescription): Srdf {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    isArray: (name) => [...ELEMENTS, 'joint', 'link', 'chain'].includes(name),
  });
  const robot = (parser.parse(text) as { robot: Element }).robot;
  const faults: string[] = [];
  const fault = (why: string): void => void faults.push(why);
  const all = (element: Element, name: string): Element[] => (element[name] as Element[] | undefined) ?? [];
  const textOf = (element: Element, name: string, where: string): string => {
    const value = element[`@${name}`];
    if (typeof value !== 'string' || value === '') fault(`${where} has no ${name}`);
    return String(value ?? '');
  };
  const jointInto = new Map(urdf.joints.map((joint) => [joint.child, joint]));
  const known = new Map(urdf.joints.map((joint) => [joint.name, joint]));
  const isLink = (name: string, where: string): boolean => {
    if (!urdf.links.has(name)) fault(`${where} names the link ${name}, which the URDF does not have`);
    return urdf.links.has(name);
  };
  for (const key of Object.keys(robot)) {
    if (!key.startsWith('@') && !ELEMENTS.includes(key)) fault(`an element <${key}> has no meaning`);
  }
  if (robot['@name'] !== urdf.name) fault(`it is of ${robot['@name']}, the URDF of ${urdf.name}`);

  const groups = new Map<string, Group>();
  for (const element of all(robot, 'group')) {
    const name = textOf(element, 'name', 'a group');
    if (groups.has(name)) fault(`group ${name} stands twice`);
    const links = new Set<string>();
    const joints: Joint[] = [];
    for (const chain of all(element, 'chain')) {
      const base = textOf(chain, 'base_link', `chain of ${name}`);
      const tip = textOf(chain, 'tip_link', `chain of ${name}`);
      if (!isLink(base, name) || !isLink(tip, name)) continue;
      const up: Joint[] = [];
      let link = tip;
      while (link !== base && jointInto.has(link)) {
        links.add(link);
        up.unshift(jointInto.get(link)!);
        link = jointInto.get(link)!.parent;
      }
      if (link !== base) fault(`${base} and ${tip} form no chain in group ${name}`);
      joints.push(...up);
    }
    for (const entry of all(element, 'joint')) {
      const joint = known.get(textOf(entry, 'name', `a joint of ${name}`));
      if (joint === undefined) fault(`group ${name} names the joint ${entry['@name']}, which the URDF does not have`);
      else {
        joints.push(joint);
        links.add(joint.child);
      }
    }
    for (const entry of all(element, 'link')) {
      if (isLink(textOf(entry, 'name', `a link of ${name}`), name)) links.add(String(entry['@name']));
    }
    const moving = joints.filter(({ type, mimic }) => type !== 'fixed' && mimic === null).map((joint) => joint.name);
    for (const sub of all(element, 'group')) {
      const group = groups.get(textOf(sub, 'name', `a group of ${name}`));
      if (group === undefined) fault(`group ${name} has a group ${sub['@name']} that is not known before it`);
      for (const link of group?.links ?? []) links.add(link);
      moving.push(...(group?.joints ?? []));
    }
    if (moving.length === 0) fault(`group ${name} moves nothing`);
    groups.set(name, { links, joints: moving });
  }

  const states = all(robot, 'group_state').map((element) => {
    const name = textOf(element, 'name', 'a state');
    const group = textOf(element, 'group', `state ${name}`);
    const values = new Map<string, number>();
    if (!groups.has(group)) fault(`state ${name} is of ${group}, which is no group`);
    for (const entry of all(element, 'joint')) {
      const joint = textOf(entry, 'name', `state ${name}`);
      const value = Number(textOf(entry, 'value', `state ${name}`));
      const limit = known.get(joint)?.limit;
      if (!groups.get(group)?.joints.includes(joint)) fault(`state ${name}: ${joint} is not of group ${group}`);
      if (!Number.isFinite(value)) fault(`state ${name}: ${joint} has no number`);
      if (limit && (value < limit.lower || value > limit.upper)) fault(`state ${name}: ${joint} beyond its limits`);
      values.set(joint, value);
    }
    for (const joint of groups.get(group)?.joints ?? []) {
      if (!values.has(joint)) fault(`state ${name} leaves ${joint} out`);
    }
    return { name, group, values };
  });

  const endEffectors = all(robot, 'end_effector').map((element) => {
    const name = textOf(element, 'name', 'an end effector');
    const group = textOf(element, 'group', name);
    const parentLink = textOf(element, 'parent_link', name);
    const parentGroup = textOf(element, 'parent_group', name);
    isLink(parentLink, `end effector ${name}`);
    const own = groups.get(group);
    const parent = groups.get(parentGroup);
    if (own === undefined || parent === undefined) fault(`end effector ${name} names a group that there is not`);
    else {
      if (!parent.links.has(parentLink)) fault(`end effector ${name}: ${parentLink} is not of group ${parentGroup}`);
      if ([...own.links].some((link) => parent.links.has(link)))
        fault(`end effector ${name} shares a link with its parent`);
    }
    return { name, group, parentLink };
  });

  const disabled = all(robot, 'disable_collisions').map((element) => {
    const a = textOf(element, 'link1', 'a pair');
    const b = textOf(element, 'link2', 'a pair');
    const reason = textOf(element, 'reason', `${a} and ${b}`);
    for (const link of [a, b]) {
      if (isLink(link, 'a pair') && urdf.links.get(link)!.collisions.length === 0)
        fault(`${link} has nothing to touch`);
    }
    if (a === b) fault(`${a} is a pair with itself`);
    if (!REASONS.includes(reason)) fault(`${a} and ${b}: reason ${reason}`);
    return { pair: pairOf(a, b), reason };
  });
  if (new Set(disabled.map(({ pair }) => pair)).size < disabled.length) fault('a pair stands twice');
  return { name: String(robot['@name']), groups, states, endEffectors, disabled, faults };
}
