import { Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { FilesService, FileTextsService, FileUploadsService } from '@app/files';
import { knowledgeConfig, type KnowledgeConfig } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, CurrentRequest, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { FileReaderService } from './file-reader.service.js';
import { FILE_CONTENT, sendFile } from './file-answer.js';
import { FILE_BODY, uploadOf } from './file-upload.js';
import {
  cursorFilters,
  FileResource,
  FileTextQuery,
  FileTextResource,
  ListFilesQuery,
  RevealFileQuery,
  pagesOf,
  presentFile,
  UploadFileQuery,
} from './files.api.js';

@Tag('Files')
@Controller('v1/files')
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly uploads: FileUploadsService,
    private readonly reader: FileReaderService,
    private readonly texts: FileTextsService,
    private readonly pages: ListPagesService,
    @Inject(knowledgeConfig.KEY) private readonly config: KnowledgeConfig,
  ) {}

  @Post()
  @RequireScopes('files:write')
  @Operation('Upload a file', {
    description:
      'Stores the body as a file. The type is found by the bytes of the file. The declared type and the ending of the name count only for text.',
    201: { description: 'The stored file.', type: FileResource, location: 'Address of the file.' },
  })
  async uploadFile(
    @CurrentPrincipal() actor: Principal,
    @QueryParameters() query: UploadFileQuery,
    @CurrentRequest(FILE_BODY) request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FileResource> {
    const uploaded = await this.uploads.upload(actor, ...uploadOf(request, query));
    const { result: file } = answered(response, uploaded);
    return created(
      response,
      `/v1/files/${file.id}`,
      presentFile(file, { caller: actor, rights: undefined, reveal: false }),
    );
  }

  @Get()
  @RequireScopes('files:read')
  @Operation('List files', {
    description: 'Lists the files of the workspace, without deleted ones.',
    200: { description: 'One page of files.', page: FileResource },
  })
  listFiles(
    @CurrentPrincipal() caller: Principal,
    @QueryParameters() query: ListFilesQuery,
  ): Promise<PagedList<FileResource>> {
    return this.pages.answer(query, {
      list: 'files',
      workspaceId: caller.workspaceId,
      filters: cursorFilters(query),
      read: (page) => this.reader.list(caller, query, page),
      present: (file) => file,
    });
  }

  @Get(':id')
  @RequireScopes('files:read')
  @Operation('Get a file', {
    description: 'Returns the file without its bytes. A deleted file stays readable for 30 days.',
    200: { description: 'The file.', type: FileResource },
    problems: ['insufficient_scope'],
  })
  getFile(
    @CurrentPrincipal() caller: Principal,
    @PathId('id', 'file') id: string,
    @QueryParameters() { reveal }: RevealFileQuery,
  ): Promise<FileResource> {
    return this.reader.row(caller, id, reveal);
  }

  @Delete(':id')
  @RequireScopes('files:write')
  @RequireLive()
  @Operation('Delete a file', {
    description: 'Deletes the bytes of the file. Deleting it again changes nothing.',
    204: { description: 'The file is deleted.' },
    problems: ['file_in_use'],
  })
  deleteFile(@CurrentPrincipal() actor: Principal, @PathId('id', 'file') id: string): Promise<void> {
    return this.files.delete(actor, id);
  }

  @Get(':id/content')
  @RequireScopes('files:read')
  @Operation('Download a file', {
    description:
      'Returns the bytes of the file. Send `Range` to get one range of them, and `If-None-Match` with the `ETag` of an earlier response to get them only if you do not have them. The response is always an attachment.',
    200: { description: 'The bytes.', content: FILE_CONTENT, headers: { ETag: 'SHA-256 of the bytes.' } },
    206: { description: 'One range of the bytes.', content: FILE_CONTENT },
    304: { description: 'The client has these bytes.' },
    problems: ['file_deleted', 'file_missing', 'range_not_satisfiable'],
  })
  async downloadFile(
    @CurrentPrincipal() caller: Principal,
    @PathId('id', 'file') id: string,
    @QueryParameters() { reveal }: RevealFileQuery,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    await sendFile(request, response, this.files, await this.reader.readable(caller, id, reveal));
  }

  @Get(':id/text')
  @RequireScopes('files:read')
  @Operation('Read the text of a file', {
    description:
      'Returns the text of a PDF, Word, HTML, Markdown, text or CSV file. Other types, and files that are broken or protected by a password, are rejected with 415.',
    200: { description: 'The text.', type: FileTextResource },
    problems: ['file_deleted', 'file_missing', 'file_too_large', 'unsupported_media_type'],
  })
  async readFileText(
    @CurrentPrincipal() caller: Principal,
    @PathId('id', 'file') id: string,
    @QueryParameters() query: FileTextQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FileTextResource> {
    const selection = { pages: pagesOf(query), maxChars: query.max_chars, maxBytes: this.config.maxUploadBytes };
    const file = await this.reader.readable(caller, id, query.reveal);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { text, pages, isTruncated } = await this.texts.read(file, selection, gone.signal);
    return { text, pages, truncated: isTruncated };
  }
}
