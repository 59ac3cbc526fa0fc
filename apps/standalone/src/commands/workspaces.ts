import { errorText } from '@app/kernel';
import { parseArgs } from 'node:util';

import { withBootstrap } from '../first-workspace.js';
import type { OperatorCommand } from './operator-command.js';

interface NewWorkspace {
  name: string;
  adminEmail: string;
}

/** `npm run workspaces -- create …`: a workspace with its first admin. */
export const workspaces: OperatorCommand<NewWorkspace> = {
  usage: `npm run workspaces -- create --name <name> --admin-email <address>

  --name <name>            what the workspace is called
  --admin-email <address>  its first member, who gets a live admin key

The key is printed once and stored nowhere. The database is found by DATABASE_URL, or by DATA_DIR while npm start runs.`,

  read: readArguments,

  async run(request, databaseUrl) {
    const made = await withBootstrap(databaseUrl, (bootstrap) => bootstrap.createWorkspace(request));
    const note = `Workspace ${made.workspaceId} with the admin ${request.adminEmail}. Their key is shown only now:`;
    return { result: made.key, note };
  },
};

function readArguments(args: readonly string[]): NewWorkspace | { mistake: string } {
  const parsed = parse(args);
  if ('mistake' in parsed) return parsed;
  const { values, positionals } = parsed;
  if (positionals.join(' ') !== 'create')
    return { mistake: `The command is "create", not "${positionals.join(' ')}".` };
  const { name, 'admin-email': adminEmail } = values;
  if (name === undefined) return { mistake: '--name is missing: what the workspace is called.' };
  if (adminEmail === undefined) return { mistake: '--admin-email is missing: the first member of the workspace.' };
  return { name, adminEmail };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { name: { type: 'string' }, 'admin-email': { type: 'string' } },
    });
  } catch (error) {
    return { mistake: errorText(error) };
  }
}
