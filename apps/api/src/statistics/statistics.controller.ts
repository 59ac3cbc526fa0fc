import { Controller, Get } from '@nestjs/common';
import { ErrorGroupsService, RunStatisticsService } from '@app/runs';
import { agentsOf, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  ErrorGroupPage,
  ErrorGroupsQuery,
  presentErrorGroups,
  presentStatistics,
  RunStatistics,
  RunStatisticsQuery,
} from './statistics.api.js';

@Tag('Runs')
@Controller('v1/statistics')
export class StatisticsController {
  constructor(
    private readonly statistics: RunStatisticsService,
    private readonly errors: ErrorGroupsService,
  ) {}

  @Get('runs')
  @RequireScopes('runs:read')
  @Operation('Get run statistics', {
    description:
      'Returns the number, duration and cost of ended runs by the UTC hour or day in which they ended. A run is counted ' +
      'within ten seconds after it ends. The period covers at most 31 days with hourly buckets and 366 days with daily ' +
      'buckets. Hourly buckets are kept for 93 days.',
    200: { description: 'The statistics.', type: RunStatistics },
  })
  async getRunStatistics(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() { bucket, group_by, mode, since, until }: RunStatisticsQuery,
  ): Promise<RunStatistics> {
    const question = { bucket, groupBy: group_by, mode, since, until, agents: agentsOf(principal) };
    return presentStatistics(group_by, await this.statistics.sumRuns(principal.workspaceId, question));
  }

  @Get('errors')
  @RequireScopes('runs:read')
  @Operation('Get groups of errors', {
    description:
      'Groups failed runs by agent, error code, step and message without its ids and numbers. Reads the newest 5,000 ' +
      'failed runs of the period, which has at most 31 days, and returns the 100 largest groups.',
    200: { description: 'The groups.', type: ErrorGroupPage },
  })
  async getErrorGroups(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() { agent: agentId, mode, since, until }: ErrorGroupsQuery,
  ): Promise<ErrorGroupPage> {
    const question = { agentId, mode, since, until, agents: agentsOf(principal) };
    return presentErrorGroups(await this.errors.read(principal.workspaceId, question));
  }
}
