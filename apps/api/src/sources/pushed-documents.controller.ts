import { Controller, Delete, Inject, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { FileRightsService, FilesService } from '@app/files';
import { type ClaimOfDocument, knowledgeConfig, type KnowledgeConfig, UploadsService } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { accepted, answered } from '../http/answers.js';
import { allowLongBody } from '../http/http-server-limits.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, CurrentRequest, QueryParameters } from '../http/request-decorators.js';
import { QUEUED_SYNC_EXAMPLE } from '../openapi/schema-examples.js';
import { Operation, Tag } from '../openapi/operation.js';
import { locationOf, presentSync, SyncResource } from '../syncs/syncs.api.js';
import {
  DOCUMENT_BODY,
  documentClaims,
  documentName,
  fileReader,
  type PushedBody,
  readPushed,
} from './pushed-documents.js';
import { type PlacedSource, SourceOfPath } from '../syncs/source-place.js';
import { DocumentNameQuery } from './sources.api.js';

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id/sources/:source_id/documents')
export class PushedDocumentsController {
  constructor(
    private readonly uploads: UploadsService,
    private readonly files: FilesService,
    private readonly rights: FileRightsService,
    @Inject(knowledgeConfig.KEY) private readonly config: KnowledgeConfig,
  ) {}

  @Post()
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Push a document', {
    description:
      'Stores a document in a source with the connector `upload`, or replaces the document with the same name. The document is stored when the call returns, and searchable when the returned sync has ended. If that sync had already begun, a later sync indexes the document: see `last_sync` of the source. If a file of a form is rejected, the files before it stay stored, and the error lists their names in `kept`.',
    202: {
      description: 'The sync that indexes the document, or the sync that is in progress before it.',
      type: SyncResource,
      example: QUEUED_SYNC_EXAMPLE,
      location: 'Address of the sync.',
    },
  })
  async pushDocument(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
    @QueryParameters() query: DocumentNameQuery,
    @CurrentRequest(DOCUMENT_BODY) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SyncResource> {
    allowLongBody(request);
    const pushed = await this.uploads.pushAll(actor, place, ...this.pushed(actor, request, query));
    const { result: sync } = answered(response, pushed);
    return accepted(response, locationOf(sync), presentSync(sync));
  }

  @Delete()
  @RequireScopes('knowledge:write')
  @RequireLive()
  @Operation('Remove a pushed document', {
    description:
      'Removes a document from a source with the connector `upload`. The parameter `name` is required. After ' +
      'the response, no search finds the document. If the name is unknown, the call is rejected with 404.',
    204: { description: 'The document is removed.' },
  })
  removeDocument(
    @CurrentPrincipal() actor: Principal,
    @SourceOfPath() place: PlacedSource,
    @QueryParameters() query: DocumentNameQuery,
  ): Promise<void> {
    return this.uploads.remove(actor, place, documentName(query));
  }

  private pushed(
    actor: Principal,
    request: ApiRequest,
    query: DocumentNameQuery,
  ): [AsyncGenerator<PushedBody>, ClaimOfDocument] {
    const { maxUploadBytes } = this.config;
    const readFile = fileReader(this.files, this.rights, actor, maxUploadBytes);
    return [readPushed(request, query, maxUploadBytes, readFile), documentClaims(request)];
  }
}
