import type { Command } from 'commander';
import type { AgentAutomation, Approval } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { assignments, collected, positiveInteger } from '../input/command-arguments.js';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { readInputObject } from '../input/input-document.js';
import { memberLines } from '../output/output.js';
import { listCommand } from './list-command.js';

type ListQuery = Parameters<AgentAutomation['approvals']['list']>[0];
type Decision = Parameters<AgentAutomation['approvals']['decide']>[1];

export function configureApprovals(approvals: Command, cli: Cli): void {
  listCommand(approvals.command('list').description('List approvals.'), cli, {
    filters: [
      { parameter: 'status', summary: 'only approvals with this status', isRepeatable: true },
      { parameter: 'agent', summary: 'only approvals of this agent' },
      { parameter: 'mine', summary: 'only open approvals that you may decide', isFlag: true },
      { parameter: 'expires_before', summary: 'only approvals that expire before this time' },
      { parameter: 'mode', summary: 'production or test' },
      { parameter: 'sort', summary: 'created_at or expires_at' },
    ],
    columns: [
      ['ID', (approval) => approval.id],
      ['STATUS', (approval) => approval.status],
      ['AGENT', (approval) => approval.agent_name],
      ['MODE', (approval) => approval.mode],
      ['TOOL', (approval) => approval.tool],
      ['REASON', (approval) => approval.reason],
      ['EXPIRES', (approval) => approval.expires_at],
    ],
    nameOf: (approval: Approval) => approval.id,
    rows: (aas, query: ListQuery) => aas.approvals.list(query),
  });
  approvals
    .command('show')
    .description('Show an approval with its request.')
    .argument('<id>', 'id of the approval')
    .action(cli.action(async (id: string) => cli.output.object(await (await cli.client()).approvals.get(id), id)));
  addDecision(approvals, cli, 'approve', 'Approve a request as it is.');
  addDecision(approvals, cli, 'reject', 'Reject a request.');
  addEdit(approvals, cli);
  addAnswer(approvals, cli);
}

interface DecisionOptions {
  comment?: string;
  yes?: boolean;
  ifRevision?: number;
}

function decisionCommand(approvals: Command, verb: string, description: string): Command {
  return approvals
    .command(verb)
    .description(
      `${description} Shows the request and asks for confirmation, unless --yes and --if-revision are passed.`,
    )
    .argument('<id>', 'id of the approval');
}

function withDecisionOptions(command: Command): Command {
  return command
    .option('--comment <text>', 'a comment on the decision')
    .option('--yes', 'do not ask for confirmation; needs --if-revision')
    .option('--if-revision <request_revision>', 'decide only if the request has this revision', positiveInteger);
}

function addDecision(approvals: Command, cli: Cli, decision: 'approve' | 'reject', description: string): void {
  withDecisionOptions(decisionCommand(approvals, decision, description)).action(
    cli.action((id: string, options: DecisionOptions) => decide(cli, id, options, async () => ({ decision }))),
  );
}

interface EditOptions extends DecisionOptions {
  input?: string[];
  inputFile?: string;
}

function addEdit(approvals: Command, cli: Cli): void {
  const command = decisionCommand(approvals, 'edit', 'Change a request and approve it.')
    .option('--input <name=text>', 'a field of the request as a string; `name:=json` for other values', collected)
    .option('--input-file <file>', 'the whole request as JSON or YAML; - is standard input');
  withDecisionOptions(command).action(
    cli.action(async (id: string, options: EditOptions) => {
      const { input, inputFile } = options;
      if (input === undefined && inputFile === undefined)
        throw usageError(
          'Neither `--input` nor `--input-file` is given.',
          'aas approvals edit',
          'Add --input <name=text> or --input-file <file>.',
        );
      const { file, members } = await inputOf(cli, options);
      return decide(cli, id, options, async ({ request }) => ({
        decision: 'edit',
        request: { ...(file ?? request), ...members },
      }));
    }),
  );
}

async function inputOf(cli: Cli, { input, inputFile }: EditOptions): Promise<{ file?: object; members: object }> {
  const members = assignments(input ?? [], '--input');
  if (inputFile === undefined) return { members };
  return { file: await readInputObject(inputFile, cli.terminal, '--input-file'), members };
}

