import { Evaluations } from '@app/agents';
import { Clock, type JsonObject } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask, workerConfig, type WorkerConfig, type WorkerTask } from '@app/platform/periodic';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { evaluatedCase, RunReleasedListener } from '@app/runs';
import { EvaluationRunner } from './evaluation-runner.service.js';

const BATCH = 20;

/**
 * Advances evaluations when this process releases one of their runs, and periodically those that no process has
 * advanced for a while. A lost process therefore only delays an evaluation.
 */
@Injectable()
export class EvaluationKeeper extends RunReleasedListener implements OnModuleDestroy, WorkerTask {
  /** Evaluations that are being advanced. `again` is set if another event arrives meanwhile. */
  private readonly looks = new Map<string, { again: boolean; done: Promise<void> }>();

  /** Evaluations with running judge requests. Their other trials continue. */
  private readonly judging = new Map<string, Promise<void>>();

  private readonly sweeping: PeriodicTask;

  constructor(
    private readonly runner: EvaluationRunner,
    private readonly evaluations: Evaluations,
    clock: Clock,
    @Inject(workerConfig.KEY) config: WorkerConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.sweeping = new PeriodicTask(clock, {
      everyMillis: config.sweepMillis,
      waitsFirst: true,
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

  /** Waits for running work before the connections are closed. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.judging.values());
    await Promise.all([...this.looks.values()].map(({ done }) => done));
  }

  runReleased({ workspaceId, trigger }: { workspaceId: string; trigger: JsonObject }): void {
    const evaluated = evaluatedCase(trigger);
    if (evaluated) void this.look(workspaceId, evaluated.evaluation);
  }

  /** Resolves when a pass that began after this call has finished. Never rejects: the next pass repeats failed work. */
  look(workspaceId: string, id: string): Promise<void> {
    const current = this.looks.get(id);
    if (current) {
      current.again = true;
      return current.done;
    }
    const look = { again: false, done: Promise.resolve() };
    this.looks.set(id, look);
    look.done = this.repeat(workspaceId, id, look);
    return look.done;
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    for (const { workspaceId, id } of await this.evaluations.takeDue(BATCH)) {
      if (signal.aborted) return;
      await this.look(workspaceId, id);
    }
  }

  private async repeat(workspaceId: string, id: string, look: { again: boolean }): Promise<void> {
    try {
      do {
        look.again = false;
        await this.runner.look(workspaceId, id);
      } while (hasMore(look));
      if (!this.judging.has(id)) this.judging.set(id, this.judge(workspaceId, id));
    } catch (error) {
      this.logger.warn({ err: error, evaluation: id }, 'looking at an evaluation failed');
    } finally {
      this.looks.delete(id);
    }
  }

  private async judge(workspaceId: string, id: string): Promise<void> {
    let hasFound = false;
    try {
      hasFound = await this.runner.judge(workspaceId, id);
    } catch (error) {
      this.logger.warn({ err: error, evaluation: id }, 'judging an evaluation failed');
    } finally {
      this.judging.delete(id);
    }
    if (hasFound) await this.look(workspaceId, id);
  }
}

function hasMore({ again }: { again: boolean }): boolean {
  return again;
}
