import { Controller, Get } from '@nestjs/common';
import { UsageQueriesService } from '@app/runs';
import { agentsOf, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentUsage, UsageQuery, usageQuestion, UsageReport } from './usage.api.js';

@Tag('Workspace')
@Controller('v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageQueriesService) {}

  @Get()
  @RequireScopes('runs:read')
  @Operation('Get usage', {
    description: 'Returns runs, tokens and cost by agent, day or model. The period covers at most 366 days.',
    200: { description: 'The sums.', type: UsageReport },
  })
  async getUsage(@CurrentPrincipal() principal: Principal, @QueryParameters() query: UsageQuery): Promise<UsageReport> {
    return presentUsage(
      await this.usage.sums(principal.workspaceId, { ...usageQuestion(query), agents: agentsOf(principal) }),
    );
  }
}
