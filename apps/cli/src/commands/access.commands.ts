import type { Command } from 'commander';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { agentReference, collected } from '../input/command-arguments.js';
import { usageError } from '../errors/command-error.js';
import { readStdin } from '../input/terminal.js';
import { listCommand } from './list-command.js';

type Aas = AgentAutomation;
type Role = Parameters<Aas['members']['create']>[0]['role'];
type Member = Awaited<ReturnType<Aas['members']['get']>>;
type Group = Awaited<ReturnType<Aas['groups']['get']>>;
type ApiKey = Awaited<ReturnType<Aas['apiKeys']['get']>>;
type NewKey = Parameters<Aas['apiKeys']['create']>[0];
type Secret = Awaited<ReturnType<Aas['secrets']['list']>>['data'][number];

const ROLES = 'viewer, operator, builder or admin';

export function configureMembers(members: Command, cli: Cli): void {
  listCommand(members.command('list').description('List members.'), cli, {
    columns: [
      ['ID', (member) => member.id],
      ['E-MAIL', (member) => member.email],
      ['ROLE', (member) => member.role],
      ['SINCE', (member) => member.created_at],
    ],
    nameOf: (member: Member) => member.id,
    rows: (aas, query: Parameters<Aas['members']['list']>[0]) => aas.members.list(query),
  });
  members
    .command('add')
    .description('Add a member.')
    .argument('<email>', 'e-mail address')
    .requiredOption('--role <role>', ROLES)
    .option('--group <name>', 'group that the member joins; repeatable', collected, [])
    .action(
      cli.action(async (email: string, { role, group: groups }: { role: Role; group: string[] }) => {
        const member = await (await cli.client()).members.create({ email, role, groups });
        await cli.output.object(member, member.id);
      }),
    );
  members
    .command('update')
    .description('Change the role of a member.')
    .argument('<id>', 'id of the member')
    .requiredOption('--role <role>', ROLES)
    .action(
      cli.action(async (id: string, { role }: { role: Role }) => {
        await cli.output.object(await (await cli.client()).members.update(id, { role }), id);
      }),
    );
  members
    .command('remove')
    .description('Remove a member and revoke their keys.')
    .argument('<id>', 'id of the member')
    .action(
      cli.action(async (id: string) => {
        await (await cli.client()).members.delete(id);
        cli.output.words(`Member ${id} is removed.`);
      }),
    );
  members
    .command('invite')
    .description('Create a sign-in link for a member. The link works once.')
    .argument('<id>', 'id of the member')
    .action(
      cli.action(async (id: string) => {
        const invitation = await (await cli.client()).members.invite(id);
        await cli.output.object(invitation, invitation.url);
      }),
    );
}

export function configureGroups(groups: Command, cli: Cli): void {
  listCommand(groups.command('list').description('List groups.'), cli, {
    columns: [
      ['NAME', (group) => group.name],
      ['MEMBERS', (group) => group.members.join(' ')],
    ],
    nameOf: (group: Group) => group.name,
    rows: (aas, query: Parameters<Aas['groups']['list']>[0]) => aas.groups.list(query),
  });
  const withMembers = (verb: string, description: string): Command =>
    groups
      .command(verb)
      .description(description)
      .argument('<name>', 'name of the group')
      .option('--member <email>', 'e-mail address of a member', collected, []);
  groups
    .command('get')
    .description('Show a group.')
    .argument('<name>', 'name of the group')
    .action(cli.action(async (name: string) => cli.output.object(await (await cli.client()).groups.get(name), name)));
  withMembers('create', 'Create a group.').action(
    cli.action(async (name: string, { member: members }: { member: string[] }) => {
      await cli.output.object(await (await cli.client()).groups.create({ name, members }), name);
    }),
  );
  withMembers('update', 'Replace the members of a group.').action(
    cli.action(async (name: string, { member: members }: { member: string[] }) => {
      await cli.output.object(await (await cli.client()).groups.update(name, { members }), name);
    }),
  );
  groups
    .command('delete')
    .description('Delete a group.')
    .argument('<name>', 'name of the group')
    .action(
      cli.action(async (name: string) => {
        await (await cli.client()).groups.delete(name);
        cli.output.words(`Group ${name} is deleted.`);
      }),
    );
}

interface KeyOptions {
  role: Role;
  kind: NewKey['kind'];
  member?: string;
  scope?: NonNullable<NewKey['scopes']>;
  agent?: string[];
  automation?: true;
  expiresAt?: string;
}

