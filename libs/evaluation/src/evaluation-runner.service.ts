import { CompiledVersionsService, type EvaluationEntity, EvaluationsService, isOpen } from '@app/agents';
import { type Transaction, Transactions } from '@app/platform/database';
import { JobQueueService } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { executeRun } from '@app/runs';
import { CaseFilesService } from './case-files.service.js';
import { evaluationOutcome } from './evaluation-outcome.js';
import { EvaluationTrialsService } from './evaluation-trials.service.js';
import { TrialGradingService } from './trial-grading.service.js';

/**
 * Maximum number of open runs of one evaluation. It is three times the default concurrency of a worker, so that workers
 * have runs to execute while ended runs are graded.
 */
const CONCURRENT_RUNS = 48;
/** Further evaluations stay queued. */
const RUNNING_AT_ONCE = 4;

/**
 * Each call of `advance` locks the evaluation and depends only on recorded data. Any process can repeat the call, and
 * no work is lost if a process is killed.
 */
@Injectable()
export class EvaluationRunnerService {
  constructor(
    private readonly transactions: Transactions,
    private readonly evaluations: EvaluationsService,
    private readonly trials: EvaluationTrialsService,
    private readonly grading: TrialGradingService,
    private readonly versions: CompiledVersionsService,
    readonly files: CaseFilesService,
    private readonly queue: JobQueueService,
  ) {}

  async advance(workspaceId: string, id: string): Promise<void> {
    const { agentId, version, baselineVersion, status, settled } = await this.evaluations.get(workspaceId, id);
    if (settled) return;
    if (!isOpen(status)) return this.settle(workspaceId, id);
    // The versions are compiled before the transaction. Inside the transaction, compiling would need a second database
    // connection.
    await this.versions.get(workspaceId, agentId, version);
    if (baselineVersion !== null) await this.versions.get(workspaceId, agentId, baselineVersion);
    // Starting and grading are two transactions, so that the new runs begin while ended runs are graded.
    const started = await this.locked(workspaceId, id, async (evaluation, isArchived, transaction) => {
      if (!isArchived) return this.startMore(evaluation, transaction);
      await this.cancel(evaluation, transaction);
      return undefined;
    });
    if (!started) return this.settle(workspaceId, id);
    for (const runId of started) this.queue.enqueue(executeRun, { runId });
    await this.locked(workspaceId, id, async (evaluation, isArchived, transaction) => {
      if (!isArchived && evaluation.status === 'running') await this.grade(evaluation, transaction);
      return [];
    });
  }

  /** Returns true if it judged at least one trial, which can then be graded. */
  async judge(workspaceId: string, id: string): Promise<boolean> {
    const evaluation = await this.evaluations.get(workspaceId, id);
    return evaluation.status === 'running' && (await this.grading.judgeEnded(evaluation));
  }

  /** Calls `record` in the same transaction. */
  async cancelOpen(
    workspaceId: string,
    id: string,
    record: (evaluation: EvaluationEntity, transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.locked(workspaceId, id, async (evaluation, _isArchived, transaction) => {
      await this.cancel(evaluation, transaction);
      await record(evaluation, transaction);
      return [];
    });
  }

  /** The next call of `advance` cancels the runs of the evaluation. */
  private async cancel(evaluation: EvaluationEntity, transaction: Transaction): Promise<void> {
    const { cases, costMicros } = await this.trials.sumUp(evaluation, transaction);
    await this.trials.cancel(evaluation, transaction);
    const nothing = { passRate: null, confidenceLow: null };
    const gate = { result: 'inconclusive' as const, reasons: ['The evaluation was cancelled.'] };
    const outcome = { status: 'cancelled' as const, cases, gate, costMicros, ...nothing, settled: false };
    await this.end(evaluation, outcome, transaction);
  }

  private locked(
    workspaceId: string,
    id: string,
    work: (
      evaluation: EvaluationEntity,
      isArchived: boolean,
      transaction: Transaction,
    ) => Promise<string[] | undefined>,
  ): Promise<string[] | undefined> {
    return this.transactions.run(async (transaction) => {
      const locked = await this.evaluations.lock(workspaceId, id, transaction);
      if (!locked || !isOpen(locked.evaluation.status)) return [];
      return work(locked.evaluation, locked.isArchived, transaction);
    });
  }

  private async startMore(evaluation: EvaluationEntity, transaction: Transaction): Promise<string[]> {
    if (!(await this.hasItsTurn(evaluation, transaction))) return [];
    const started = await this.trials.startPending(evaluation, CONCURRENT_RUNS, transaction);
    await this.evaluations.change(evaluation, { status: 'running' }, transaction);
    return started;
  }

  private async grade(evaluation: EvaluationEntity, transaction: Transaction): Promise<void> {
    await this.trials.gradeEnded(evaluation, transaction);
    if (!(await this.trials.areGraded(evaluation, transaction))) return;
    const { workspaceId, agentId, version } = evaluation;
    const definition = await this.versions.get(workspaceId, agentId, version);
    const all = await this.trials.all(evaluation, transaction);
    await this.end(evaluation, evaluationOutcome(definition, all), transaction);
  }

  private async end(
    evaluation: EvaluationEntity,
    outcome: Parameters<EvaluationsService['end']>[1],
    transaction: Transaction,
  ): Promise<void> {
    await this.evaluations.end(evaluation, outcome, transaction);
    await this.files.release(evaluation.id, transaction);
  }

  private async hasItsTurn({ workspaceId, status }: EvaluationEntity, transaction: Transaction): Promise<boolean> {
    if (status === 'running') return true;
    return (await this.evaluations.countRunning(workspaceId, transaction)) < RUNNING_AT_ONCE;
  }

  private async settle(workspaceId: string, id: string): Promise<void> {
    const evaluation = await this.evaluations.get(workspaceId, id);
    await this.trials.cancelRuns(evaluation);
    await this.transactions.run((transaction) => this.evaluations.change(evaluation, { settled: true }, transaction));
  }
}
