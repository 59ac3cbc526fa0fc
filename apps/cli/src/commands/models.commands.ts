import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { type AgentAutomation, ApiError } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { EXIT, type ExitCode } from '../errors/exit-codes.js';
import { CommandError, usageError } from '../errors/command-error.js';
import { type CatalogModel, nameOfModel, preferredModel } from '../session/preferred-model.js';

type ModelCheck = Awaited<ReturnType<AgentAutomation['models']['check']>>;
type Row = ModelName & Partial<ModelCheck> & Pick<ModelCheck, 'ok' | 'error'>;
type ModelName = Pick<CatalogModel, 'provider' | 'name'>;

export function configureModels(models: Command, cli: Cli): void {
  models
    .command('list')
    .description('List models.')
    .action(
      cli.action(async () => {
        const { data } = await (await cli.client()).models.list();
        await cli.output.list(data, {
          columns: [
            ['MODEL', nameOfModel],
            ['INPUT', (model) => model.input.join(', ')],
            ['EFFORT', (model) => model.effort?.join(', ')],
            ['ENDS', (model) => model.ends_at],
            ['AGENTS', (model) => model.used_by],
          ],
          nameOf: nameOfModel,
        });
      }),
    );
  models
    .command('check')
    .description('Check whether models answer.')
    .argument('[models...]', '<provider>/<name>; default: of each provider the model that most agents use')
    .option('--yes', 'do not ask')
    .action(
      cli.action(async (names: string[], { yes = false }: { yes?: boolean }) => {
        const given = names.map(modelNamed);
        const aas = await cli.client();
        const checked = given.length > 0 ? given : preferredModels((await aas.models.list()).data);
        return checked.length === 0 ? noModels(cli) : checkModels(cli, aas, { models: checked, isSure: yes });
      }),
    );
}

async function noModels(cli: Cli): Promise<ExitCode> {
  cli.output.words('The installation has no models. An operator connects them with MODEL_PROVIDERS.');
  await cli.output.list([], { columns: [], nameOf: nameOfModel });
  return EXIT.done;
}

async function checkModels(
  cli: Cli,
  aas: AgentAutomation,
  { models, isSure }: { models: readonly ModelName[]; isSure: boolean },
): Promise<ExitCode> {
  if (!isSure) {
    const question = `Send requests to ${models.map(nameOfModel).join(', ')}? The providers may charge for them.`;
    if (!(await cli.prompts.confirm(question, 'Add `--yes`.')))
      throw new CommandError('Nothing was checked.', {
        exitCode: EXIT.unsuccessful,
        where: 'aas models check',
        remedy: 'Run the command again to check the models.',
      });
  }
  const results: Row[] = [];
  await cli.output.list(checksOf(cli, aas, models, results), {
    columns: [
      ['MODEL', nameOfModel],
      ['OK', ({ ok }) => answer(ok)],
      ['MS', (check) => check.latency_ms],
      ['TOOLS', ({ tools }) => answer(tools)],
      ['STRUCTURED', (check) => answer(check.structured_output)],
      ['COST', ({ cost }) => cost && `${cost.amount} ${cost.currency}`],
      ['ERROR', ({ error }) => error && `${error.code}: ${error.message}`],
    ],
    nameOf: nameOfModel,
  });
  return results.every(({ ok }) => ok) ? EXIT.done : EXIT.unsuccessful;
}

async function* checksOf(
  cli: Cli,
  aas: AgentAutomation,
  models: readonly ModelName[],
  results: Row[],
): AsyncGenerator<Row> {
  for (const { provider, name } of models) {
    const row = await rowOf(cli, aas, { provider, name });
    results.push(row);
    yield row;
  }
}

async function rowOf(cli: Cli, aas: AgentAutomation, model: ModelName): Promise<Row> {
  for (;;) {
    try {
      return await aas.models.check(model, { timeout: '120s' });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, problem, retryAfter } = error;
      // Agents in production may name a provider that the installation no longer has.
      if (code === 'unknown_reference') return { ...model, ok: false, error: { code, message: problem.detail } };
      if (code !== 'rate_limited' || retryAfter === undefined) throw error;
      cli.output.words(`The service limits checks. The next one begins in ${retryAfter} s.`);
      await setTimeout(1_000 * retryAfter);
    }
  }
}

/** Returns one model of each provider, in the order of the catalogue. */
function preferredModels(catalog: readonly CatalogModel[]): CatalogModel[] {
  const providers = [...new Set(catalog.map(({ provider }) => provider))];
  return providers.flatMap((provider) => preferredModel(catalog.filter((model) => model.provider === provider)) ?? []);
}

/** The name of a model may contain slashes, the name of a provider may not. */
function modelNamed(text: string): ModelName {
  const [, provider, name] = /^([^/]+)\/(.+)$/.exec(text) ?? [];
  if (provider === undefined || name === undefined)
    throw usageError(`\`${text}\` is not the name of a model.`, '[models...]', 'Write <provider>/<name>.');
  return { provider, name };
}

function answer(value: boolean | null | undefined): string {
  return value === null || value === undefined ? '' : value ? 'yes' : 'no';
}
