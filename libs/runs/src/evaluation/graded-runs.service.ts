import { CompiledVersions, type Evaluation } from '@app/agents';
import { isJsonObject } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { openedRun, openedStep } from '../privacy/opened-run.js';
import { RunPrivacies } from '../privacy/run-privacies.service.js';
import type { Run } from '../run.entity.js';
import type { RunStep } from '../run-step.entity.js';
import { compareRuns } from './compare-runs.js';
import type { EvaluationTrial } from './evaluation-trial.entity.js';
import { errored, grade, type GradedRun, type TrialGrade } from './grade.js';
import { type GradedTrialRecord, TrialsRepository } from './trials.repository.js';

interface Trace {
  run: Run;
  steps: RunStep[];
}

/** Grades trials whose run has ended, by what is recorded of it: who grades, when and how often makes no difference. */
@Injectable()
export class GradedRuns {
  constructor(
    private readonly trials: TrialsRepository,
    private readonly versions: CompiledVersions,
    private readonly privacies: RunPrivacies,
  ) {}

  async grade(
    evaluation: Evaluation,
    trials: readonly EvaluationTrial[],
    transaction: Transaction,
  ): Promise<GradedTrialRecord[]> {
    if (trials.length === 0) return [];
    const { workspaceId, agentId, version } = evaluation;
    const { evaluation: definition, redactPaths } = await this.versions.get(workspaceId, agentId, version);
    const ids = trials.flatMap(({ runId, sourceRun }) => [runId, sourceRun]).filter((id) => id !== null);
    const traces = await this.trials.traces(workspaceId, ids, transaction);
    const privacy = this.privacies.opener(evaluation);
    const opened = ({ run, steps }: Trace): GradedRun =>
      gradedRun({ run: openedRun(run, privacy), steps: steps.map((step) => openedStep(step, privacy)) });
    return trials.map((trial): GradedTrialRecord => {
      const trace = trial.runId === null ? undefined : traces.get(trial.runId);
      if (!trace) return { n: trial.n, grade: errored('The run is gone.'), costMicros: '0', durationMs: null };
      const recorded = trial.sourceRun === null ? undefined : traces.get(trial.sourceRun);
      const { costMicros, activeMs: durationMs } = trace.run;
      const assertions = definition?.cases[trial.caseN ?? -1]?.assertions ?? [];
      const found = gradeOf(trial, opened(trace), recorded && opened(recorded), assertions);
      // What a grade says of values is not for those who may not see them.
      const told = redactPaths.length === 0 ? found : withoutValues(found);
      return { n: trial.n, grade: told, costMicros, durationMs };
    });
  }
}

function gradeOf(
  { sourceRun }: EvaluationTrial,
  run: GradedRun,
  recorded: GradedRun | undefined,
  assertions: Parameters<typeof grade>[0],
): TrialGrade {
  if (sourceRun === null) return grade(assertions, run);
  return recorded ? compareRuns(recorded, run) : errored('The recorded run is gone.');
}

function gradedRun({ run, steps }: Trace): GradedRun {
  const { id, input, output, error, costMicros, activeMs } = run;
  // A run of an evaluation that would have asked people ended at that moment.
  const last = steps.findLast(({ type }) => type === 'approval');
  const status = last && isJsonObject(last.detail) && last.detail.asked === false ? 'waiting_approval' : run.status;
  return { id, status, input, output, error, costMicros: BigInt(costMicros), durationMs: Number(activeMs), steps };
}

function withoutValues(found: TrialGrade): TrialGrade {
  const assertions = found.assertions.map((each) => ({
    ...each,
    message: each.message === null ? null : 'It does not hold. What it is about is redacted.',
  }));
  const differences = found.differences.map((each) => ({
    ...each,
    recorded: each.recorded && { ...each.recorded, request: {} },
    made: each.made && { ...each.made, request: {} },
    message: `The call at ${each.path} is another one. What it is about is redacted.`,
  }));
  return { ...found, assertions, differences };
}
