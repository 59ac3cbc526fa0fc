import type { CaseCounts, EvaluationEntity } from '@app/agents';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { RunStore } from '@app/runs';
import { caseCounts, costOf } from './evaluation-outcome.js';
import type { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { RunGradingService } from './run-grading.service.js';
import { JudgementsService } from './judgements.service.js';
import { TrialStarterService } from './trial-starter.service.js';
import { TrialsRepository } from './trials.repository.js';

/**
 * Operations on the trials of an evaluation. For all methods except {@link judge}, the caller must hold the lock of the
 * evaluation.
 */
@Injectable()
export class EvaluationTrialsService {
  constructor(
    private readonly trials: TrialsRepository,
    private readonly grader: RunGradingService,
    private readonly starter: TrialStarterService,
    private readonly store: RunStore,
    private readonly judgements: JudgementsService,
  ) {}

  async gradeEnded(evaluation: EvaluationEntity, transaction: Transaction): Promise<void> {
    const ended = await this.trials.ended(evaluation.workspaceId, evaluation.id, transaction);
    await this.trials.grade(evaluation.id, await this.grader.grade(evaluation, ended, transaction), transaction);
  }

  judge(evaluation: EvaluationEntity): Promise<boolean> {
    return this.judgements.judgeEnded(evaluation);
  }

  /** Starts trials until `parallelism` runs of the evaluation are open. Returns the ids of the new runs. */
  async startPending(evaluation: EvaluationEntity, parallelism: number, transaction: Transaction): Promise<string[]> {
    const running = await this.trials.countUnderWay(evaluation.workspaceId, evaluation.id, transaction);
    return (await this.starter.start(evaluation, parallelism - running, transaction)).started;
  }

  async areGraded({ workspaceId, id }: EvaluationEntity, transaction: Transaction): Promise<boolean> {
    if ((await this.trials.countRunning(workspaceId, id, transaction)) > 0) return false;
    return (await this.trials.pending(workspaceId, id, 1, transaction)).length === 0;
  }

  all({ workspaceId, id }: EvaluationEntity, transaction: Transaction): Promise<EvaluationTrialEntity[]> {
    return this.trials.all(workspaceId, id, transaction);
  }

  async sumUp(
    evaluation: EvaluationEntity,
    transaction: Transaction,
  ): Promise<{ cases: CaseCounts; costMicros: string }> {
    const trials = await this.all(evaluation, transaction);
    return { cases: caseCounts(trials), costMicros: costOf(trials) };
  }

  async cancel({ workspaceId, id }: EvaluationEntity, transaction: Transaction): Promise<void> {
    await this.trials.cancel(workspaceId, id, transaction);
  }

  async cancelRuns({ workspaceId, id, createdBy: actor }: EvaluationEntity): Promise<void> {
    const by = { reason: 'The evaluation was cancelled.', actor };
    for (const runId of await this.trials.openRuns(workspaceId, id)) await this.store.cancel(workspaceId, runId, by);
  }
}
