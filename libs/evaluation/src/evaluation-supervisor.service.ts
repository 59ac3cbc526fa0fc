import { DUE_EVALUATIONS, EvaluationsService } from '@app/agents';
import { Clock, type JsonObject } from '@app/kernel';
import { DueWorkService } from '@app/platform/database';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, type WorkerTask } from '@app/platform/periodic';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { evaluatedCase, RunReleasedListener } from '@app/runs';
import { EvaluationRunnerService } from './evaluation-runner.service.js';

const BATCH = 20;

/**
 * A periodic sweep also advances evaluations that no process has advanced for at least one second. If a process is
 * lost, its evaluations are therefore only delayed.
 */
@Injectable()
export class EvaluationSupervisorService extends RunReleasedListener implements OnModuleDestroy, WorkerTask {
  /**
   * The calls of `advance` that are in progress, by evaluation id. If `again` is true, the evaluation is advanced once
   * more when its current call has finished.
   */
  private readonly passes = new Map<string, { again: boolean; done: Promise<void> }>();

  /**
   * The requests to the judge model that are in progress, by evaluation id. During a request, `advance` still starts
   * and grades the other trials of the evaluation.
   */
  private readonly judging = new Map<string, Promise<void>>();

  private readonly sweeping: PeriodicTask;

  constructor(
    private readonly runner: EvaluationRunnerService,
    private readonly evaluations: EvaluationsService,
    clock: Clock,
    dueWork: DueWorkService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.sweeping = new PeriodicTask(clock, {
      pause: dueWork.untilDue(DUE_EVALUATIONS),
      work: (signal) => this.sweep(signal),
      onError: (error) => logger.warn({ err: error }, 'evaluations: sweep failed'),
    });
  }

  start(): void {
    this.sweeping.start();
  }

  stop(): Promise<void> {
    return this.sweeping.stop();
  }

  /** Waits for the work in progress, because this work needs the database connections that are closed next. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.judging.values());
    await Promise.all([...this.passes.values()].map(({ done }) => done));
  }

  runReleased({ workspaceId, trigger }: { workspaceId: string; trigger: JsonObject }): void {
    const evaluated = evaluatedCase(trigger);
    if (evaluated) void this.advance(workspaceId, evaluated.evaluation);
  }

  /**
   * If another call is already advancing it, that call advances it once more afterwards. The returned promise resolves
   * when the evaluation has been advanced with all data that was recorded before this call. The promise never rejects:
   * an error is logged, and the sweep advances the evaluation again.
   */
  advance(workspaceId: string, id: string): Promise<void> {
    const current = this.passes.get(id);
    if (current) {
      current.again = true;
      return current.done;
    }
    const pass = { again: false, done: Promise.resolve() };
    this.passes.set(id, pass);
    pass.done = this.advanceWhileRequested(workspaceId, id, pass);
    return pass.done;
  }

  /**
   * Cancels the open evaluations of an archived agent. The method only calls `advance`, which cancels each evaluation
   * whose agent is archived.
   */
  async cancelOfArchivedAgent(workspaceId: string, agentId: string): Promise<void> {
    for (const id of await this.evaluations.openOfAgent(workspaceId, agentId)) await this.advance(workspaceId, id);
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    for (const { workspaceId, id } of await this.evaluations.takeDue(BATCH)) {
      if (signal.aborted) return;
      await this.advance(workspaceId, id);
    }
  }

  private async advanceWhileRequested(workspaceId: string, id: string, pass: { again: boolean }): Promise<void> {
    try {
      do {
        pass.again = false;
        await this.runner.advance(workspaceId, id);
      } while (hasMore(pass));
      if (!this.judging.has(id)) this.judging.set(id, this.judge(workspaceId, id));
    } catch (error) {
      this.logger.warn({ err: error, evaluation: id }, 'evaluations: advancing an evaluation failed');
    } finally {
      this.passes.delete(id);
    }
  }

  private async judge(workspaceId: string, id: string): Promise<void> {
    let hasFound = false;
    try {
      hasFound = await this.runner.judge(workspaceId, id);
    } catch (error) {
      this.logger.warn({ err: error, evaluation: id }, 'evaluations: judging trials failed');
    } finally {
      this.judging.delete(id);
    }
    if (hasFound) await this.advance(workspaceId, id);
  }
}

function hasMore({ again }: { again: boolean }): boolean {
  return again;
}
