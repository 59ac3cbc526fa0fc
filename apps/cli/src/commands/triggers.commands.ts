import type { Command } from 'commander';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { addWaitOptions, checkWaitOptions, printStarted, type WaitOptions } from '../waiting/run-wait.js';
import { listCommand } from './list-command.js';

type Triggers = AgentAutomation['triggers'];
type Trigger = Awaited<ReturnType<Triggers['list']>>['data'][number];
type TriggerEvent = Awaited<ReturnType<Triggers['listEvents']>>['data'][number];

export function configureTriggers(triggers: Command, cli: Cli): void {
  triggers
    .command('list')
    .description('List the triggers of an agent with their next times.')
    .argument('<agent>', 'name or id of the agent')
    .action(
      cli.action(async (agent: string) => {
        const { data } = await (await cli.client()).triggers.list(agent);
        await cli.output.list<Trigger>(data, {
          columns: [
            ['ID', (trigger) => trigger.id],
            ['TYPE', (trigger) => trigger.type],
            ['HEALTH', (trigger) => trigger.health],
            ['NEXT', (trigger) => trigger.next_fire_at],
            ['LAST EVENT', (trigger) => trigger.last_event_at],
            ['LAST ERROR', (trigger) => trigger.last_error],
          ],
          nameOf: (trigger) => trigger.id,
        });
      }),
    );
  const run = triggers
    .command('run')
    .description('Start a run as a trigger would.')
    .argument('<agent>', 'name or id of the agent')
    .argument('<trigger>', 'id of the trigger')
    .action(
      cli.action(async (agent: string, trigger: string, options: WaitOptions) => {
        checkWaitOptions(options, 'aas triggers run');
        const aas = await cli.client();
        return printStarted(aas, cli, await aas.triggers.run(agent, trigger), options);
      }),
    );
  addWaitOptions(run);
  listCommand(
    triggers
      .command('log')
      .description('List the events that arrived at the triggers of an agent.')
      .argument('<agent>', 'name or id of the agent'),
    cli,
    {
      filters: [
        { parameter: 'trigger', summary: 'only events of this trigger' },
        { parameter: 'outcome', summary: 'only events with this outcome', isRepeatable: true },
      ],
      columns: [
        ['TIME', (event) => event.created_at],
        ['TRIGGER', (event) => event.trigger],
        ['OUTCOME', (event) => event.outcome],
        ['RUN', (event) => event.run],
        ['REASON', (event) => event.reason],
      ],
      nameOf: (event: TriggerEvent) => event.id,
      rows: (aas, query: Parameters<Triggers['listEvents']>[1], agent) => aas.triggers.listEvents(agent, query),
    },
  );
}
