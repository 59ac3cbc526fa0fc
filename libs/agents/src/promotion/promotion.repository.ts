import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { AgentPromotionEntity } from '../records/agent-promotion.entity.js';
import type { AgentEntity } from '../records/agent.entity.js';
import type { EvaluatedVersion } from '../evaluations/evaluation.entity.js';

export type NewPromotion = Pick<AgentPromotionEntity, 'version' | 'previousVersion' | 'evaluationId' | 'promotedBy'>;

@Injectable()
export class PromotionRepository {
  latest({ workspaceId, id: agentId }: AgentEntity, { manager }: Transaction): Promise<AgentPromotionEntity | null> {
    return manager.findOne(AgentPromotionEntity, { where: { workspaceId, agentId }, order: { n: 'desc' } });
  }

  /** This is always true for version 1. */
  async wasInProduction(evaluated: EvaluatedVersion, { manager }: Transaction): Promise<boolean> {
    return evaluated.version === 1 || manager.existsBy(AgentPromotionEntity, { ...evaluated });
  }

  /** The caller must hold the lock of the agent. */
  async append(agent: AgentEntity, promotion: NewPromotion, transaction: Transaction): Promise<AgentPromotionEntity> {
    const { workspaceId, id: agentId } = agent;
    const table = transaction.manager.getRepository(AgentPromotionEntity);
    const n = ((await this.latest(agent, transaction))?.n ?? 0) + 1;
    await table.insert({ workspaceId, agentId, n, ...promotion });
    return table.findOneByOrFail({ workspaceId, agentId, n });
  }
}
