import { Evaluations } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { evaluatedCase } from './evaluation-trigger.js';
import { EvaluationRunner } from './evaluation-runner.service.js';

const BATCH = 20;

/**
 * Has evaluations looked at when there is something to see: at once when one of their runs has left this process, and again
 * when nobody has looked for a while, which covers whatever was lost.
 */
@Injectable()
export class EvaluationKeeper implements OnModuleDestroy {
  /** Evaluations that are being looked at, and whether something has happened since that look began. */
  private readonly looks = new Map<string, { again: boolean; done: Promise<void> }>();

  /** Evaluations that a model is asked about: meanwhile their other runs are seen to. */
  private readonly judging = new Map<string, Promise<void>>();

  constructor(
    private readonly runner: EvaluationRunner,
    private readonly evaluations: Evaluations,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** What is under way is finished before the connections are closed. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.judging.values());
    await Promise.all([...this.looks.values()].map(({ done }) => done));
  }

  /** A run that this process had in hand has ended or been let go. Returns at once. */
  runLeft({ workspaceId, trigger }: { workspaceId: string; trigger: JsonObject }): void {
    const evaluated = evaluatedCase(trigger);
    if (evaluated) void this.look(workspaceId, evaluated.evaluation);
  }

  /** Resolves when somebody has looked after this call. Never rejects: the next look makes up for one that failed. */
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

  /** Looks at what nobody has seen to for a while. */
  async tend(signal: AbortSignal): Promise<void> {
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
