import { setTimeout as pause } from 'node:timers/promises';
import type { AgentAutomation, Duration, Evaluation } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { EXIT, type ExitCode } from '../errors/exit-codes.js';
import { printEvaluation } from '../output/evaluation-report.js';
import { ProgressBar } from './progress-bar.js';
import { Deadline } from './wait-deadline.js';

const PAUSE_MILLIS = 1_000;

const OUTCOMES: Readonly<Record<Evaluation['status'], ExitCode>> = {
  queued: EXIT.undecided,
  running: EXIT.undecided,
  passed: EXIT.done,
  failed: EXIT.unsuccessful,
  inconclusive: EXIT.undecided,
  errored: EXIT.unsuccessful,
  cancelled: EXIT.unsuccessful,
};

/** Waits until an evaluation has ended and prints it. Returns the exit code of its result, or of the timeout. */
export async function waitForEvaluation(
  aas: AgentAutomation,
  cli: Cli,
  begun: Evaluation,
  timeout?: Duration,
): Promise<ExitCode> {
  const { evaluation, isOver } = await untilEvaluated(aas, cli, begun, timeout);
  await printEvaluation(cli.output, evaluation);
  if (isOver) return EXIT.timedOut;
  return evaluationExitCode(evaluation);
}

export function evaluationExitCode({ status }: Evaluation): ExitCode {
  return OUTCOMES[status];
}

/** Waits until the evaluation has ended or the timeout has passed. `isOver` is true if the timeout passed first. */
export async function untilEvaluated(
  aas: AgentAutomation,
  cli: Cli,
  begun: Evaluation,
  timeout?: Duration,
): Promise<{ evaluation: Evaluation; isOver: boolean }> {
  const continues = `Evaluation ${begun.id} continues. Read it with \`aas api GET /v1/evaluations/${begun.id}\`.`;
  cli.interruptionNote = continues;
  const deadline = new Deadline(timeout);
  const bar = new ProgressBar(cli, `Evaluating ${begun.agent_name}@${begun.version}`);
  let evaluation = begun;
  try {
    while (evaluation.ended_at === null && !deadline.isOver) {
      bar.show(decided(evaluation), evaluation.cases.total);
      await pause(deadline.pauseWithin(PAUSE_MILLIS));
      evaluation = await aas.evaluations.get(begun.id);
    }
  } finally {
    bar.clear();
    cli.interruptionNote = undefined;
  }
  const isOver = evaluation.ended_at === null;
  if (isOver) cli.output.report(continues);
  return { evaluation, isOver };
}

function decided({ cases: { passed, failed, errored } }: Evaluation): number {
  return passed + failed + errored;
}
