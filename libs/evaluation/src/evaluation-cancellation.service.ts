import { Evaluations, isOpen } from '@app/agents';
import { Transactions } from '@app/platform/database';
import { AuditLog } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { EvaluationKeeper } from './evaluation-keeper.service.js';
import { EvaluationRunner } from './evaluation-runner.service.js';

@Injectable()
export class EvaluationCancellation {
  constructor(
    private readonly transactions: Transactions,
    private readonly evaluations: Evaluations,
    private readonly runner: EvaluationRunner,
    private readonly keeper: EvaluationKeeper,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError `not_found` */
  async cancel(actor: { workspaceId: string; email: string }, id: string): Promise<void> {
    const { workspaceId } = actor;
    await this.evaluations.get(workspaceId, id);
    await this.transactions.run(async (transaction) => {
      const locked = await this.evaluations.lock(workspaceId, id, transaction);
      if (!locked || !isOpen(locked.evaluation.status)) return;
      await this.runner.cancel(locked.evaluation, transaction);
      const detail = { version: locked.evaluation.version, evaluation: id };
      const target = locked.evaluation.agentId;
      await this.audit.record(actor, { action: 'evaluation.cancel', target, detail }, transaction);
    });
    await this.keeper.look(workspaceId, id);
  }

  /** Advances the open evaluations of an archived agent; the runner then cancels them. */
  async archived(workspaceId: string, agentId: string): Promise<void> {
    for (const id of await this.evaluations.openOfAgent(workspaceId, agentId)) await this.keeper.look(workspaceId, id);
  }
}
