import { Controller, Get } from '@nestjs/common';
import { RunStatisticsService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentStatistics, RunStatistics, RunStatisticsQuery } from './statistics.api.js';

@Tag('Runs')
@Controller('v1/statistics')
export class StatisticsController {
  constructor(private readonly statistics: RunStatisticsService) {}

  @Get('runs')
  @RequireScopes('runs:read')
  @Operation('Get run statistics', {
    description:
      'Returns number, duration and cost of ended runs by the UTC hour or day of their end. A run is counted at most ten seconds ' +
      'after its end. The period is at most 31 days in hours and 366 days in days; hours are kept for 93 days.',
    200: { description: 'The statistics.', type: RunStatistics },
  })
  async getRunStatistics(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() { bucket, group_by, since, until }: RunStatisticsQuery,
  ): Promise<RunStatistics> {
    const question = { bucket, groupBy: group_by, since, until };
    return presentStatistics(group_by, await this.statistics.sumRuns(workspaceId, question));
  }
}
