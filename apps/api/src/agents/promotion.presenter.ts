import type { Promoted } from '@app/agents';
import type { PromotionResource } from './promotion.dto.js';

export function presentPromotion(promoted: Promoted): PromotionResource {
  return {
    agent: promoted.agentId,
    production_version: promoted.productionVersion,
    previous_version: promoted.previousVersion,
    evaluation: promoted.evaluation,
    promoted_at: promoted.promotedAt.toISOString(),
    promoted_by: promoted.promotedBy,
  };
}
