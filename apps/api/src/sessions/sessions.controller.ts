import { Controller, Delete, Get } from '@nestjs/common';
import { type Principal, SessionsService } from '@app/workspace';
import { AnyKey } from '../http/access.decorators.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import { CurrentPrincipal, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentSession, SessionResource } from './sessions.api.js';

@Tag('Sign-in')
@Controller('v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @AnyKey()
  @Operation('List sessions', {
    description: 'Lists the sessions of the calling member in this workspace that have not ended.',
    200: { description: 'One page of sessions.', page: SessionResource },
  })
  listSessions(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<SessionResource>> {
    const { workspaceId, memberId, session } = principal;
    return this.pages.answer(query, {
      list: 'sessions',
      workspaceId,
      filters: { member: memberId },
      read: (page) => this.sessions.list(principal, page),
      present: (each) => presentSession(each, session?.id),
    });
  }

  @Delete(':id')
  @AnyKey()
  @Operation('End a session', {
    description:
      'Ends a session of the calling member at once (in a fleet within 10 seconds), also on its open event streams.',
    204: { description: 'Ended.' },
  })
  endSession(@CurrentPrincipal() principal: Principal, @PathId('id', 'session') id: string): Promise<void> {
    return this.sessions.end(principal, id);
  }
}
