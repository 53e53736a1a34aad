import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { recordingsFolder } from '../config/folders.ts';
import { loadConfig, usualConfigFile } from '../config/load.ts';
import { carryOut, EXIT, UsageError } from './servo-access.ts';

/** Part of the LeRobot plug-ins (clients/lerobot); writes the dataset with LeRobot's own classes. */
const PROGRAM = 'arm-bridge-to-lerobot';
const INSTALL = 'pip install ./clients/python "./clients/lerobot/robot[dataset]"';
/** Index file of every dataset. */
const INDEX = 'dataset.json';

interface Options {
  readonly lerobot: string;
  readonly config: string;
}

/** Folder of a dataset. @throws {UsageError} if it does not exist; the message lists those that do */
function folderOf({ lerobot: dataset, config }: Options): string {
  if (dataset.includes('/')) {
    if (existsSync(join(dataset, INDEX))) return resolve(dataset);
    throw new UsageError(`${dataset} is no dataset of a bridge: it has no ${INDEX}`);
  }
  const recordings = recordingsFolder(loadConfig(config, process.env));
  const names = existsSync(recordings) ? readdirSync(recordings) : [];
  const there = names.filter((name) => existsSync(join(recordings, name, INDEX)));
  if (there.includes(dataset)) return join(recordings, dataset);
  const known = there.length === 0 ? 'none yet' : there.sort().join(', ');
  throw new UsageError(`there is no dataset "${dataset}" in ${recordings}: it has ${known}`);
}

/** @returns the exit code */
function exportDataset(options: Options, more: readonly string[]): number {
  const { status, error } = spawnSync(PROGRAM, [folderOf(options), ...more], { stdio: 'inherit' });
  if (error === undefined) return status ?? EXIT.failed;
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new UsageError(`${PROGRAM}: ${error.message}`);
  throw new UsageError(
    `${PROGRAM} is not installed here: ${INSTALL} in the checkout, with Python 3.12 (docs/lerobot.md)`,
  );
}

/** Adds `arm-bridge export` to the program: exports episodes as a dataset of another program. */
export function addExport(program: Command): void {
  program
    .command('export')
    .description(`Makes a data set of LeRobot from recorded episodes, by ${PROGRAM}, which has to be installed.`)
    .requiredOption('--lerobot <dataset>', 'dataset of the bridge: its name, or a folder (one with a "/")')
    .option('--config <file>', 'configuration of the bridge', usualConfigFile())
    .argument(
      '[more...]',
      `folder to be made (lerobot-<dataset> if left out), and options of ${PROGRAM}, such as --fps 30`,
    )
    .allowUnknownOption()
    .action((more: readonly string[], options: Options) =>
      carryOut('export', async () => exportDataset(options, more)),
    );
}
