// Programs that the preparation starts: their output goes to the log, their failure becomes a StepError.

import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { MARK } from './leftovers.mjs';
import { StepError } from './progress.mjs';

/**
 * Runs a program to its end.
 * @param {string} program
 * @param {string[]} args
 * @param {object} options
 * @param {import('./progress.mjs').Progress} options.progress
 * @param {string} options.token mark for the process and its children (leftovers.mjs)
 * @param {string} [options.cwd]
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {number} [options.niceness] of the process and its children, 0 to 19
 * @returns {Promise<string>} what it printed
 * @throws {StepError} when it cannot be started or ends with another code than 0
 */
export function run(program, args, { progress, token, cwd, env = process.env, niceness = 0 }) {
  progress.log(
    `$ ${program} ${args.length > 40 ? `${args.slice(0, 3).join(' ')} ... (${args.length})` : args.join(' ')}`,
  );
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, [MARK]: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (niceness > 0 && child.pid !== undefined) lowerPriority(child.pid, niceness);
    let output = '';
    const take = (chunk) => {
      output += chunk;
      progress.log(String(chunk));
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => reject(new StepError(`${basename(program)} cannot be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new StepError(`${basename(program)} ended with ${signal ?? `code ${code}`}: ${lastWords(output)}`));
    });
  });
}

function lowerPriority(pid, niceness) {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already, or this system does not let us.
  }
}

/**
 * The line of an output that says best why it failed: the last that speaks of an error, or else the last.
 * @param {string} output
 * @returns {string}
 */
export function lastWords(output) {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line = lines.findLast((candidate) => /\berror\b/i.test(candidate)) ?? lines.at(-1) ?? 'it printed nothing';
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
