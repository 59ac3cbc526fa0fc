import { Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { FileLinksService } from '@app/files';
import { type AddressConfig, addressConfig } from '@app/platform/startup';
import type { Principal } from '@app/workspace';
import { Public, RequireScopes } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentPrincipal, OptionalJsonBody, PathId, PathText, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { FileReaderService } from './file-reader.service.js';
import { RevealFileQuery } from './files.api.js';
import { FILE_CONTENT } from './file-answer.js';
import { CreateFileLinkBody, FileLinkResource, linkLifetimeOf } from './file-links.api.js';
import { LinkedFilesService } from './linked-files.service.js';

@Tag('Files')
@Controller()
export class FileLinksController {
  constructor(
    private readonly links: FileLinksService,
    private readonly reader: FileReaderService,
    private readonly linked: LinkedFilesService,
    @Inject(addressConfig.KEY) private readonly address: AddressConfig,
  ) {}

  @Post('v1/files/:id/links')
  @RequireScopes('files:write')
  @Operation('Create a link to a file', {
    description: 'Creates a link that opens the bytes of the file without a key. The link is shown only once.',
    201: { description: 'The link.', type: FileLinkResource },
    problems: ['file_deleted'],
  })
  async createFileLink(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'file') id: string,
    @QueryParameters() { reveal }: RevealFileQuery,
    @OptionalJsonBody() body: CreateFileLinkBody,
  ): Promise<FileLinkResource> {
    const lifetimeMillis = linkLifetimeOf(body);
    await this.reader.readable(actor, id, reveal);
    const { token, expiresAt } = await this.links.create(actor, id, { lifetimeMillis, isOnce: body.once });
    return { url: new URL(`files/${token}`, `${this.address.publicUrl}/`).href, expires_at: expiresAt.toISOString() };
  }

  @Delete('v1/files/:id/links')
  @RequireScopes('files:write')
  @Operation('Revoke the links to a file', {
    description: 'Revokes all links to the file.',
    204: { description: 'No link opens the file any more.' },
  })
  revokeFileLinks(@CurrentPrincipal() actor: Principal, @PathId('id', 'file') id: string): Promise<void> {
    return this.links.revoke(actor, id);
  }

  @Get('files/:token')
  @Public()
  @Operation('Open a link to a file', {
    description:
      'Returns the bytes of the file. The token is the only credential. A link that may be used once is spent by the first `GET`.',
    200: { description: 'The bytes.', content: FILE_CONTENT },
    206: { description: 'One range of the bytes.', content: FILE_CONTENT },
    304: { description: 'The client has these bytes.' },
    problems: ['not_found', 'file_missing', 'range_not_satisfiable', 'rate_limited'],
  })
  async openFileLink(
    @PathText('token', 'Token of the link.') token: string,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.linked.send(request, response, token);
  }
}
