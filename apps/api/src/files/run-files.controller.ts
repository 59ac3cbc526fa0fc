import { Controller, Get } from '@nestjs/common';
import type { Principal } from '@app/workspace';
import { ListPagesService, type PagedList } from '../http/list-pages.service.js';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal, PathId, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { FileReaderService } from './file-reader.service.js';
import { ListRunFilesQuery, RunFileResource } from './files.api.js';

@Tag('Runs')
@Controller('v1/runs')
export class RunFilesController {
  constructor(
    private readonly reader: FileReaderService,
    private readonly pages: ListPagesService,
  ) {}

  @Get(':id/files')
  @RequireScopes('runs:read')
  @Operation('List the files of a run', {
    description: 'Lists each place at which the run refers to a file, deleted files too.',
    200: { description: 'The places, in the order of their paths.', page: RunFileResource },
    problems: ['insufficient_scope'],
  })
  async listRunFiles(
    @CurrentPrincipal() caller: Principal,
    @PathId('id', 'run') id: string,
    @QueryParameters() query: ListRunFilesQuery,
  ): Promise<PagedList<RunFileResource>> {
    const revealed = new Set<string>();
    const list = await this.pages.answer(query, {
      list: `runs/${id}/files`,
      workspaceId: caller.workspaceId,
      read: (page) => this.reader.ofRun(caller, id, { reveal: query.reveal, revealed }, page),
      present: (place) => place,
    });
    await this.reader.recordReveals(caller, revealed);
    return list;
  }
}
