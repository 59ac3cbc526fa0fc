import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiExtraModels } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Principal } from '@app/workspace';
import { RequireAnyScope, RequireScopes } from '../http/access.decorators.js';
import { accepted, answered } from '../http/answers.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { PAGE_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { RunsFilter } from '../runs/run-filters.api.js';
import { BulkActionRequestsService } from './bulk-action-requests.service.js';
import { BULK_ACTION_EXAMPLES, BulkActionQuery, BulkActionResource, CreateBulkActionBody } from './bulk-actions.api.js';

@Tag('Runs')
@ApiExtraModels(RunsFilter)
@Controller('v1/bulk-actions')
export class BulkActionsController {
  constructor(private readonly requests: BulkActionRequestsService) {}

  @Post()
  @RequireAnyScope('runs:cancel', 'agents:run')
  @Operation('Cancel or replay many runs', {
    description:
      'Selects runs by exactly one of `ids` and `filter` when the call is accepted. Each selected run is then ' +
      'cancelled or replayed once, in the background. Read the progress with `GET /v1/bulk-actions/{id}`. If ' +
      'the action is rejected for a run, the result of that run contains the error code, for example ' +
      '`run_not_cancellable` or `agent_archived`. During an emergency stop, runs can be cancelled but not ' +
      'replayed (code `workspace_stopped`). A replay uses the recorded results, as `POST /v1/runs/{id}/replay` does. `cancel` requires ' +
      'the scope `runs:cancel`, `replay` the scope `agents:run`. A workspace has at most 100 bulk actions that ' +
      'are not completed; a further call is rejected with 429 `rate_limited`. A bulk action is deleted 31 days ' +
      'after it is completed.',
    202: {
      description: 'The accepted bulk action, with the first page of its results.',
      type: BulkActionResource,
      location: 'Address of the bulk action.',
    },
    problems: ['test_key_production_mode', 'rate_limited'],
  })
  async createBulkAction(
    @CurrentPrincipal() principal: Principal,
    @JsonBody(BULK_ACTION_EXAMPLES) body: CreateBulkActionBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BulkActionResource> {
    const { result } = answered(response, await this.requests.accept(principal, body, claimOf));
    return accepted(response, `/v1/bulk-actions/${result.id}`, result);
  }

  @Get(':id')
  @RequireScopes('runs:read')
  @Operation('Get a bulk action', {
    description: 'Returns the progress of the bulk action and one page of its results.',
    200: { description: 'The bulk action.', type: BulkActionResource },
    problems: PAGE_PROBLEMS,
  })
  getBulkAction(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'bulkAction') id: string,
    @QueryParameters() query: BulkActionQuery,
  ): Promise<BulkActionResource> {
    return this.requests.get(principal, id, query);
  }
}
