import type { Command } from 'commander';
import type { Cli } from './session/cli.js';

type Configure = (command: Command, cli: Cli) => void;

/**
 * A top-level command: a noun with verbs, or a single verb. Its module is loaded only if the command line contains its
 * name.
 */
export interface TopCommand {
  name: string;
  summary: string;
  load: () => Promise<Configure>;
}

const session = () => import('./commands/session.commands.js');
const files = () => import('./commands/files.commands.js');
const versions = () => import('./commands/versions.commands.js');
const workspace = () => import('./commands/workspace.commands.js');
const access = () => import('./commands/access.commands.js');
const reports = () => import('./commands/reports.commands.js');
const mcp = () => import('./commands/mcp.commands.js');
const agents = () => import('./commands/agents.commands.js');

const top = (name: string, summary: string, load: TopCommand['load']): TopCommand => ({ name, summary, load });

export const TOP_COMMANDS: readonly TopCommand[] = [
  top('login', 'Sign in to a service', async () => (await session()).configureLogin),
  top('logout', 'Sign out and remove the context', async () => (await session()).configureLogout),
  top('whoami', 'Show who you are', async () => (await session()).configureWhoami),
  top('context', 'List, use and add contexts', async () => (await session()).configureContext),
  top('status', 'Show the service and the workspace', async () => (await workspace()).configureStatus),
  top('stop', 'Stop all agents of the workspace at once', async () => (await workspace()).configureStop),
  top('resume', 'End the emergency stop', async () => (await workspace()).configureResume),

  top('init', 'Create aas.yaml and agents/ in this folder', async () => (await files()).configureInit),
  top('validate', 'Check definition files', async () => (await files()).configureValidate),
  top('diff', 'Compare definition files with the latest versions', async () => (await files()).configureDiff),
  top('apply', 'Create agents and versions from files', async () => (await files()).configureApply),
  top('pull', 'Write the latest versions into files', async () => (await files()).configurePull),

  top('agents', 'List and change agents', async () => (await agents()).configureAgents),
  top('versions', 'List and compare versions', async () => (await versions()).configureVersions),
  top('evaluate', 'Evaluate a version', async () => (await versions()).configureEvaluate),
  top('promote', 'Make a version the production version', async () => (await versions()).configurePromote),
  top('rollback', 'Promote the previous production version', async () => (await versions()).configureRollback),
  top(
    'triggers',
    'List and run triggers',
    async () => (await import('./commands/triggers.commands.js')).configureTriggers,
  ),
  top('webhook-secret', 'Rotate the webhook secret of an agent', async () => (await agents()).configureWebhookSecret),

  top('runs', 'Start, follow and cancel runs', async () => (await import('./commands/runs.commands.js')).configureRuns),
  top(
    'logs',
    'Follow a run until it has ended',
    async () => (await import('./commands/runs.commands.js')).configureLogs,
  ),
  top(
    'approvals',
    'Read and decide approvals',
    async () => (await import('./commands/approvals.commands.js')).configureApprovals,
  ),
  top(
    'kb',
    'Knowledge bases, their sources and files',
    async () => (await import('./commands/kb.commands.js')).configureKb,
  ),

  top(
    'files',
    'Upload, list, download and delete files',
    async () => (await import('./commands/stored-files.commands.js')).configureFiles,
  ),
  top(
    'fixtures',
    'List and store files for evaluations',
    async () => (await import('./commands/fixtures.commands.js')).configureFixtures,
  ),

  top('members', 'List, add and invite members', async () => (await access()).configureMembers),
  top('groups', 'List and change groups', async () => (await access()).configureGroups),
  top('keys', 'List, create and revoke API keys', async () => (await access()).configureKeys),
  top('secrets', 'List and set secrets', async () => (await access()).configureSecrets),
  top('audit', 'List audit events', async () => (await reports()).configureAudit),
  top('models', 'List and check models', async () => (await import('./commands/models.commands.js')).configureModels),
  top('usage', 'Show cost and tokens', async () => (await reports()).configureUsage),

  top('mcp', 'Tools and settings for assistants', async () => (await mcp()).configureMcp),
  top('skill', 'Install the skill for coding assistants', async () => (await mcp()).configureSkill),
  top('api', 'Send any request of the API', async () => (await import('./commands/api.commands.js')).configureApi),
  top('open', 'Show an id in the console', async () => (await import('./commands/open.commands.js')).configureOpen),
  top(
    'completion',
    'Print a completion script for bash, zsh or fish',
    async () => (await import('./commands/completion.commands.js')).configureCompletion,
  ),
];
