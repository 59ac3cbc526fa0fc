import { Controller, Get, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ExpectedVersions } from '@app/kernel';
import { KnowledgeAccessService, type KnowledgeGrants } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireLive, RequireScopes } from '../http/access.decorators.js';
import { tagged } from '../http/answers.js';
import { CurrentPrincipal, IfMatch, JsonBody, PathId } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { AccessResource, presentAccess, ReplaceAccessBody } from './access.api.js';

const GRANTS = {
  description: 'The readers of the knowledge base.',
  type: AccessResource,
  headers: { ETag: 'Version of the lists of readers. Send it as `If-Match` when you replace the readers.' },
};

@Tag('Knowledge')
@Controller('v1/knowledge-bases/:id/access')
export class AccessController {
  constructor(private readonly access: KnowledgeAccessService) {}

  @Get()
  @RequireScopes('knowledge:read')
  @Operation('Get the readers of a knowledge base', {
    description:
      'Returns the users, groups, channels and agents that may read the knowledge base. A run may read it if ' +
      'its agent is listed. If a person or a mailbox started the run, the person, one of their groups, or the ' +
      'channel of the mailbox must be listed too.',
    200: GRANTS,
  })
  async getKnowledgeBaseAccess(
    @CurrentPrincipal() principal: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessResource> {
    return answer(response, await this.access.get(principal.workspaceId, id), principal);
  }

  @Put()
  @RequireScopes('knowledge:grant')
  @RequireLive()
  @Operation('Replace the readers of a knowledge base', {
    description:
      'Replaces all four lists. If a list is absent from the body, it becomes empty. The change applies to every read that begins afterwards. An unknown agent or a malformed entry is rejected with 422 `unknown_reference`; people and groups need not exist.',
    200: GRANTS,
    problems: ['unknown_reference'],
  })
  async replaceKnowledgeBaseAccess(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @IfMatch(
      '`ETag` of the lists that the change is based on. If the lists have changed since then, the call is rejected with 412. Without this header, the lists are always replaced.',
    )
    expected: ExpectedVersions,
    @JsonBody() wanted: ReplaceAccessBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessResource> {
    return answer(response, await this.access.replace(actor, id, wanted, expected), actor);
  }
}

function answer(response: Response, grants: KnowledgeGrants, principal: Principal): AccessResource {
  return tagged(response, grants.version, presentAccess(grants, principal));
}
