import { CompiledVersions, type EvaluationEntity, Evaluations, isOpen } from '@app/agents';
import { type Transaction, Transactions } from '@app/platform/database';
import { JobQueueService } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { executeRun } from '@app/runs';
import { evaluationOutcome } from './evaluation-outcome.js';
import { EvaluationTrials } from './evaluation-trials.service.js';

/** Of one workspace; further ones are queued until their turn. */
/** Runs of one evaluation at the same time: three times what one worker does by default, so that no slot idles during grading. */
const CONCURRENT_RUNS = 48;
const RUNNING_AT_ONCE = 4;

/**
 * Sees to evaluations: starts what there is room for, grades what has ended, and ends what is complete. Each look takes the
 * lock of the evaluation and depends on nothing but what is recorded, so anybody may look at any time, as
 * often as they like, and whoever is killed leaves nothing behind.
 */
@Injectable()
export class EvaluationRunner {
  constructor(
    private readonly transactions: Transactions,
    private readonly evaluations: Evaluations,
    private readonly trials: EvaluationTrials,
    private readonly versions: CompiledVersions,
    private readonly queue: JobQueueService,
  ) {}

  async look(workspaceId: string, id: string): Promise<void> {
    const { agentId, version, baselineVersion, status, settled } = await this.evaluations.get(workspaceId, id);
    if (settled) return;
    if (!isOpen(status)) return this.settle(workspaceId, id);
    // Compiled before the transaction, which has one connection and needs no other.
    await this.versions.get(workspaceId, agentId, version);
    if (baselineVersion !== null) await this.versions.get(workspaceId, agentId, baselineVersion);
    // Two commits: the next runs begin while the last ones are graded.
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

  /** Asks a model about what has ended and needs it. Whether there is something to grade now. */
  async judge(workspaceId: string, id: string): Promise<boolean> {
    const evaluation = await this.evaluations.get(workspaceId, id);
    return evaluation.status === 'running' && (await this.trials.judge(evaluation));
  }

  /** Ends it without a verdict. The caller holds the lock and has found it open; its runs are cancelled by the next look. */
  async cancel(evaluation: EvaluationEntity, transaction: Transaction): Promise<void> {
    const { cases, costMicros } = await this.trials.sumUp(evaluation, transaction);
    await this.trials.cancel(evaluation, transaction);
    const nothing = { passRate: null, confidenceLow: null };
    const gate = { result: 'inconclusive' as const, reasons: ['The evaluation was cancelled.'] };
    const outcome = { status: 'cancelled' as const, cases, gate, costMicros, ...nothing, settled: false };
    await this.evaluations.end(evaluation, outcome, transaction);
  }

  /** Under the lock of the evaluation while it is open; nothing is done once it has ended. */
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
    await this.evaluations.end(evaluation, evaluationOutcome(definition, all), transaction);
  }

  private async hasItsTurn({ workspaceId, status }: EvaluationEntity, transaction: Transaction): Promise<boolean> {
    if (status === 'running') return true;
    return (await this.evaluations.countRunning(workspaceId, transaction)) < RUNNING_AT_ONCE;
  }

  /** Of a cancelled one: its runs end, whoever was at it before. */
  private async settle(workspaceId: string, id: string): Promise<void> {
    const evaluation = await this.evaluations.get(workspaceId, id);
    await this.trials.cancelRuns(evaluation);
    await this.transactions.run((transaction) => this.evaluations.change(evaluation, { settled: true }, transaction));
  }
}
