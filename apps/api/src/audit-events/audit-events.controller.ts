import { Controller, Get } from '@nestjs/common';
import { AuditLogService, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  AuditEventResource,
  auditFilter,
  auditFilters,
  ListAuditEventsQuery,
  presentAuditEvent,
} from './audit-events.api.js';

@Tag('Workspace')
@Controller('v1/audit-events')
export class AuditEventsController {
  constructor(
    private readonly trail: AuditLogService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('audit:read')
  @Operation('List audit events', {
    description: 'Lists recorded actions: changes, decisions, stops, and rejected attempts at sensitive actions.',
    200: { description: 'One page of the audit log.', page: AuditEventResource },
  })
  listAuditEvents(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: ListAuditEventsQuery,
  ): Promise<PagedList<AuditEventResource>> {
    const { workspaceId } = principal;
    const filter = auditFilter(query, principal);
    return this.pages.answer(query, {
      list: 'audit-events',
      workspaceId,
      filters: auditFilters(filter),
      read: (page) => this.trail.list(workspaceId, filter, page),
      present: presentAuditEvent,
    });
  }
}
