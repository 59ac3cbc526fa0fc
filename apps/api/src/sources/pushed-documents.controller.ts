import { Controller, Delete, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type ClaimOfDocument, Uploads } from '@app/knowledge';
import { ENV, type Env } from '@app/platform/config';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { accepted, answered } from '../http/answers.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, CurrentRequest, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { locationOf, presentSync, SyncResource } from '../syncs/syncs.api.js';
import { DOCUMENT_BODY, documentClaims, documentName, type PushedBody, readPushed } from './pushed-documents.js';
import { type PlacedSource, SourceOfPath } from '../syncs/source-place.js';
import { DocumentNameQuery } from './sources.api.js';

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id/sources/:source_id/documents')
export class PushedDocumentsController {
  constructor(
    private readonly uploads: Uploads,
    @Inject(ENV) private readonly env: Pick<Env, 'maxUploadBytes'>,
  ) {}

  @Post()
  @RequireScopes('knowledge:write')
  @Operation('Push a document into a source of the connector upload', {
    description:
      'Kept when this has answered, and searchable when the sync of the answer has ended; where that had begun before, when the one has that follows it: `last_sync` of the source.',
    202: {
      description: 'The sync that indexes it, or one under way that such a sync follows.',
      type: SyncResource,
      location: 'The sync.',
    },
  })
  async pushDocument(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
    @QueryParameters() query: DocumentNameQuery,
    @CurrentRequest(DOCUMENT_BODY) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SyncResource> {
    const pushed = await this.uploads.pushAll(actor, place, ...this.pushed(request, query));
    const { result: sync } = answered(response, pushed);
    return accepted(response, locationOf(sync), presentSync(sync));
  }

  @Delete()
  @RequireScopes('knowledge:write')
  @Operation('Remove a pushed document', {
    description: 'It is not found any more once this has answered.',
    204: { description: 'Removed.' },
  })
  removeDocument(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
    @QueryParameters() query: DocumentNameQuery,
  ): Promise<void> {
    return this.uploads.remove(actor, place, documentName(query));
  }

  private pushed(request: ApiRequest, query: DocumentNameQuery): [AsyncGenerator<PushedBody>, ClaimOfDocument] {
    return [readPushed(request, query, this.env.maxUploadBytes), documentClaims(request)];
  }
}
