import { CompiledVersionsService, type EvaluationEntity } from '@app/agents';
import type { Assertion, CompiledDefinition, CompiledEvaluation } from '@app/definition';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { RunPrivaciesService } from '@app/runs';
import { compareRuns } from './compare-runs.js';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { errored, type GradedRun, grading, type TrialGrade } from './grade.js';
import { gradedRun, type RecordedTrace } from './graded-run.js';
import { inTurns } from './grading-work.js';
import { JudgeService } from './judge.service.js';
import { isJudged } from './judgement.js';
import { type GradedTrialRecord, TrialsRepository } from './trials.repository.js';

/**
 * Grades trials whose runs have ended. It uses only recorded data, so the result does not depend on the process or the
 * time of grading.
 */
@Injectable()
export class RunGradingService {
  constructor(
    private readonly trials: TrialsRepository,
    private readonly versions: CompiledVersionsService,
    private readonly privacies: RunPrivaciesService,
    private readonly judge: JudgeService,
  ) {}

  async grade(
    evaluation: EvaluationEntity,
    trials: readonly EvaluationTrialEntity[],
    transaction: Transaction,
  ): Promise<GradedTrialRecord[]> {
    if (trials.length === 0) return [];
    const { workspaceId, agentId, version } = evaluation;
    const definition = await this.versions.get(workspaceId, agentId, version);
    const { evaluation: set, redactPaths } = definition;
    const ids = trials.flatMap(({ runId, sourceRun }) => [runId, sourceRun]).filter((id) => id !== null);
    const traces = await this.trials.traces(workspaceId, ids, transaction);
    const privacy = this.privacies.opener(evaluation);
    const isAsked = this.judge.modelFor(definition) !== undefined;
    const definitions = await this.definitionsOf(evaluation, traces);
    const opened = (trace: RecordedTrace): Promise<GradedRun> =>
      gradedRun(trace, privacy, definitions.get(trace.run.version) ?? definition);
    const gradable = trials.filter((trial) => !(isAsked && needsJudgement(trial, set)));
    const graded: GradedTrialRecord[] = [];
    for (const trial of gradable) {
      const trace = trial.runId === null ? undefined : traces.get(trial.runId);
      if (!trace) {
        graded.push({
          n: trial.n,
          grade: errored('The run of this trial no longer exists: retention purged it.'),
          costMicros: '0',
          durationMs: null,
        });
        continue;
      }
      const recorded = trial.sourceRun === null ? undefined : traces.get(trial.sourceRun);
      const { costMicros, activeMs: durationMs } = trace.run;
      const assertions = set?.cases[trial.caseN ?? -1]?.assertions ?? [];
      const found = await gradeOf(trial, await opened(trace), recorded && (await opened(recorded)), assertions);
      const shown = redactPaths.length === 0 ? found : withoutValues(found);
      graded.push({ n: trial.n, grade: shown, costMicros, durationMs });
    }
    return graded;
  }

  private async definitionsOf(
    { workspaceId, agentId }: EvaluationEntity,
    traces: ReadonlyMap<string, RecordedTrace>,
  ): Promise<Map<number, CompiledDefinition>> {
    const versions = [...new Set([...traces.values()].map(({ run }) => run.version))];
    const found = versions.map(async (version) => {
      return [version, await this.versions.get(workspaceId, agentId, version)] as const;
    });
    return new Map(await Promise.all(found));
  }
}

function needsJudgement({ caseN, judgements }: EvaluationTrialEntity, set: CompiledEvaluation | null): boolean {
  return judgements === null && (set?.cases[caseN ?? -1]?.assertions ?? []).some(isJudged);
}

async function gradeOf(
  { sourceRun, judgements }: EvaluationTrialEntity,
  run: GradedRun,
  recorded: GradedRun | undefined,
  assertions: readonly Assertion[],
): Promise<TrialGrade> {
  if (sourceRun === null) return inTurns(grading(assertions, run, judgements));
  return recorded ? compareRuns(recorded, run) : errored('The recorded run no longer exists: retention purged it.');
}

function withoutValues(found: TrialGrade): TrialGrade {
  const assertions = found.assertions.map((each) => ({
    ...each,
    message: each.message === null ? null : 'The assertion failed. Its values are redacted.',
  }));
  const differences = found.differences.map((each) => ({
    ...each,
    recorded: each.recorded && { ...each.recorded, request: {} },
    made: each.made && { ...each.made, request: {} },
    message: `The call at ${each.path} differs. Its values are redacted.`,
  }));
  return { ...found, assertions, differences };
}
