import { Controller, Get } from '@nestjs/common';
import { UsageQueries } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { UsageQuery, type UsageReport } from './usage.dto.js';
import { USAGE_OPERATIONS } from './usage.operations.js';
import { presentUsage, usageQuestion } from './usage.presenter.js';

@Controller('v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageQueries) {}

  @Get()
  @RequireScopes('runs:read')
  @USAGE_OPERATIONS.report
  async report(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: UsageQuery,
  ): Promise<UsageReport> {
    return presentUsage(await this.usage.sums(workspaceId, usageQuestion(query)));
  }
}
