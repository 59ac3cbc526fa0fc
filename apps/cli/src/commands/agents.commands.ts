import type { Command } from 'commander';
import type { Agent, AgentAutomation } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { listCommand } from './list-command.js';

type ListQuery = Parameters<AgentAutomation['agents']['list']>[0];
type Change = (aas: AgentAutomation, agent: string) => Promise<Agent>;

export function configureAgents(agents: Command, cli: Cli): void {
  listCommand(agents.command('list').description('List agents.'), cli, {
    filters: [
      { parameter: 'name', summary: 'only the agent with this name' },
      { parameter: 'status', summary: 'active, paused or archived' },
      { parameter: 'project', summary: 'only agents of this project' },
    ],
    columns: [
      ['NAME', (agent) => agent.name],
      ['STATUS', (agent) => agent.effective_status],
      ['PRODUCTION', (agent) => agent.production_version],
      ['LATEST', (agent) => agent.latest_version],
      ['PROJECT', (agent) => agent.project],
      ['SPENT TODAY', ({ budget }) => budget && `${budget.spent_today} of ${budget.per_day} ${budget.currency}`],
      ['ID', (agent) => agent.id],
    ],
    nameOf: (agent: Agent) => agent.name,
    rows: (aas, query: ListQuery) => aas.agents.list(query),
  });
  addChange(agents, cli, 'get', 'Show an agent.', (aas, agent) => aas.agents.get(agent));
  addChange(agents, cli, 'pause', 'Pause an agent: its triggers start no runs.', (aas, agent) =>
    aas.agents.pause(agent),
  );
  addChange(agents, cli, 'resume', 'Resume a paused agent.', (aas, agent) => aas.agents.resume(agent));
  addChange(agents, cli, 'archive', 'Archive an agent: no new runs can be started.', (aas, agent) =>
    aas.agents.archive(agent),
  );
}

function addChange(agents: Command, cli: Cli, verb: string, description: string, change: Change): void {
  agents
    .command(verb)
    .description(description)
    .argument('<agent>', 'name or id of the agent')
    .action(
      cli.action(async (name: string) => {
        const agent = await change(await cli.client(), name);
        await cli.output.object(agent, agent.name);
      }),
    );
}

export function configureWebhookSecret(secret: Command, cli: Cli): void {
  secret
    .command('rotate')
    .description('Replace the webhook secret of an agent, and print the new one.')
    .argument('<agent>', 'name or id of the agent')
    .option('--grace-seconds <seconds>', 'how long the old secret stays valid', Number)
    .action(
      cli.action(async (agent: string, { graceSeconds }: { graceSeconds?: number }) => {
        const aas = await cli.client();
        const body = graceSeconds === undefined ? {} : { grace_seconds: graceSeconds };
        const rotated = await aas.agents.rotateWebhookSecret(agent, body);
        await cli.output.object(rotated, agent);
      }),
    );
}
