import type { Command } from 'commander';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { agentIdOf } from '../input/command-arguments.js';
import { listCommand } from './list-command.js';

type AuditEvents = AgentAutomation['auditEvents'];
type AuditEvent = Awaited<ReturnType<AuditEvents['list']>>['data'][number];
type UsageQuery = NonNullable<Parameters<AgentAutomation['usage']['get']>[0]>;

export function configureAudit(audit: Command, cli: Cli): void {
  listCommand(audit, cli, {
    filters: [
      { parameter: 'actor', summary: 'only actions of this member or key' },
      { parameter: 'action', summary: 'only this action, for example agent.promote' },
      { parameter: 'since', summary: 'since this time or duration, for example 7d' },
      { parameter: 'until', summary: 'before this time or duration' },
    ],
    columns: [
      ['TIME', (event) => event.created_at],
      ['ACTOR', (event) => event.actor],
      ['ACTION', (event) => event.action],
      ['TARGET', (event) => event.target],
      ['DETAIL', (event) => event.detail],
    ],
    nameOf: (event: AuditEvent) => event.id,
    rows: (aas, query: Parameters<AuditEvents['list']>[0]) => aas.auditEvents.list(query),
  });
}

interface UsageOptions {
  groupBy: NonNullable<UsageQuery['group_by']>;
  since?: string;
  until?: string;
  agent?: string;
}

export function configureUsage(usage: Command, cli: Cli): void {
  usage
    .option('--group-by <group>', 'day, agent or model', 'day')
    .option('--since <time>', 'from this time or duration, for example 7d')
    .option('--until <time>', 'to this time')
    .option('--agent <agent>', 'only of this agent (name or id)')
    .action(
      cli.action(async ({ groupBy, since, until, agent }: UsageOptions) => {
        const aas = await cli.client();
        const report = await aas.usage.get({
          group_by: groupBy,
          ...(since !== undefined && { since }),
          ...(until !== undefined && { until }),
          ...(agent !== undefined && { agent: await agentIdOf(aas, agent) }),
        });
        if (cli.output.options.format !== 'table') return cli.output.object(report, report.group_by);
        const titles = Object.keys(report.data[0] ?? {}) as (keyof (typeof report.data)[number])[];
        await cli.output.list(report.data, {
          columns: titles.map((title) => [title.toUpperCase(), (row) => row[title]] as const),
          nameOf: () => report.group_by,
        });
      }),
    );
}
