import { type Command, Option } from 'commander';
import { type AgentAutomation, ApiError } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { EXIT, type ExitCode } from '../errors/exit-codes.js';
import { AgentsApply, type ApplyOptions } from '../files/apply-agents.js';
import type { PlannedAction } from '../files/apply-plan.js';
import {
  type DefinitionFile,
  type Finding,
  readDefinitionFiles,
  reportFindings,
  withoutOwnAgents,
} from '../files/definition-files.js';
import { differenceMarkdown, differenceText } from '../files/difference-report.js';
import { initProject, listTemplates } from '../files/init-project.js';
import { planFixtures, type PlannedFixture, pushFixtures } from '../files/project-fixtures.js';
import { findProject } from '../files/project-file.js';
import { releaseAgents, type ReleaseOptions } from '../files/promote-agents.js';
import { pullAgents, type PullOptions } from '../files/pull-agents.js';
import { compareFile } from '../files/version-difference.js';
import type { CatalogModel } from '../session/preferred-model.js';
import { errorLines } from '../output/error-lines.js';
import { escapedJson } from '../output/escaped-text.js';

interface CheckedFile {
  file: string;
  valid: boolean;
  errors: Finding[];
  warnings: Finding[];
  notes: Pick<Finding, 'pointer' | 'detail'>[];
}

const PATHS = 'definition files, or folders that contain them';

export function configureInit(init: Command, cli: Cli): void {
  init
    .argument('[template]', 'hello, http, approval, or an agent of the cookbook', 'hello')
    .option('--list', 'list the templates, and create nothing')
    .action(
      cli.action(async (name: string, { list = false }: { list?: boolean }) => {
        if (list) return listInitTemplates(cli);
        const { template, created } = await initProject(name, await catalogModel(cli));
        for (const file of created) cli.output.words(`Created ${file}.`);
        if (template.isOfCookbook) cli.output.words(`What to set up and change: docs/cookbook/${template.name}.md`);
        cli.output.words('Next: `aas validate agents`, then `aas apply agents`.');
      }),
    );
}

/** Returns undefined if the person is not signed in or the catalogue is empty. `init` works without a service. */
async function catalogModel(cli: Cli): Promise<CatalogModel | undefined> {
  const aas = await cli.client().catch(() => undefined);
  try {
    const { data = [] } = (await aas?.models.list({ timeout: '10s' })) ?? {};
    return data.find((model) => model.used_by > 0) ?? data[0];
  } catch (error) {
    const [what = ''] = errorLines(error, cli.address);
    cli.output.words(`The models of the installation are unknown. ${what}`);
    return undefined;
  }
}

async function listInitTemplates(cli: Cli): Promise<void> {
  const templates = await listTemplates();
  await cli.output.list(
    templates.map(({ name, title, files }) => ({ name, title, files: files.map(({ file }) => file) })),
    {
      columns: [
        ['TEMPLATE', (row) => row.name],
        ['TITLE', (row) => row.title],
      ],
      nameOf: (row) => row.name,
    },
  );
}

export function configureValidate(validate: Command, cli: Cli): void {
  validate.argument('<paths...>', PATHS).action(
    cli.action(async (paths: string[]) => {
      const files = await readDefinitionFiles(paths);
      const checked = await checkFiles(await cli.client(), files);
      await cli.output.list(
        checked.map(({ file, valid, errors }) => ({ file, valid, errors })),
        {
          columns: [
            ['FILE', (row) => row.file],
            ['VALID', (row) => (row.valid ? 'yes' : 'no')],
            ['ERRORS', (row) => row.errors.length || ''],
          ],
          nameOf: (row) => row.file,
        },
      );
      for (const { file, ...findings } of checked) reportFindings(cli.output, file, findings);
      return checked.every(({ valid }) => valid) ? EXIT.done : EXIT.unsuccessful;
    }),
  );
}

async function checkFiles(aas: AgentAutomation, files: readonly DefinitionFile[]): Promise<CheckedFile[]> {
  const checked: CheckedFile[] = [];
  for (const file of files) {
    const { warnings, ...found } = await validation(aas, file.text);
    checked.push({ ...found, file: file.file, warnings: withoutOwnAgents(warnings, file, files) });
  }
  return checked;
}

/** Validates a definition. A file that the API cannot parse is reported as invalid, like a file that breaks a rule. */
async function validation(aas: AgentAutomation, text: string): Promise<Omit<CheckedFile, 'file'>> {
  try {
    return await aas.definitions.validate(text);
  } catch (error) {
    if (!(error instanceof ApiError && [400, 413, 422].includes(error.status))) throw error;
    const { detail, errors } = error.problem;
    return { valid: false, errors: errors ?? [{ pointer: '', detail }], warnings: [], notes: [] };
  }
}

