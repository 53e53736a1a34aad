// A Chromium for the test of the control page.

import { which } from './platform.mjs';
import { StepError } from './progress.mjs';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Without fonts a headless page has no text. */
const PACKAGES = ['chromium', 'fonts-dejavu-core'];

/** Path of a Chromium: the one that ARM_BRIDGE_CHROMIUM names, or the first of the usual names; null when there is none. */
export function findChromium(env = process.env) {
  const named = env.ARM_BRIDGE_CHROMIUM;
  return (named ? [named] : PROGRAMS).map((program) => which(program, env.PATH)).find((path) => path !== null) ?? null;
}

/** Whether this user may install packages here. */
export function mayInstall() {
  return process.getuid?.() === 0 && which('apt-get') !== null;
}

/** The command that brings one, for people. */
export const INSTALL = `sudo apt-get install -y ${PACKAGES.join(' ')}`;

/**
 * Installs it from the distribution.
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 * @throws {StepError} when it cannot be had
 */
export async function installChromium(run) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const flags = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];
  await run('apt-get', ['update', ...flags], { env });
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...flags, ...PACKAGES], { env });
  if (findChromium() === null) throw new StepError('the package chromium has brought no Chromium');
}