const ANSWERS: Readonly<Record<string, Decision['decision']>> = {
  mark_succeeded: 'mark_succeeded',
  mark_failed: 'mark_failed',
  retry: 'retry',
  succeeded: 'mark_succeeded',
  failed: 'mark_failed',
};

function addAnswer(approvals: Command, cli: Cli): void {
  const command = decisionCommand(
    approvals,
    'answer',
    'Answer a question of a plan, or report the outcome of a call that the service could not determine.',
  )
    .argument('[outcome]', 'mark_succeeded, mark_failed or retry, for a call with unknown outcome')
    .option('--input <name=text>', 'a field of the answer as a string; `name:=json` for other values', collected)
    .option('--input-file <file>', 'the whole answer as JSON or YAML; - is standard input');
  withDecisionOptions(command).action(
    cli.action(async (id: string, outcome: string | undefined, options: EditOptions) => {
      if (outcome !== undefined) return decide(cli, id, options, async () => ({ decision: outcomeOf(outcome) }));
      if (options.input === undefined && options.inputFile === undefined)
        throw usageError(
          'The answer is missing.',
          'aas approvals answer',
          'Add --input <name=text> or --input-file <file>. For a call with unknown outcome, write mark_succeeded, mark_failed or retry.',
        );
      const { file, members } = await inputOf(cli, options);
      return decide(cli, id, options, async () => answerTo({ ...file, ...members }));
    }),
  );
}

function outcomeOf(outcome: string): Decision['decision'] {
  const decision = Object.hasOwn(ANSWERS, outcome) ? ANSWERS[outcome] : undefined;
  if (decision !== undefined) return decision;
  throw usageError(`\`${outcome}\` is not a valid answer.`, '<outcome>', 'Write mark_succeeded, mark_failed or retry.');
}

function answerTo(answer: object): Decision {
  const decision: string = 'answer';
  return { decision, answer } as Decision;
}

/**
 * Decides an approval. Sends the revision of the request that the person has seen. If the request has changed since,
 * the API rejects the decision.
 */
async function decide(
  cli: Cli,
  id: string,
  { comment, yes = false, ifRevision }: DecisionOptions,
  decisionOf: (approval: Approval) => Promise<Decision>,
): Promise<void> {
  const isAnswered = yes && ifRevision !== undefined;
  if (!isAnswered && (yes || !cli.prompts.canAsk)) {
    const remedy = `Read it with \`aas approvals show ${id}\`, then add \`--yes --if-revision <request_revision>\`.`;
    throw usageError('The decision needs a confirmation.', '--yes --if-revision', remedy);
  }
  const aas = await cli.client();
  const approval = await aas.approvals.get(id);
  const decision = { ...(await decisionOf(approval)), ...(comment !== undefined && { comment }) };
  if (!isAnswered) await askAbout(cli, approval, decision);
  const revision = ifRevision ?? approval.request_revision;
  const decided = await aas.approvals.decide({ id, run: approval.run, request_revision: revision }, decision);
  await cli.output.object(decided, id);
}

async function askAbout(cli: Cli, approval: Approval, { decision, comment: _, ...sent }: Decision): Promise<void> {
  const { id, agent_name, tool, reason, request_revision, show } = approval;
  const { title }: { title?: string | null; id: string } = approval;
  const question = title == null ? {} : { question: title };
  const shown = {
    approval: id,
    agent: agent_name,
    tool,
    reason,
    ...question,
    ...show,
    request: approval.request,
    request_revision,
  };
  const labelled = Object.entries(sent).map(([name, value]): [string, unknown] => [
    name === 'request' ? 'edited request' : name,
    value,
  ]);
  const edited = Object.fromEntries<unknown>(labelled);
  for (const line of memberLines({ ...shown, ...edited })) cli.output.report(line);
  const isSure = await cli.prompts.confirm(`${decision.replace('_', ' ')}?`, 'Add `--yes --if-revision <n>`.');
  if (isSure) return;
  throw new CommandError('Nothing was decided.', {
    exitCode: EXIT.unsuccessful,
    where: id,
    remedy: 'Run the command again to decide.',
  });
}
