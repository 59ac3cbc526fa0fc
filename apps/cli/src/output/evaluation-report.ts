import type { Evaluation } from '../../../../packages/sdk/src/index.js';
import type { Output, View } from './output.js';

type CaseResult = Evaluation['results'][number];

const FAILED_CASES: View<CaseResult> = {
  columns: [
    ['CASE', (result) => result.case],
    ['STATUS', (result) => result.status],
    ['RUN', (result) => decisiveTrial(result)?.run],
    ['REASON', reasonOf],
  ],
  nameOf: (result) => result.case,
};

/** Prints an evaluation. In the format `table`, prints a summary and a list of the cases that did not pass. */
export async function printEvaluation(output: Output, evaluation: Evaluation): Promise<void> {
  if (output.options.format !== 'table') return output.object(evaluation, evaluation.id);
  const { results, ...summary } = evaluation;
  await output.object(summary, evaluation.id);
  const failed = results.filter(({ status }) => status !== 'passed');
  if (failed.length === 0) return;
  await output.print('\n');
  await output.list(failed, FAILED_CASES);
}

/** Returns the first trial of the case that did not pass. Its reason is shown as the reason of the case. */
function decisiveTrial({ trials }: CaseResult): CaseResult['trials'][number] | undefined {
  return trials.find(({ status }) => status !== 'passed');
}

function reasonOf(result: CaseResult): string | null | undefined {
  const trial = decisiveTrial(result);
  if (!trial) return undefined;
  const assertion = trial.assertions.find((each) => each.result !== 'passed');
  return trial.error ?? assertion?.message ?? trial.differences[0]?.message;
}
