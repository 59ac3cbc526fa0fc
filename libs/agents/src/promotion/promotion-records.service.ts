import type { Transaction } from '@app/platform/database';
import { AuditLogService } from '@app/workspace';
import { recordEvent } from '@app/events';
import { Injectable } from '@nestjs/common';
import type { AgentPromotionEntity } from '../records/agent-promotion.entity.js';
import { AgentVersionRepository } from '../records/agent-version.repository.js';
import type { AgentEntity } from '../records/agent.entity.js';
import type { Actor } from '../lifecycle/agents.service.js';
import type { EvaluatedVersion, EvaluationEntity } from '../evaluations/evaluation.entity.js';
import type { EvaluationStatus } from '../records/evaluation-status.js';
import { EvaluationRepository } from '../evaluations/evaluation.repository.js';
import { PromotionRepository } from './promotion.repository.js';

/** If the version was already in production, this is the result of its earlier promotion. */
export interface Promoted {
  agentId: string;
  productionVersion: number;
  previousVersion: number | null;
  evaluation: { id: string; status: EvaluationStatus } | null;
  promotedAt: Date;
  promotedBy: string;
}

/** The caller must hold the lock of the agent. */
@Injectable()
export class PromotionRecordsService {
  constructor(
    private readonly promotions: PromotionRepository,
    private readonly evaluations: EvaluationRepository,
    private readonly versions: AgentVersionRepository,
    private readonly audit: AuditLogService,
  ) {}

  latestEvaluation(version: EvaluatedVersion, transaction: Transaction): Promise<EvaluationEntity | null> {
    return this.evaluations.latest(version, transaction);
  }

  wasInProduction(version: EvaluatedVersion, transaction: Transaction): Promise<boolean> {
    return this.promotions.wasInProduction(version, transaction);
  }

  /** If there is none, returns the creation of version 1 as the promotion. */
  async current(agent: AgentEntity, transaction: Transaction): Promise<Promoted> {
    const { workspaceId, id: agentId } = agent;
    const promotion = await this.promotions.latest(agent, transaction);
    if (promotion) {
      const id = promotion.evaluationId;
      const evaluation = id === null ? null : await this.evaluations.find(workspaceId, id, transaction);
      return promoted(promotion, evaluation);
    }
    const first = await this.versions.find(workspaceId, agentId, agent.productionVersion, transaction);
    return {
      agentId,
      productionVersion: agent.productionVersion,
      previousVersion: null,
      evaluation: null,
      promotedAt: agent.createdAt,
      promotedBy: first?.createdBy ?? '',
    };
  }

  /** Records that a version that was never promoted is run in mode `production`. */
  async addRun(
    actor: Actor,
    { agentId, version }: EvaluatedVersion,
    { runId, evaluation }: { runId: string; evaluation: EvaluationEntity | null },
    transaction: Transaction,
  ): Promise<void> {
    const detail = { version, run: runId, evaluation: evaluation?.id ?? null };
    await this.audit.record(actor, { action: 'agent.run_unpromoted', target: agentId, detail }, transaction);
  }

  async add(
    actor: Actor,
    agent: AgentEntity,
    { version, evaluation }: { version: number; evaluation: EvaluationEntity | null },
    transaction: Transaction,
  ): Promise<Promoted> {
    const { workspaceId, id: target, productionVersion: previousVersion } = agent;
    const record = { version, previousVersion, evaluationId: evaluation?.id ?? null, promotedBy: actor.email };
    const promotion = await this.promotions.append(agent, record, transaction);
    const detail = { production_version: version, previous_version: previousVersion, evaluation: record.evaluationId };
    await this.audit.record(actor, { action: 'agent.promote', target, detail }, transaction);
    const data = { agent: target, version, ...detail, promoted_by: actor.email };
    await recordEvent(workspaceId, { type: 'agent.promoted', data }, transaction);
    return promoted(promotion, evaluation);
  }
}

function promoted(promotion: AgentPromotionEntity, evaluation: EvaluationEntity | null): Promoted {
  const { agentId, version: productionVersion, previousVersion, promotedAt, promotedBy } = promotion;
  const based = evaluation && { id: evaluation.id, status: evaluation.status };
  return { agentId, productionVersion, previousVersion, evaluation: based, promotedAt, promotedBy };
}
