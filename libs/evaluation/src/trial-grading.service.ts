import { CompiledVersionsService, type EvaluationEntity } from '@app/agents';
import {
  type Assertion,
  type CompiledDefinition,
  type CompiledEvaluation,
  evaluationWork,
  type ModelChoice,
} from '@app/definition';
import { nextTurn } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { RunPrivaciesService, type RunPrivacy, type TurnCost, WORK_PER_TURN } from '@app/runs';
import { Injectable } from '@nestjs/common';
import { compareRuns } from './compare-runs.js';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import {
  errored,
  type GradedRun,
  grading,
  type InterruptibleWork,
  isJudged,
  type Judgement,
  questionsAbout,
  type TrialGrade,
} from './grade.js';
import { gradedRun, type RecordedTrace } from './graded-run.js';
import { JudgeService } from './judge.service.js';
import { JudgementsRepository } from './judgements.repository.js';
import { type GradedTrialRecord, TrialsRepository } from './trials.repository.js';

const AT_ONCE = 8;

/**
 * Grades trials whose runs have ended. First asks the judge model about those with assertions that need a judgement. A
 * process claims each such trial for 150 seconds. If the process is killed, another process asks about the trial after
 * that time. The grades use only recorded data, so they do not depend on the process or the time of grading.
 */
@Injectable()
export class TrialGradingService {
  constructor(
    private readonly versions: CompiledVersionsService,
    private readonly trials: TrialsRepository,
    private readonly judgements: JudgementsRepository,
    private readonly transactions: Transactions,
    private readonly privacies: RunPrivaciesService,
    private readonly judge: JudgeService,
  ) {}

  async judgeEnded(evaluation: EvaluationEntity): Promise<boolean> {
    const { workspaceId, agentId, version, id } = evaluation;
    const definition = await this.versions.get(workspaceId, agentId, version);
    const model = this.judge.modelFor(definition);
    const cases = judgedCases(definition);
    if (!model || cases.length === 0) return false;
    const claimed = await this.judgements.claim(workspaceId, id, cases, AT_ONCE);
    if (claimed.length === 0) return false;
    const runs = claimed.map(({ runId }) => runId);
    const traces = await this.transactions.run((transaction) => this.trials.traces(workspaceId, runs, transaction));
    const privacy = this.privacies.opener(evaluation);
    const judging = claimed.map(async ({ n, caseN, runId }) => {
      const trace = traces.get(runId);
      const assertions = definition.evaluation?.cases[caseN]?.assertions ?? [];
      const found = trace ? await this.ask(model, assertions, await this.opened(trace, privacy)) : NOTHING;
      await this.judgements.record(evaluation, n, definition.redactPaths.length > 0 ? withoutWords(found) : found);
    });
    await Promise.all(judging);
    return true;
  }

  async grade(
    evaluation: EvaluationEntity,
    trials: readonly EvaluationTrialEntity[],
    transaction: Transaction,
  ): Promise<GradedTrialRecord[]> {
    if (trials.length === 0) return [];
    const { workspaceId, agentId, version } = evaluation;
    const definition = await this.versions.get(workspaceId, agentId, version);
    const { evaluation: set } = definition;
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
      const shown = this.privacies.ofRun(trace.run, definition).redactsNothing ? found : withoutValues(found);
      graded.push({ n: trial.n, grade: shown, costMicros, durationMs });
    }
    return graded;
  }

  private async opened(trace: RecordedTrace, privacy: RunPrivacy): Promise<GradedRun> {
    const { workspaceId, agentId, version } = trace.run;
    return gradedRun(trace, privacy, await this.versions.get(workspaceId, agentId, version));
  }

  private async ask(model: ModelChoice, assertions: readonly Assertion[], run: GradedRun): Promise<Found> {
    const questions = await inTurns(questionsAbout(assertions, run));
    const asked = questions.map(async (index) => {
      const assertion = assertions[index];
      if (!assertion || !isJudged(assertion)) return NOTHING;
      const { judgement, costs } = await this.judge.judge(model, assertion, run);
      return { judgements: [{ assertion: index, ...judgement }], costs };
    });
    const answers = await Promise.all(asked);
    return {
      judgements: answers.flatMap(({ judgements }) => judgements),
      costs: answers.flatMap(({ costs }) => costs),
    };
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

interface Found {
  judgements: Judgement[];
  costs: TurnCost[];
}

const NOTHING: Found = { judgements: [], costs: [] };

/** Removes the texts of the judge model from its judgements, because these texts can repeat redacted values. */
function withoutWords(found: Found): Found {
  return { ...found, judgements: found.judgements.map((each) => ({ ...each, message: '' })) };
}

function judgedCases({ evaluation }: CompiledDefinition): number[] {
  return (evaluation?.cases ?? []).flatMap(({ assertions }, index) => (assertions.some(isJudged) ? [index] : []));
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

export async function inTurns<Result>(work: InterruptibleWork<Result>): Promise<Result> {
  let before = evaluationWork().cost;
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (evaluationWork().cost - before < WORK_PER_TURN) continue;
    await nextTurn();
    before = evaluationWork().cost;
  }
}
