import { dirname, join, relative, resolve } from 'node:path';
import { defaultStateFolder } from '../arm/gain-store.ts';
import { recordingsFolder } from '../config/folders.ts';
import { loadConfig } from '../config/load.ts';
import { fileDisk } from '../disk.ts';
import { NamedTokens } from '../named-tokens.ts';
import { tokenFilesOf } from './call.ts';

/** Named tokens, of which a bridge may have none. */
export const NAMED_TOKENS = 'tokens.json';

/** Where the bridge of a configuration keeps its files. */
export interface Places {
  readonly config: string;
  readonly state: string;
  readonly calibration: string;
  readonly recordings: string;
  /** Files that the configuration names and anybody may read, by their names in a backup; null: it names none. */
  readonly named: Readonly<Record<string, string | null>>;
  /** Tokens and the private key, likewise. */
  readonly secrets: Readonly<Record<string, string | null>>;
  /** The user's own arm folders and scene below the configuration's folder, as paths relative to it. */
  readonly own: readonly string[];
  /** Those elsewhere, with their fields: they are not in a backup. */
  readonly outside: readonly string[];
}

/** @param home where the configuration file is or will be: its paths are relative to that folder, and tokens may be there */
export function placesOf(file: string, home = file): Places {
  const config = loadConfig(file, process.env, {}, home);
  const state = config.state_folder ?? defaultStateFolder();
  const folder = dirname(resolve(home));
  const { sim, http, fleet } = config;
  const tls = http.tls === 'off' ? null : http.tls;
  const models = [
    ...config.arms.map(({ model }, i) => [`arms[${i}].model`, model] as const),
    ['sim.scene', sim.scene] as const,
  ]
    // Those without a slash come with the bridge.
    .flatMap(([field, path]) => (path?.includes('/') ? [{ field, path, within: relative(folder, path) }] : []));
  const isInside = ({ within }: (typeof models)[number]): boolean => !/^(\.\.|\/)/.test(within);
  return {
    config: resolve(file),
    state,
    calibration: config.calibration_folder ?? join(state, 'calibration'),
    recordings: recordingsFolder(config),
    named: { 'certificate.pem': tls?.certificate ?? null, 'authority.pem': fleet.authority },
    secrets: {
      ...tokenFilesOf(config, home),
      [NAMED_TOKENS]: new NamedTokens(fileDisk, state).path,
      fleet_token: fleet.token_file,
      'key.pem': tls?.key ?? null,
    },
    own: [...new Set(models.filter(isInside).map(({ within }) => within))],
    outside: models.filter((one) => !isInside(one)).map(({ field, path }) => `${path} (${field})`),
  };
}