export function configureDiff(diff: Command, cli: Cli): void {
  diff
    .argument('<paths...>', PATHS)
    .addOption(new Option('--format <format>', 'markdown prints a comment for a pull request').choices(['markdown']))
    .action(
      cli.action(async (paths: string[], { format }: { format?: 'markdown' }) => {
        const files = await readDefinitionFiles(paths);
        const aas = await cli.client();
        if (!(await areValid(aas, cli, files, 'Nothing was compared.'))) return EXIT.unsuccessful;
        const differences = [];
        for (const file of files) differences.push(await compareFile(aas, file));
        if (format === 'markdown') await cli.output.print(escapedJson(differenceMarkdown(differences)));
        else if (cli.output.options.format === 'table')
          await cli.output.print(escapedJson(differences.map(differenceText).join('\n')));
        else await cli.output.list(differences, { columns: [], nameOf: ({ agent }) => agent });
        return differences.every(({ action }) => action === 'unchanged') ? EXIT.done : EXIT.unsuccessful;
      }),
    );
}

export function configureApply(apply: Command, cli: Cli): void {
  apply
    .argument('<paths...>', PATHS)
    .option('--evaluate', 'evaluate each latest version that has an evaluation set, and wait')
    .option('--promote', 'promote each latest version')
    .option('--prune', 'archive the agents of this project that have no file')
    .option('--overwrite', 'also replace versions that were not applied from this folder')
    .action(
      cli.action(async (paths: string[], options: ApplyOptions & ReleaseOptions) => {
        const files = await readDefinitionFiles(paths);
        const project = await findProject(paths);
        const aas = await cli.client();
        if (!(await areValid(aas, cli, files, 'Nothing was applied.'))) return EXIT.unsuccessful;
        const apply = await AgentsApply.of(cli, project, files);
        const [plan, fixtures] = [await apply.plan(options), await planFixtures(aas, project)];
        showPlan(cli, { plan, fixtures }, project.name);
        await apply.refuseConflicts(plan);
        await pushFixtures(cli, aas, fixtures);
        return performPlan(aas, cli, apply, plan, { files, options });
      }),
    );
}

/** Validates the files. If some are not valid, reports their mistakes and `consequence`. */
async function areValid(
  aas: AgentAutomation,
  cli: Cli,
  files: readonly DefinitionFile[],
  consequence: string,
): Promise<boolean> {
  const checked = await checkFiles(aas, files);
  const invalid = checked.filter(({ valid }) => !valid);
  if (invalid.length === 0) return true;
  for (const { file, ...findings } of invalid) reportFindings(cli.output, file, findings);
  cli.output.report(`Error: ${invalid.length} of ${files.length} files are not valid.`);
  cli.output.report(`Where: ${invalid.map(({ file }) => file).join(', ')}`);
  cli.output.report(`What to do: Correct the files. ${consequence}`);
  return false;
}

const PLAN_WORDS: Readonly<Record<PlannedAction['action'], string>> = {
  create: '+ create',
  update: '~ new version of',
  unchanged: '= unchanged',
  conflict: '! conflict in',
  archive: '- archive',
};

const FIXTURE_WORDS: Readonly<Record<PlannedFixture['action'], string>> = {
  create: '+ create the fixture',
  update: '~ replace the fixture',
};

function showPlan(
  cli: Cli,
  { plan, fixtures }: { plan: readonly PlannedAction[]; fixtures: readonly PlannedFixture[] },
  project: string,
): void {
  cli.output.words(`Plan for project ${project}:`);
  for (const { action, name } of fixtures) cli.output.words(`  ${FIXTURE_WORDS[action]} ${name}`);
  for (const { action, agent } of plan) cli.output.words(`  ${PLAN_WORDS[action]} ${agent}`);
}

async function performPlan(
  aas: AgentAutomation,
  cli: Cli,
  apply: AgentsApply,
  plan: readonly PlannedAction[],
  { files, options }: { files: readonly DefinitionFile[]; options: ReleaseOptions },
): Promise<ExitCode> {
  const applied = [];
  for (const planned of plan) {
    const outcome = await apply.perform(planned);
    const hasEvaluation = files.some(({ agent, hasEvaluation: has }) => agent === planned.agent && has);
    applied.push({ outcome, hasEvaluation });
  }
  const { outcomes, exitCode } = await releaseAgents(aas, cli, applied, options);
  await cli.output.list(outcomes, {
    columns: [
      ['AGENT', (row) => row.agent],
      ['ACTION', (row) => row.action],
      ['VERSION', (row) => row.version],
      ['EVALUATION', (row) => row.evaluation],
      ['PRODUCTION', (row) => row.production_version],
    ],
    nameOf: (row) => row.agent,
  });
  return exitCode;
}

export function configurePull(pull: Command, cli: Cli): void {
  pull
    .argument('[agents...]', 'names of agents; default: those of the project')
    .option('--all', 'all agents of the workspace')
    .option('--overwrite', 'also replace files with local changes')
    .action(
      cli.action(async (agents: string[], options: PullOptions) => {
        const pulled = await pullAgents(cli, await findProject([]), agents, options);
        await cli.output.list(pulled, {
          columns: [
            ['AGENT', (row) => row.agent],
            ['VERSION', (row) => row.version],
            ['ACTION', (row) => row.action],
            ['FILE', (row) => row.file],
          ],
          nameOf: (row) => row.agent,
        });
      }),
    );
}
