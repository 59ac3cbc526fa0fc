import type { Command } from 'commander';
import type { AgentAutomation, AgentVersion, Duration } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { duration, type VersionName, versionName } from '../input/command-arguments.js';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { waitForEvaluation } from '../waiting/evaluation-wait.js';
import { listCommand } from './list-command.js';

type ListQuery = Parameters<AgentAutomation['versions']['list']>[1];

const VERSION = 'agent and number, for example refund-desk@3';

export function configureVersions(versions: Command, cli: Cli): void {
  listCommand(
    versions
      .command('list')
      .description('List the versions of an agent.')
      .argument('<agent>', 'name or id of the agent'),
    cli,
    {
      columns: [
        ['VERSION', (version) => version.version],
        ['PRODUCTION', (version) => (version.is_production ? 'yes' : '')],
        ['EVALUATION', (version) => version.evaluation?.status],
        ['PROJECT', (version) => version.project],
        ['CREATED', (version) => version.created_at],
        ['BY', (version) => version.created_by],
      ],
      nameOf: (version: AgentVersion) => `${version.agent}@${version.version}`,
      rows: (aas, query: ListQuery, agent) => aas.versions.list(agent, query),
    },
  );
  versions
    .command('get')
    .description('Show a version.')
    .argument('<agent@n>', VERSION, versionName)
    .option('--definition', 'print only the definition, exactly as it was uploaded')
    .action(
      cli.action(async ({ agent, version }: VersionName, { definition }: { definition?: boolean }) => {
        const aas = await cli.client();
        if (definition) return cli.output.print(await aas.versions.definition(agent, version));
        await cli.output.object(await aas.versions.get(agent, version), `${agent}@${version}`);
      }),
    );
  versions
    .command('diff')
    .description('Compare two versions: exit 1 if they differ.')
    .argument('<agent@n>', VERSION, versionName)
    .argument('<n>', 'number of the other version, or agent@n')
    .action(
      cli.action(async ({ agent, version }: VersionName, other: string) => {
        const to = other.includes('@') ? versionName(other) : { agent, version: Number(other) };
        if (to.agent !== agent || !Number.isInteger(to.version))
          throw usageError(
            'Only versions of the same agent can be compared.',
            '<n>',
            'Write the number of another version of the agent.',
          );
        const aas = await cli.client();
        const comparison = await aas.versions.compare(agent, version, to.version);
        await cli.output.object(comparison, `${agent}@${version}`);
        return comparison.patch.length === 0 ? EXIT.done : EXIT.unsuccessful;
      }),
    );
}

export function configureEvaluate(evaluate: Command, cli: Cli): void {
  evaluate
    .argument('<agent@n>', VERSION, versionName)
    .option('--wait', 'wait for the result: exit 0 passed, 1 failed, 6 inconclusive')
    .option('--timeout <duration>', 'stop waiting after this time; the evaluation continues', duration)
    .action(
      cli.action(async ({ agent, version }: VersionName, { wait, timeout }: { wait?: boolean; timeout?: Duration }) => {
        if (timeout !== undefined && !wait) throw usageError('--timeout needs --wait.', '--timeout', 'Add --wait.');
        const aas = await cli.client();
        const evaluation = await aas.versions.evaluate(agent, version);
        if (wait) return waitForEvaluation(aas, cli, evaluation, timeout);
        await cli.output.object(evaluation, evaluation.id);
      }),
    );
}

export function configurePromote(promote: Command, cli: Cli): void {
  promote.argument('<agent@n>', VERSION, versionName).action(
    cli.action(async ({ agent, version }: VersionName) => {
      const aas = await cli.client();
      await cli.output.object(await aas.versions.promote(agent, version), `${agent}@${version}`);
    }),
  );
}

export function configureRollback(rollback: Command, cli: Cli): void {
  rollback.argument('<agent>', 'name or id of the agent').action(
    cli.action(async (name: string) => {
      const aas = await cli.client();
      const agent = await aas.agents.get(name);
      const previous = await previousVersion(aas, agent);
      if (previous === undefined) {
        throw new CommandError(`Agent ${agent.name} has no previous production version.`, {
          exitCode: EXIT.conflict,
          where: `production version ${agent.production_version}`,
          remedy: `Promote a version: \`aas promote ${agent.name}@<n>\`.`,
        });
      }
      cli.output.words(`Promoting ${agent.name}@${previous} instead of ${agent.name}@${agent.production_version}.`);
      await cli.output.object(await aas.versions.promote(agent.id, previous), `${agent.name}@${previous}`);
    }),
  );
}

/** Returns the version that was in production before the current one. Undefined if there was none. */
async function previousVersion(
  aas: AgentAutomation,
  { id, production_version: production }: { id: string; production_version: number },
): Promise<number | undefined> {
  for await (const event of aas.events.list({ agent: id, type: ['agent.promoted'], order: 'desc' })) {
    const { production_version: version, previous_version: previous } = event.data;
    if (version === production) return typeof previous === 'number' ? previous : undefined;
  }
  return undefined;
}