function configureNewKeys(keys: Command, cli: Cli): void {
  keys
    .command('create')
    .description('Create an API key and print it. It is shown only here.')
    .argument('<name>', 'name of the key')
    .requiredOption('--role <role>', ROLES)
    .option('--kind <kind>', 'live or test', 'live')
    .option('--member <email>', 'member whose key it is; default: you')
    .option('--scope <scope>', 'limit the key to this scope of its role; repeatable', collected)
    .option('--agent <agent>', 'narrow the key to this agent, an id or a name; repeatable', collected)
    .option('--automation', 'the key decides no approval and answers no question')
    .option('--expires-at <time>', 'when it expires')
    .action(
      cli.action(async (name: string, { role, kind, member, scope, agent, automation, expiresAt }: KeyOptions) => {
        const aas = await cli.client();
        const key = await aas.apiKeys.create({
          name,
          kind,
          role,
          member: member ?? (await aas.me.get()).member,
          ...(scope && { scopes: scope }),
          ...(agent && { agents: agent.map(agentReference) }),
          ...(automation && { automation }),
          ...(expiresAt !== undefined && { expires_at: expiresAt }),
        });
        await cli.output.object(key, key.id);
      }),
    );
}

export function configureKeys(keys: Command, cli: Cli): void {
  listCommand(keys.command('list').description('List API keys.'), cli, {
    columns: [
      ['ID', (key) => key.id],
      ['NAME', (key) => key.name],
      ['KIND', (key) => key.kind],
      ['ROLE', (key) => key.role],
      ['AGENTS', (key) => key.agents?.length ?? 'all'],
      ['ENDS IN', (key) => key.last_four],
      ['LAST USED', (key) => key.last_used_at],
      ['EXPIRES', (key) => key.expires_at],
    ],
    nameOf: (key: ApiKey) => key.id,
    rows: (aas, query: Parameters<Aas['apiKeys']['list']>[0]) => aas.apiKeys.list(query),
  });
  configureNewKeys(keys, cli);
  keys
    .command('rotate')
    .description('Rotate a key and print the new one.')
    .argument('<id>', 'id of the key')
    .option('--grace-seconds <seconds>', 'seconds for which the old key stays valid', Number)
    .action(
      cli.action(async (id: string, { graceSeconds }: { graceSeconds?: number }) => {
        const body = graceSeconds === undefined ? {} : { grace_seconds: graceSeconds };
        await cli.output.object(await (await cli.client()).apiKeys.rotate(id, body), id);
      }),
    );
  keys
    .command('revoke')
    .description('Revoke a key at once.')
    .argument('<id>', 'id of the key')
    .action(
      cli.action(async (id: string) => {
        await (await cli.client()).apiKeys.revoke(id);
        cli.output.words(`Key ${id} is revoked.`);
      }),
    );
}

export function configureSecrets(secrets: Command, cli: Cli): void {
  listCommand(secrets.command('list').description('List the names of secrets.'), cli, {
    columns: [
      ['NAME', (secret) => secret.name],
      ['UPDATED', (secret) => secret.updated_at],
    ],
    nameOf: (secret: Secret) => secret.name,
    rows: (aas, query: Parameters<Aas['secrets']['list']>[0]) => aas.secrets.list(query),
  });
  secrets
    .command('set')
    .description('Set a secret. The value is read from standard input, or from a prompt.')
    .argument('<name>', 'name of the secret')
    .action(
      cli.action(async (name: string) => {
        const value = await secretValue(cli);
        await (await cli.client()).secrets.put(name, { value });
        cli.output.words(`Secret ${name} is set.`);
      }),
    );
  secrets
    .command('delete')
    .description('Delete a secret.')
    .argument('<name>', 'name of the secret')
    .action(
      cli.action(async (name: string) => {
        await (await cli.client()).secrets.delete(name);
        cli.output.words(`Secret ${name} is deleted.`);
      }),
    );
}

/** Reads the value of a secret. In piped input, the last line break is removed, because the shell adds it. */
async function secretValue(cli: Cli): Promise<string> {
  const isTyped = cli.terminal.stdin.isTTY;
  const text = isTyped
    ? await cli.prompts.line('Value', 'Pipe the value in: `aas secrets set <name> < file`.', true)
    : await readStdin(cli.terminal);
  const value = text.replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw usageError('The value is empty.', 'standard input', 'Pipe the value in: `aas secrets set <name> < file`.');
}
