import { Controller, Delete, HttpCode, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type ClaimOfDocument, Uploads } from '@app/knowledge';
import { ENV, type Env } from '@app/platform/config';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/api-request.js';
import { CurrentPrincipal, CurrentRequest, QueryParameters } from '../http/request-decorators.js';
import { DocumentNameQuery } from './source.dto.js';
import { type PlacedSource, SourceOfPath } from './source-place.js';
import { PUSHED_DOCUMENT_OPERATIONS } from './source.operations.js';
import { documentClaims, documentName, type PushedBody, readPushed } from './source-requests.js';
import type { SyncResource } from './sync.dto.js';
import { presentPushed } from './sync.presenter.js';

@Controller('v1/knowledge-bases/:id/sources/:source_id/documents')
export class PushedDocumentsController {
  constructor(
    private readonly uploads: Uploads,
    @Inject(ENV) private readonly env: Pick<Env, 'maxUploadBytes'>,
  ) {}

  @Post()
  @RequireScopes('knowledge:write')
  @PUSHED_DOCUMENT_OPERATIONS.push
  async push(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
    @QueryParameters() query: DocumentNameQuery,
    @CurrentRequest() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SyncResource> {
    return presentPushed(response, await this.uploads.pushAll(actor, place, ...this.pushed(request, query)));
  }

  @Delete()
  @HttpCode(204)
  @RequireScopes('knowledge:write')
  @PUSHED_DOCUMENT_OPERATIONS.remove
  remove(
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
