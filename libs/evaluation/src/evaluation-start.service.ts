import { type EvaluatedVersion, type EvaluationEntity, EvaluationsService } from '@app/agents';
import { DomainError, newId } from '@app/kernel';
import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { StorageAlarmService, type Transaction } from '@app/platform/database';
import { AuditLogService, type IdempotencyClaim, IdempotencyStore, WorkspaceStore } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { caseCounts } from './evaluation-outcome.js';
import type { PlannedTrial } from './evaluation-plan.js';
import { TrialsRepository } from './trials.repository.js';

interface Actor {
  workspaceId: string;
  email: string;
}

@Injectable()
export class EvaluationStartService {
  constructor(
    private readonly requests: IdempotencyStore,
    private readonly evaluations: EvaluationsService,
    private readonly trials: TrialsRepository,
    private readonly audit: AuditLogService,
    private readonly workspaces: WorkspaceStore,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
    private readonly storage: StorageAlarmService,
  ) {}

  /**
   * Records the evaluation with all its trials. If the version already has an open evaluation, returns that evaluation
   * and records nothing.
   * @throws DomainError `workspace_stopped`, and `unavailable` while the disk of the database is full
   */
  async startEvaluation(
    actor: Actor,
    evaluated: EvaluatedVersion,
    { compares, plan }: { compares: boolean; plan: (withBaseline: boolean) => PlannedTrial[] },
    claim?: IdempotencyClaim,
  ): Promise<{ evaluation: EvaluationEntity; created: boolean; replayed: boolean }> {
    const { workspaceId, agentId, version } = evaluated;
    this.storage.assertOff();
    if ((await this.workspaces.get(workspaceId)).state === 'stopped') throw stopped();
    const { result, replayed } = await this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const { productionVersion } = await this.evaluations.lockAgent(workspaceId, agentId, transaction);
      const open = await this.evaluations.findOpen(evaluated, transaction);
      if (open) return { evaluation: open, created: false };
      const baselineVersion = compares ? productionVersion : null;
      const trials = plan(compares && productionVersion !== version);
      const evaluation = await this.add(actor, { ...evaluated, baselineVersion }, trials, transaction);
      return { evaluation, created: true };
    });
    return { ...result, replayed };
  }

  private async add(
    actor: Actor,
    { baselineVersion, ...evaluated }: EvaluatedVersion & { baselineVersion: number | null },
    trials: readonly PlannedTrial[],
    transaction: Transaction,
  ): Promise<EvaluationEntity> {
    const { currency } = this.config;
    const cases = caseCounts(
      trials.map((trial) => ({ ...trial, status: 'pending', costMicros: '0', judgeCostMicros: '0', durationMs: null })),
    );
    const record = { id: newId('evaluation'), ...evaluated, baselineVersion, cases, currency, createdBy: actor.email };
    const evaluation = await this.evaluations.add(record, transaction);
    await this.trials.insert(evaluation, trials, transaction);
    const detail = { version: evaluated.version, evaluation: evaluation.id };
    await this.audit.record(actor, { action: 'agent.evaluate', target: evaluated.agentId, detail }, transaction);
    return evaluation;
  }
}

function stopped(): DomainError {
  return new DomainError(
    'workspace_stopped',
    'The workspace is stopped. Evaluate the version again after an admin has resumed the workspace.',
  );
}
