import { Controller, HttpCode, Post } from '@nestjs/common';
import { Promotions } from '@app/agents';
import type { Principal } from '@app/workspace';
import type { ExpectedVersions } from '@app/kernel';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, PathId, PathVersion } from '../http/request-decorators.js';
import { IfMatch } from '../http/entity-tag.js';
import { AgentChanges } from './agent-changes.js';
import type { PromotionResource } from './promotion.dto.js';
import { PROMOTION_OPERATIONS } from './promotion.operations.js';

@Controller('v1/agents/:id/versions/:n/promote')
export class PromotionsController {
  constructor(
    private readonly promotions: Promotions,
    private readonly changes: AgentChanges,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScopes('agents:promote')
  @PROMOTION_OPERATIONS.promote
  promote(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'agent') id: string,
    @PathVersion('n') n: number,
    @IfMatch() expected: ExpectedVersions,
  ): Promise<PromotionResource> {
    return this.changes.promotion(actor, expected, (is) => this.promotions.promote(actor, id, n, is));
  }
}
