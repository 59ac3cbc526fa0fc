import { errorText } from '@app/kernel';
import { parseArgs } from 'node:util';

import type { WorkspaceEntity } from '@app/workspace';

import { withBootstrap } from '../first-workspace.js';
import type { CommandOutput, OperatorCommand } from './operator-command.js';

type WorkspacesRequest = { action: 'create'; name: string; adminEmail: string } | { action: 'list' };

export const workspaces: OperatorCommand<WorkspacesRequest> = {
  usage: `npm run workspaces -- create --name <name> --admin-email <address>
npm run workspaces -- list            id, status, creation time and name of each, in columns

  --name <name>            name of the workspace
  --admin-email <address>  address of its first member, who gets a live admin key

The key is printed once and stored nowhere. The command finds the database by DATABASE_URL, or by DATA_DIR while npm start runs.`,

  read: readArguments,

  async run(request, databaseUrl) {
    if (request.action === 'list') return listed(await withBootstrap(databaseUrl, (each) => each.listWorkspaces()));
    const made = await withBootstrap(databaseUrl, (bootstrap) => bootstrap.createWorkspace(request));
    const note = `Workspace ${made.workspaceName} (${made.workspaceId}) with the admin ${request.adminEmail}. Copy the key now, it is not shown again:`;
    return { result: made.key, note };
  },
};

function listed(all: readonly WorkspaceEntity[]): CommandOutput {
  const lines = all.map(
    ({ id, state, createdAt, name }) => `${id}  ${state.padEnd(7)}  ${createdAt.toISOString()}  ${name}`,
  );
  return { result: lines.join('\n'), note: all.length === 1 ? '1 workspace:' : `${all.length} workspaces:` };
}

function readArguments(args: readonly string[]): WorkspacesRequest | { mistake: string } {
  const parsed = parse(args);
  if ('mistake' in parsed) return parsed;
  const { values, positionals } = parsed;
  const action = positionals.join(' ');
  const { name, 'admin-email': adminEmail } = values;
  if (action === 'list') {
    const isBare = name === undefined && adminEmail === undefined;
    return isBare ? { action } : { mistake: 'The command "list" takes no options.' };
  }
  if (action !== 'create') return { mistake: `The command must be "create" or "list", not "${action}".` };
  if (name === undefined) return { mistake: '--name is missing. Give the name of the workspace.' };
  if (adminEmail === undefined) return { mistake: '--admin-email is missing. Give the address of the first member.' };
  return { action, name, adminEmail };
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
