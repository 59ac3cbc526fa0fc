import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type Principal, SavedViewsService } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  ChangeSavedViewBody,
  CreateSavedViewBody,
  ListSavedViewsQuery,
  presentSavedView,
  SavedViewResource,
} from './saved-views.api.js';

@Tag('Workspace')
@Controller('v1/saved-views')
export class SavedViewsController {
  constructor(
    private readonly views: SavedViewsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('runs:read')
  @Operation('List saved views', {
    description: 'Lists the own views and the shared ones.',
    200: { description: 'One page of views.', page: SavedViewResource },
  })
  listSavedViews(
    @CurrentPrincipal() caller: Principal,
    @QueryParameters() query: ListSavedViewsQuery,
  ): Promise<PagedList<SavedViewResource>> {
    const { workspaceId } = caller;
    return this.pages.answer(query, {
      list: 'saved-views',
      workspaceId,
      filters: { screen: query.screen ?? null, member: caller.memberId },
      read: (page) => this.views.list(caller, query.screen, page),
      present: presentSavedView,
    });
  }

  @Post()
  @RequireScopes('runs:read')
  @RequireLive()
  @Operation('Save a view', {
    description:
      'Saves filters under a name. A shared view requires `agents:run`. A member and a workspace have at most 100 views each.',
    201: { description: 'The new view.', type: SavedViewResource, location: 'Address of the view.' },
    problems: ['name_taken', 'limit_reached'],
  })
  async createSavedView(
    @CurrentPrincipal() caller: Principal,
    @JsonBody() { screen, name, query, shared = false }: CreateSavedViewBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SavedViewResource> {
    const wanted = { screen, name, query, shared };
    const { result } = answered(response, await this.views.create(caller, wanted, claimOf(wanted)));
    return created(response, `/v1/saved-views/${result.id}`, presentSavedView(result));
  }

  @Get(':id')
  @RequireScopes('runs:read')
  @Operation('Get a saved view', {
    description: 'Returns one view.',
    200: { description: 'The view.', type: SavedViewResource },
  })
  async getSavedView(
    @CurrentPrincipal() caller: Principal,
    @PathId('id', 'savedView') id: string,
  ): Promise<SavedViewResource> {
    return presentSavedView(await this.views.get(caller, id));
  }

  @Patch(':id')
  @RequireScopes('runs:read')
  @RequireLive()
  @Operation('Change a saved view', {
    description: 'Changes the given fields. A shared view requires `agents:run`.',
    200: { description: 'The view.', type: SavedViewResource },
    problems: ['name_taken', 'limit_reached'],
  })
  async changeSavedView(
    @CurrentPrincipal() caller: Principal,
    @PathId('id', 'savedView') id: string,
    @JsonBody() { name, query, shared }: ChangeSavedViewBody,
  ): Promise<SavedViewResource> {
    return presentSavedView(await this.views.change(caller, id, { name, query, shared }));
  }

  @Delete(':id')
  @RequireScopes('runs:read')
  @RequireLive()
  @Operation('Delete a saved view', {
    description: 'Deletes the view. A shared view requires `agents:run`.',
    204: { description: 'The view is deleted.' },
  })
  deleteSavedView(@CurrentPrincipal() caller: Principal, @PathId('id', 'savedView') id: string): Promise<void> {
    return this.views.delete(caller, id);
  }
}
