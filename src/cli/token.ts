import { Argument, type Command, Option } from 'commander';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { systemClock } from '../clock.ts';
import { ConfigError, loadConfig } from '../config/load.ts';
import { fileDisk } from '../disk.ts';
import { messageOf } from '../message-of.ts';
import { NamedTokens, SCOPES, type Scope } from '../named-tokens.ts';
import { table } from './table.ts';

interface Options {
  readonly config: string;
}

/** The tokens of the bridge that runs with a configuration. @throws {ConfigError} when their file is damaged */
function tokensOf({ config }: Options): NamedTokens {
  const { state_folder } = loadConfig(config, process.env);
  const tokens = new NamedTokens(fileDisk, state_folder ?? defaultStateFolder());
  carryOut(() => tokens.refresh());
  return tokens;
}

function carryOut<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new ConfigError(messageOf(error));
  }
}

/** Adds `arm-bridge token`: named tokens. A running bridge picks up changes within a second. */
export function addToken(program: Command, defaultConfig: string): void {
  const command = program
    .command('token')
    .description(
      'Tokens with names, so that the bridge can say who moved what. A running bridge follows within a second.',
    );
  const withConfig = (one: Command): Command =>
    one.option('--config <file>', 'configuration of the bridge', defaultConfig);

  withConfig(command.command('add'))
    .description('Makes a token and prints it once; the bridge keeps its digest alone.')
    .addArgument(new Argument('<name>', 'who it is for, as logs and refusals say it'))
    .addOption(
      new Option('--scope <scope>', 'read: look and stop; control: move arms too').choices(SCOPES).default('control'),
    )
    .action((name: string, options: Options & { readonly scope: Scope }) => {
      const token = carryOut(() => tokensOf(options).add(name, options.scope, systemClock.wall()));
      process.stdout.write(`${token}\n`);
    });
  withConfig(command.command('list'))
    .description('Lists their names, what they allow and when they were made.')
    .action((options: Options) => {
      const rows = tokensOf(options).all.map(({ name, scope, made }) => [
        name,
        scope,
        new Date(made * 1000).toISOString(),
      ]);
      process.stdout.write(
        rows.length === 0 ? 'There is no token with a name.\n' : `${table(['NAME', 'SCOPE', 'MADE'], rows)}\n`,
      );
    });
  withConfig(command.command('revoke'))
    .description('Ends a token, the sessions that were opened with it, and its live connections.')
    .addArgument(new Argument('<name>', 'as it was added'))
    .action((name: string, options: Options) => {
      const tokens = tokensOf(options);
      carryOut(() => tokens.revoke(name));
      process.stdout.write(`The token ${name} is of no use any more.\n`);
    });
}
