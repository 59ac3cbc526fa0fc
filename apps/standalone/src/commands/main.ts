import { perform, performOnInstallation, WRONG_USAGE } from './operator-command.js';

const COMMANDS = 'backup, files, keys, restore, upgrade-database and workspaces';

const [name, ...args] = process.argv.slice(2);
const terminal = {
  out: (text: string) => process.stdout.write(text),
  error: (text: string) => process.stderr.write(text),
};

async function run(): Promise<number> {
  switch (name) {
    case 'keys':
      return runKeys();
    case 'workspaces':
      return perform((await import('./workspaces.js')).workspaces, args, terminal);
    case 'backup':
      return performOnInstallation((await import('./backup.js')).backup, args, terminal);
    case 'files':
      return performOnInstallation((await import('./files.js')).files, args, terminal);
    case 'restore':
      return performOnInstallation((await import('./restore.js')).restore, args, terminal);
    case 'upgrade-database':
      return performOnInstallation((await import('./upgrade-database.js')).upgradeDatabase, args, terminal);
    default:
      terminal.error(`There is no operator command "${name ?? ''}". The commands are ${COMMANDS}.\n`);
      return WRONG_USAGE;
  }
}

async function runKeys(): Promise<number> {
  if (args[0] === 'rotate-encryption')
    return perform((await import('./rotate-encryption.js')).rotateEncryption, args, terminal);
  if (args[0] === 'sign-in-link') return perform((await import('./sign-in-link.js')).signInLink, args, terminal);
  return perform((await import('./keys.js')).keys, args, terminal);
}

process.exitCode = await run();
