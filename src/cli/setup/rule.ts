import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type PortInfo, usbPort } from '../../servo/port/discovery.ts';
import { accessRule, RULES_FILE } from '../../servo/port/serial-errors.ts';
import type { Asker } from './asker.ts';

/** The udev rule for a port, and whether it is installed. */
export interface Rule {
  readonly text: string;
  readonly file: string;
  readonly installed: boolean;
}

/** A program to run, with its standard input. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
}

/** Runs a program to its end. @returns its exit code; -1 where it cannot be started */
export type Run = (command: Command) => Promise<number>;

/** @param root folder that holds `sys`, `dev` and `etc` */
export async function ruleOf(port: PortInfo, root = '/'): Promise<Rule> {
  const { rule: text } = await accessRule(port.path, root);
  const present = await readFile(root === '/' ? RULES_FILE : `${root}${RULES_FILE}`, 'utf8').catch(() => '');
  return { text, file: RULES_FILE, installed: present.split('\n').includes(text) };
}

/** Commands that put a rule in force, with `sudo` unless run by root. */
export function installation({ text, file }: Rule, root: boolean): Command[] {
  const commands: [string, ...string[]][] = [
    ['tee', '-a', file],
    ['udevadm', 'control', '--reload'],
    ['udevadm', 'trigger'],
  ];
  return commands.map(([program, ...args], place) => ({
    program: root ? program : 'sudo',
    args: root ? args : [program, ...args],
    input: place === 0 ? `${text}\n` : '',
  }));
}

/** A command as people would type it. */
export function typed({ program, args, input }: Command): string {
  const plain = [program, ...args].join(' ');
  return input === '' ? plain : `echo '${input.trimEnd()}' | ${plain}`;
}

/** Runs a program in this terminal, so that it can ask for a password. */
export const runHere: Run = ({ program, args, input }) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] });
    child.once('error', () => resolve(-1));
    child.once('close', (code) => resolve(code ?? -1));
    // A program that ends before it has read its input reports that by its exit code.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });

/** @returns the command that failed; null when the rule is in force */
export async function install(rule: Rule, run: Run, root = process.getuid?.() === 0): Promise<Command | null> {
  for (const command of installation(rule, root)) if ((await run(command)) !== 0) return command;
  return null;
}

/**
 * Shows the udev rule for the adapter of a bus, and offers to install it. Does nothing if it is installed already, or
 * if the bus is not behind USB.
 * @param root folder that holds `sys`, `dev` and `etc`
 */
export async function offerRule(asker: Asker, bus: string, run: Run, root = '/'): Promise<void> {
  const found = await usbPort(bus, root);
  if (found === null) return;
  const wanted = await ruleOf(found, root);
  if (wanted.installed) return;
  asker.tell('info', `A udev rule lets the person at this machine, and its group, open the adapter:\n${wanted.text}`);
  const commands = installation(wanted, process.getuid?.() === 0)
    .map(typed)
    .join('\n');
  if (!(await asker.confirm(`Install it? This runs:\n${commands}`, false))) return;
  const failed = await install(wanted, run);
  if (failed === null) asker.tell('success', `${wanted.file} has it`);
  else asker.tell('warn', `this failed: ${typed(failed)}`);
}
