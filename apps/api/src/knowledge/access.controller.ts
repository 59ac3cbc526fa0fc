import { Controller, Get, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ExpectedVersions } from '@app/kernel';
import { KnowledgeAccess, type KnowledgeGrants } from '@app/knowledge';
import type { Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { IfMatch, tagged } from '../http/entity-tag.js';
import { CurrentPrincipal, JsonBody, PathId } from '../http/request-decorators.js';
import { type AccessResource, ReplaceAccessBody } from './access.dto.js';
import { ACCESS_OPERATIONS } from './access.operations.js';
import { presentAccess } from './access.presenter.js';

@Controller('v1/knowledge-bases/:id/access')
export class AccessController {
  constructor(private readonly access: KnowledgeAccess) {}

  @Get()
  @RequireScopes('knowledge:read')
  @ACCESS_OPERATIONS.get
  async get(
    @CurrentPrincipal() { workspaceId }: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessResource> {
    return answer(response, await this.access.get(workspaceId, id));
  }

  @Put()
  @RequireScopes('knowledge:grant')
  @ACCESS_OPERATIONS.replace
  async replace(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'knowledgeBase') id: string,
    @IfMatch() expected: ExpectedVersions,
    @JsonBody() wanted: ReplaceAccessBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccessResource> {
    return answer(response, await this.access.replace(actor, id, wanted, expected));
  }
}

function answer(response: Response, grants: KnowledgeGrants): AccessResource {
  return tagged(response, grants.version, presentAccess(grants));
}
