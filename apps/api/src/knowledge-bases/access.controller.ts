import { Controller, Get, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ExpectedVersions } from '@app/kernel';
import { KnowledgeAccess, type KnowledgeGrants } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { tagged } from '../http/answers.js';
import { CurrentPrincipal, IfMatch, JsonBody, PathId } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { AccessResource, presentAccess, ReplaceAccessBody } from './access.api.js';

const GRANTS = {
  description: 'Who may read the base.',
  type: AccessResource,
  headers: { ETag: 'Version of the grants.' },
};

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id/access')
export class AccessController {
  constructor(private readonly access: KnowledgeAccess) {}

  @Get()
  @RequireScopes('knowledge:read')
  @Operation('Who may read a knowledge base', {
    200: GRANTS,
  })
  async getKnowledgeBaseAccess(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessResource> {
    return answer(response, await this.access.get(workspaceId, id));
  }

  @Put()
  @RequireScopes('knowledge:grant')
  @Operation('Replace who may read a knowledge base', {
    description:
      'All four lists at once; one that is left out is empty. It holds for every read that begins afterwards.',
    200: GRANTS,
    problems: ['unknown_reference'],
  })
  async replaceKnowledgeBaseAccess(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @IfMatch('ETag of the grants that the change was made from. Without it the change is made in any case.')
    expected: ExpectedVersions,
    @JsonBody() wanted: ReplaceAccessBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessResource> {
    return answer(response, await this.access.replace(actor, id, wanted, expected));
  }
}

function answer(response: Response, grants: KnowledgeGrants): AccessResource {
  return tagged(response, grants.version, presentAccess(grants));
}
