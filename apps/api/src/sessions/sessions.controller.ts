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
    description: 'Lists the current sessions of the caller in this workspace.',
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
      'Ends a session of the caller at once (with several API processes, within 10 seconds). Event streams of the session are closed.',
    204: { description: 'The session has ended.' },
  })
  endSession(@CurrentPrincipal() principal: Principal, @PathId('id', 'session') id: string): Promise<void> {
    return this.sessions.end(principal, id);
  }
}
