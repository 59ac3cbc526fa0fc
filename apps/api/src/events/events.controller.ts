import { Controller, Get } from '@nestjs/common';
import { EventStore, presentEvent } from '@app/events';
import { agentsOf, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import { CurrentPrincipal, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { eventFilters, EventResource, ListEventsQuery } from './events.api.js';

@Tag('Events')
@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly log: EventStore,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('runs:read')
  @Operation('List events', {
    description:
      'Lists events with the ids and content of their webhook messages, so that you can process missed ' +
      'messages. If no message is stored (no endpoint was subscribed, or `WEBHOOK_RETENTION_DAYS` have passed, by default 30), `data` shows the current state of the ' +
      'run or approval.',
    200: { description: 'One page of events.', page: EventResource },
  })
  listEvents(
    @CurrentPrincipal() principal: Principal,
    @QueryParameters() query: ListEventsQuery,
  ): Promise<PagedList<EventResource>> {
    const { workspaceId } = principal;
    const { type: types, agent: agentId, since, until } = query;
    return this.pages.answer(query, {
      list: 'events',
      workspaceId,
      filters: eventFilters(query),
      read: (page) => this.log.list(workspaceId, { types, agentId, agents: agentsOf(principal), since, until }, page),
      present: presentEvent,
    });
  }
}
