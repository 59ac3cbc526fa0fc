import { errorText } from '@app/kernel';
import { parseArgs } from 'node:util';

import { API_KEY_KINDS, type ApiKeyKind } from '@app/platform/crypto';
import { type BootstrapKey, type Role, ROLES } from '@app/workspace';

import { FIRST_ADMIN, withBootstrap } from '../first-workspace.js';
import type { OperatorCommand } from './operator-command.js';

export const keys: OperatorCommand<BootstrapKey> = {
  usage: `npm run keys -- create (--role <role> | --admin) --email <address> [options]
npm run keys -- sign-in-link --email <address>     a link to the console; see its --help
npm run keys -- rotate-encryption     after a change of ENCRYPTION_KEY; see its --help

  --role <role>      ${ROLES.join(', ')}
  --admin            short for --role admin; --email is then optional
  --email <address>  member that owns the key; is added if missing, and gets the role if the present role is lower
  --kind <kind>      ${API_KEY_KINDS.join(' or ')}: test keys start runs in mode test (default live)
  --name <name>      name of the key (default "command line")
  --workspace <w>    id or name; needed if the installation has several workspaces

The key is printed once and stored nowhere. The command finds the database by DATABASE_URL, or by DATA_DIR while npm start runs.`,

  read: readArguments,

  async run(request, databaseUrl) {
    const made = await withBootstrap(databaseUrl, (bootstrap) => bootstrap.createKey(request));
    const note = `A ${request.kind} key with the role ${request.role} for ${request.email} in the workspace ${made.workspaceName} (${made.workspaceId}). Copy it now, it is not shown again:`;
    return { result: made.key, note };
  },
};

function readArguments(args: readonly string[]): BootstrapKey | { mistake: string } {
  const parsed = parse(args);
  if ('mistake' in parsed) return parsed;
  const { values, positionals } = parsed;
  if (positionals.join(' ') !== 'create')
    return {
      mistake: `The command must be "create", "sign-in-link" or "rotate-encryption", not "${positionals.join(' ')}".`,
    };
  const role = values.admin ? 'admin' : values.role;
  if (values.admin && values.role !== undefined && values.role !== 'admin') {
    return { mistake: '--admin and --role contradict each other. Give one of them.' };
  }
  if (!isRole(role)) return { mistake: `--role must be one of ${ROLES.join(', ')}, or give --admin.` };
  if (!isKind(values.kind)) return { mistake: `--kind must be ${API_KEY_KINDS.join(' or ')}.` };
  const email = values.email ?? (values.admin ? FIRST_ADMIN.adminEmail : undefined);
  if (email === undefined) return { mistake: '--email is missing. Give the address of the member that owns the key.' };
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
