import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { answerChanges, ChangesQuery, WorkspaceChanges } from './changes.api.js';
import { ChangesReaderService } from './changes-reader.service.js';

@Tag('Runs')
@Controller('v1/changes')
export class ChangesController {
  constructor(private readonly changes: ChangesReaderService) {}

  @Get()
  @RequireScopes('runs:read', 'approvals:read')
  @Operation('List changes', {
    description:
      'Returns the runs that were created or changed their status and the agents that were created or changed since ' +
      'the previous call, and the current state of the workspace. No change is lost; an entry can be in more than one ' +
      'response. Without `since`, the response contains only the current state. `since` is valid for `CURSOR_HOURS` (default 24 hours), then rejected with 400 `cursor_expired`.',
    200: { description: 'The changes.', type: WorkspaceChanges },
    204: { description: 'Nothing changed. Use the same `since` again.' },
    problems: ['invalid_cursor', 'cursor_expired'],
  })
  async readChanges(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() { since }: ChangesQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WorkspaceChanges | undefined> {
    return answerChanges(response, await this.changes.read(principal, since));
  }
}
