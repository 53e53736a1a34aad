// Everything that a ROS 2 needs before the bridge can use it.

import { join } from 'node:path';
import { buildInterfaces, interfacesAreCurrent } from './interfaces.mjs';
import { missingLine } from './platform.mjs';
import { StepError } from './progress.mjs';
import {
  addonIsCompiled,
  addonIsCurrent,
  buildAddon,
  compileAddon,
  generateMessages,
  isInstalled,
  messagesAreCurrent,
} from './rclnodejs.mjs';
import { buildPrefix, prefixIsComplete } from './ros-prefix.mjs';

/** Steps in their order, with how long each usually takes on two cores, s. Two of them go on side by side. */
export const ROS_STEPS = {
  prefix: { title: 'ROS 2 from PyPI: installing', usual: 25 },
  interfaces: { title: 'ROS 2 messages of the bridge: building', usual: 15 },
  addon: { title: 'rclnodejs, by which Node speaks ROS 2: compiling', usual: 10 },
  messages: { title: 'ROS 2 messages for Node: generating', usual: 5 },
};

/**
 * How much longer all of it takes, by what is usual.
 * @param {{title: string, since: number}[]} running steps that are being done
 * @param {number} elapsed on the clock of `since`, s
 * @returns {number} s
 */
export function timeLeft(running, elapsed) {
  const steps = Object.values(ROS_STEPS);
  const last = Math.max(...running.map(({ title }) => steps.findIndex((step) => step.title === title)));
  const left = running.map(({ title, since }) => {
    const usual = steps.find((step) => step.title === title)?.usual ?? 0;
    return Math.max(usual - (elapsed - since), 2);
  });
  return Math.max(0, ...left) + steps.slice(last + 1).reduce((sum, { usual }) => sum + usual, 0);
}

/** Whether the bridge can use this ROS 2 as it is. */
export function rosIsReady(root, ros) {
  return (
    (ros.prefix === null || prefixIsComplete(ros.prefix)) &&
    interfacesAreCurrent(root, ros) &&
    isInstalled(root) &&
    addonIsCurrent(root, ros) &&
    messagesAreCurrent(root, ros)
  );
}

/**
 * Does what has not been done for this ROS 2.
 * @param {object} context of the preparation (prepare.mjs)
 * @param {import('./ros.mjs').Ros} ros
 * @param {Promise<unknown>} packages resolves when npm's packages are there
 * @throws {StepError} when it cannot be done
 */
export async function buildRos(context, ros, packages) {
  const { root, progress, run, underLock } = context;
  if (ros.missing.length > 0) throw new StepError(missingLine(ros.missing));
  const step = ({ title, usual }, work) => progress.step(title, work, usual);
  const { prefix } = ros;
  if (prefix !== null) {
    const install = () => step(ROS_STEPS.prefix, () => buildPrefix(root, prefix, run));
    await underLock(`${prefix.path}.lock`, prefix.path, () => prefixIsComplete(prefix), install);
  }
  await packages;
  if (!isInstalled(root)) {
    throw new StepError('npm has left out the optional package rclnodejs: delete node_modules and try again');
  }
  const build = async () => {
    await together(
      interfacesAreCurrent(root, ros) || step(ROS_STEPS.interfaces, () => buildInterfaces(root, ros, run)),
      addonIsCompiled(root, ros) || step(ROS_STEPS.addon, () => compileAddon(root, ros, run)),
    );
    const tie = () => buildAddon(root, ros, run);
    await together(
      addonIsCurrent(root, ros) || (prefix === null ? step(ROS_STEPS.addon, tie) : tie()),
      messagesAreCurrent(root, ros) || step(ROS_STEPS.messages, () => generateMessages(root, ros, run)),
    );
  };
  await underLock(join(root, 'build', 'ros.lock'), 'ROS 2 for this checkout', () => rosIsReady(root, ros), build);
}

/** The results of all works; when one has failed, throws its error once the others have ended too. */
export async function together(...works) {
  const ends = await Promise.allSettled(works);
  for (const { status, reason } of ends) if (status === 'rejected') throw reason;
  return ends.map(({ value }) => value);
}
