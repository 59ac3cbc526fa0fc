import { Controller, Get } from '@nestjs/common';
import { EventLog } from '@app/events';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { type EventResource, ListEventsQuery } from './event.dto.js';
import { EVENT_OPERATIONS } from './event.operations.js';
import { eventList } from './event.presenter.js';

@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly log: EventLog,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('runs:read')
  @EVENT_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: ListEventsQuery,
  ): Promise<PagedList<EventResource>> {
    return this.pages.answer(query, eventList(this.log, workspaceId, query));
  }
}
