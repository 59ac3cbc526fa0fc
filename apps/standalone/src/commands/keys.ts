import { errorText } from '@app/kernel';
import { parseArgs } from 'node:util';

import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import { type BootstrapKey, type Role, ROLES } from '@app/workspace';

import { FIRST_ADMIN, withBootstrap } from '../first-workspace.js';
import type { OperatorCommand } from './operator-command.js';

/** `npm run keys -- create …`: creates a key for a member. Creates the member, or the first workspace, if missing. */
export const keys: OperatorCommand<BootstrapKey> = {
  usage: `npm run keys -- create (--role <role> | --admin) --email <address> [options]
npm run keys -- rotate-encryption     after a change of ENCRYPTION_KEY; --help says more

  --role <role>      ${ROLES.join(', ')}
  --admin            the same as --role admin; --email may then be left out
  --email <address>  the member it is for; made when new, raised to the role when theirs is weaker
  --kind <kind>      ${API_KEY_KINDS.join(' or ')}: whether runs are real by default (default live)
  --name <name>      what the key is called (default "command line")
  --workspace <w>    id or name, where the installation has several workspaces

The key is printed once and stored nowhere. The database is found by DATABASE_URL, or by DATA_DIR while npm start runs.`,

  read: readArguments,

  async run(request, databaseUrl) {
    const made = await withBootstrap(databaseUrl, (bootstrap) => bootstrap.createKey(request));
    const note = `A ${request.kind} key with the role ${request.role} for ${request.email} in workspace ${made.workspaceId}. It is shown only now:`;
    return { result: made.key, note };
  },
};

function readArguments(args: readonly string[]): BootstrapKey | { mistake: string } {
  const parsed = parse(args);
  if ('mistake' in parsed) return parsed;
  const { values, positionals } = parsed;
  if (positionals.join(' ') !== 'create')
    return { mistake: `The command is "create" or "rotate-encryption", not "${positionals.join(' ')}".` };
  const role = values.admin ? 'admin' : values.role;
  if (values.admin && values.role !== undefined && values.role !== 'admin') {
    return { mistake: '--admin and --role contradict each other.' };
  }
  if (!isRole(role)) return { mistake: `--role is one of ${ROLES.join(', ')}; or say --admin.` };
  if (!isKind(values.kind)) return { mistake: `--kind is one of ${API_KEY_KINDS.join(', ')}.` };
  const email = values.email ?? (values.admin ? FIRST_ADMIN.adminEmail : undefined);
  if (email === undefined) return { mistake: '--email is missing: the member that the key is for.' };
  const { name, kind, workspace } = values;
  return { role, email, kind, name, ...(workspace === undefined ? {} : { workspace }) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        role: { type: 'string' },
        admin: { type: 'boolean', default: false },
        email: { type: 'string' },
        kind: { type: 'string', default: 'live' },
        name: { type: 'string', default: 'command line' },
        workspace: { type: 'string' },
      },
    });
  } catch (error) {
    return { mistake: errorText(error) };
  }
}

function isRole(text: string | undefined): text is Role {
  return ROLES.some((role) => role === text);
}

function isKind(text: string): text is ApiKeyKind {
  return API_KEY_KINDS.some((kind) => kind === text);
}
