import { EvaluationsService, isOpen } from '@app/agents';
import { Transactions } from '@app/platform/database';
import { AuditLogService } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { EvaluationSupervisorService } from './evaluation-supervisor.service.js';
import { EvaluationRunnerService } from './evaluation-runner.service.js';

@Injectable()
export class EvaluationCancellationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly evaluations: EvaluationsService,
    private readonly runner: EvaluationRunnerService,
    private readonly supervisor: EvaluationSupervisorService,
    private readonly audit: AuditLogService,
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
    await this.supervisor.advance(workspaceId, id);
  }

  /**
   * Cancels the open evaluations of an archived agent. The method only calls `advance`, which cancels each evaluation
   * whose agent is archived.
   */
  async cancelOfArchivedAgent(workspaceId: string, agentId: string): Promise<void> {
    for (const id of await this.evaluations.openOfAgent(workspaceId, agentId))
      await this.supervisor.advance(workspaceId, id);
  }
}
