import { Controller, Get } from '@nestjs/common';
import { AuditTrail, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { type AuditEventResource, ListAuditEventsQuery } from './audit-event.dto.js';
import { AUDIT_EVENT_OPERATIONS } from './audit-event.operations.js';
import { auditEventList } from './audit-event.presenter.js';

@Controller('v1/audit-events')
export class AuditEventsController {
  constructor(
    private readonly trail: AuditTrail,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('audit:read')
  @AUDIT_EVENT_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListAuditEventsQuery,
  ): Promise<PagedList<AuditEventResource>> {
    return this.pages.answer(query, auditEventList(this.trail, workspaceId, query));
  }
}
