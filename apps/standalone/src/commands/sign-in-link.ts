import { parseArgs } from 'node:util';

import { errorText } from '@app/kernel';

import { consoleLink, withBootstrap } from '../first-workspace.js';
import { addressOfRunningStart } from '../instance-record.js';
import type { Installation, OperatorCommand } from './operator-command.js';

interface LinkRequest {
  email: string;
  workspace?: string;
}

export const signInLink: OperatorCommand<LinkRequest> = {
  usage: `npm run keys -- sign-in-link --email <address> [--workspace <w>]

  --email <address>  the member who signs in
  --workspace <w>    id or name; needed if the person is a member of several workspaces

The link works once, for 15 minutes. It starts with PUBLIC_URL, or with the address of the npm start that runs on
DATA_DIR. The command finds the database by DATABASE_URL, or by DATA_DIR while npm start runs.`,

  read: readArguments,

  async run({ email, workspace }, databaseUrl, installation) {
    const link = await withBootstrap(databaseUrl, (_, links) => links.createFor(email, workspace));
    const note = `A link for ${link.email} in the workspace ${link.workspaceName} (${link.workspaceId}). It works once, for 15 minutes:`;
    return { result: consoleLink(await addressOf(installation), link.token), note };
  },
};

async function addressOf({ settings }: Installation): Promise<string> {
  if (settings.hasPublicUrl) return settings.publicUrl;
  return (await addressOfRunningStart(settings.dataDir)) ?? settings.publicUrl;
}

function readArguments(args: readonly string[]): LinkRequest | { mistake: string } {
  const parsed = parse(args.slice(1));
  if ('mistake' in parsed) return parsed;
  const { email, workspace } = parsed.values;
  if (email === undefined)
    return { mistake: '--email is missing. Give the e-mail address of the member who signs in.' };
  return { email, ...(workspace === undefined ? {} : { workspace }) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { email: { type: 'string' }, workspace: { type: 'string' } } });
  } catch (error) {
    return { mistake: errorText(error) };
  }
}
