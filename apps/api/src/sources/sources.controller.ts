import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  type KnowledgeSourceEntity,
  KnowledgeSourcesService,
  SourceAuthorizationsService,
  SourceSyncsService,
  SourceTestsService,
} from '@app/knowledge';
import { SnapshotsService } from '@app/platform/database';
import type { Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  JsonBody,
  PathId,
  QueryParameters,
} from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import { type PlacedSource, SourceOfPath } from '../syncs/source-place.js';
import {
  AuthorizationResource,
  ChangeSourceBody,
  CreateSourceBody,
  sourceContent,
  SourceResource,
  SourceScopesResource,
  SourceTestResource,
  TestSourceBody,
} from './sources.api.js';
import {
  presentAuthorization,
  presentScopes,
  presentSource,
  presentTest,
  type SourceWithSync,
} from './sources.view.js';

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id/sources')
export class SourcesController {
  constructor(
    private readonly sources: KnowledgeSourcesService,
    private readonly syncs: SourceSyncsService,
    private readonly authorizations: SourceAuthorizationsService,
    private readonly tests: SourceTestsService,
    private readonly pages: ListPagesService,
    private readonly snapshots: SnapshotsService,
  ) {}

  @Get()
  @RequireScopes('knowledge:read')
  @Operation('List the sources of a knowledge base', {
    description: 'Lists the sources with their latest syncs.',
    200: { description: 'One page of sources.', page: SourceResource },
  })
  listSources(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<SourceResource>> {
    return this.pages.answer(query, {
      list: 'sources',
      workspaceId,
      filters: { knowledge_base: id },
      read: async (request) => {
        const page = await this.sources.list(workspaceId, id, request);
        return { ...page, data: await this.withSyncs(workspaceId, page.data) };
      },
      present: presentSource,
    });
  }

  @Post()
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Add a source', {
    description:
      'Adds a source but does not sync it: call `POST …/sync`, or wait for its schedule. If `config` names a ' +
      'secret that is not stored, the call is rejected with 422 `unknown_reference`.',
    201: { description: 'The new source.', type: SourceResource, location: 'Address of the source.' },
    problems: [...IDEMPOTENCY_PROBLEMS, 'oauth_required', 'unknown_reference'],
  })
  async createSource(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @JsonBody() body: CreateSourceBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SourceResource> {
    const { source } = answered(response, await this.sources.create(actor, id, body, claimOf(sourceContent(body))));
    const resource = presentSource({ id: source.id, source, lastSync: null });
    return created(response, `/v1/knowledge-bases/${id}/sources/${source.id}`, resource);
  }

  @Post('test')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Test a source', {
    description: 'Reads up to five documents of a source that is not added, within 15 seconds. Stores nothing.',
    200: { description: 'What the source lists, or why it cannot be read.', type: SourceTestResource },
    problems: ['unknown_reference'],
  })
  async testSource(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @JsonBody() body: TestSourceBody,
  ): Promise<SourceTestResource> {
    return presentTest(await this.tests.test(workspaceId, id, body));
  }

  @Get(':source_id')
  @RequireScopes('knowledge:read')
  @Operation('Get a source', {
    description: 'Returns the source with its latest sync. Secrets are shown as `***`.',
    200: { description: 'The source.', type: SourceResource },
  })
  getSource(@SourceOfPath() { workspaceId, knowledgeBaseId, id }: PlacedSource): Promise<SourceResource> {
    return this.snapshots.read(async () => this.withSync(await this.sources.get(workspaceId, knowledgeBaseId, id)));
  }

  @Patch(':source_id')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Change a source', {
    description: 'Changes settings, schedule or status of the source. The connector cannot be changed.',
    200: { description: 'The source.', type: SourceResource },
    problems: ['unknown_reference'],
  })
  async changeSource(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() { knowledgeBaseId, id }: PlacedSource,
    @JsonBody() body: ChangeSourceBody,
  ): Promise<SourceResource> {
    return this.withSync(await this.sources.change(actor, knowledgeBaseId, id, body));
  }

  @Post(':source_id/authorize')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Renew the authorisation of a source', {
    description:
      'Returns the address at which a person authorises the source again, for example when `authorization` is `expired`. ' +
      'The documents and settings of the source are kept.',
    200: { description: 'The address for the authorisation.', type: AuthorizationResource },
  })
  async authorizeSource(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
  ): Promise<AuthorizationResource> {
    return presentAuthorization(await this.authorizations.renew(actor, place));
  }

  @Get(':source_id/scopes')
  @RequireScopes('knowledge:write')
  @Operation('List the scopes of a source', {
    description:
      'Lists the folders, databases or repositories that the provider of an authorised source offers. To ' +
      'restrict the source to some of them, write their ids into the field of `config` that `field` names.',
    200: { description: 'The scopes.', type: SourceScopesResource },
    problems: ['oauth_required'],
  })
  async listSourceScopes(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
  ): Promise<SourceScopesResource> {
    return presentScopes(await this.authorizations.listScopes(actor, place));
  }

  @Delete(':source_id')
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Delete a source', {
    description:
      'Deletes the source with its documents. After the response, no search finds them. This cannot be undone.',
    204: { description: 'The source is deleted.' },
  })
  deleteSource(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() { knowledgeBaseId, id }: PlacedSource,
  ): Promise<void> {
    return this.sources.delete(actor, knowledgeBaseId, id);
  }

  private async withSync(source: KnowledgeSourceEntity): Promise<SourceResource> {
    const [listed] = await this.withSyncs(source.workspaceId, [source]);
    return presentSource(listed ?? { id: source.id, source, lastSync: null });
  }

  private async withSyncs(workspaceId: string, sources: readonly KnowledgeSourceEntity[]): Promise<SourceWithSync[]> {
    const ids = sources.flatMap(({ lastSyncId }) => lastSyncId ?? []);
    const found = await this.syncs.byIds(workspaceId, ids);
    return sources.map((source) => ({ id: source.id, source, lastSync: found.get(source.lastSyncId ?? '') ?? null }));
  }
}
