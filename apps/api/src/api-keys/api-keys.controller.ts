import { Controller, Delete, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiKeyRegister, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPages, type PagedList, PageQuery } from '../http/list-pages.js';
import {
  BodyClaim,
  type ClaimOf,
  CurrentPrincipal,
  FORMER_STAY_VALID,
  JsonBody,
  PathId,
  QueryParameters,
  type Rotation,
  RotationRequest,
} from '../http/request-decorators.js';
import { IDEMPOTENCY_PROBLEMS } from '../http/route-inputs.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  ApiKeyResource,
  CreateApiKeyBody,
  newApiKeyContent,
  newApiKeyRequest,
  NewApiKeyResource,
  presentApiKey,
  presentNewApiKey,
} from './api-keys.api.js';

@Tag('Workspace')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly register: ApiKeyRegister,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('keys:manage')
  @Operation('List API keys', {
    description: 'Those that were not revoked, expired ones included.',
    200: { description: 'One page of keys.', page: ApiKeyResource },
  })
  listApiKeys(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<ApiKeyResource>> {
    const read = this.register.list.bind(this.register, workspaceId);
    return this.pages.answer(query, { list: 'api-keys', workspaceId, read, present: presentApiKey });
  }

  @Post()
  @RequireScopes('keys:manage')
  @Operation('Make an API key', {
    description: 'Its text is in this answer and nowhere else. A key may do no more than its member and its maker.',
    201: { description: 'The key.', type: NewApiKeyResource, location: 'The key.' },
    problems: [...IDEMPOTENCY_PROBLEMS, 'unknown_reference'],
  })
  async createApiKey(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateApiKeyBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewApiKeyResource> {
    const claim = claimOf(newApiKeyContent(body));
    const made = answered(response, await this.register.create(actor, newApiKeyRequest(body), claim));
    return created(response, `/v1/api-keys/${made.apiKey.id}`, presentNewApiKey(made));
  }

  @Get(':id')
  @RequireScopes('keys:manage')
  @Operation('An API key', { 200: { description: 'The key, without its text.', type: ApiKeyResource } })
  async getApiKey(@CurrentPrincipal() actor: Principal, @PathId('id', 'apiKey') id: string): Promise<ApiKeyResource> {
    return presentApiKey(await this.register.get(actor.workspaceId, id));
  }

  @Post(':id/rotate')
  @RequireScopes('keys:manage')
  @Operation('Give an API key a new text', {
    description:
      'The text before stays valid for `grace_seconds`, in a fleet for 10 seconds more at the longest. `expires_at` stays as it is, so a key that has expired is refused (`invalid_request`). ' +
      FORMER_STAY_VALID,
    200: { description: 'The key with its new text.', type: NewApiKeyResource },
  })
  async rotateApiKey(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'apiKey') id: string,
    @RotationRequest() { graceSeconds, claim }: Rotation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewApiKeyResource> {
    return presentNewApiKey(answered(response, await this.register.rotate(actor, id, graceSeconds, claim)));
  }

  @Delete(':id')
  @RequireScopes('keys:manage')
  @Operation('Revoke an API key', {
    description: 'It is dead at once (in a fleet within 10 seconds), with all texts of one that was rotated.',
    204: { description: 'Revoked.' },
  })
  revokeApiKey(@CurrentPrincipal() actor: Principal, @PathId('id', 'apiKey') id: string): Promise<void> {
    return this.register.revoke(actor, id);
  }
}
