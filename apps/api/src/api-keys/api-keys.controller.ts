import { Controller, Delete, Get, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiKeysService, type Principal } from '@app/workspace';
import { RequireRecentSignIn, RequireScopes } from '../http/access.decorators.js';
import { answered, created } from '../http/answers.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
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
import { ApiKeyRequestsService } from './api-key-requests.service.js';
import {
  ApiKeyResource,
  CreateApiKeyBody,
  NewApiKeyResource,
  presentApiKey,
  presentNewApiKey,
} from './api-keys.api.js';

@Tag('Workspace')
@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly register: ApiKeysService,
    private readonly requests: ApiKeyRequestsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('keys:manage')
  @Operation('List API keys', {
    description:
      'Lists the keys that are not revoked, including expired keys. The response does not contain the keys themselves.',
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
  @RequireRecentSignIn()
  @Operation('Create an API key', {
    description:
      'Creates a key for a member. Only this response contains the key itself. A key can do no more than its ' +
      'member and no more than the key that created it. A test key can create test keys only, a key with ' +
      '`automation` only such keys, and a key that is narrowed to agents only keys for these agents.',
    201: {
      description: 'The new key, including the key itself.',
      type: NewApiKeyResource,
      location: 'Address of the key.',
    },
    problems: [...IDEMPOTENCY_PROBLEMS, 'unknown_reference', 'test_key_production_mode'],
  })
  async createApiKey(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateApiKeyBody,
    @BodyClaim() claimOf: ClaimOf,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewApiKeyResource> {
    const made = answered(response, await this.requests.create(actor, body, claimOf));
    return created(response, `/v1/api-keys/${made.apiKey.id}`, presentNewApiKey(made));
  }

  @Get(':id')
  @RequireScopes('keys:manage')
  @Operation('Get an API key', {
    description: 'Returns the properties of the key, but not the key itself.',
    200: { description: 'The key.', type: ApiKeyResource },
  })
  async getApiKey(@CurrentPrincipal() actor: Principal, @PathId('id', 'apiKey') id: string): Promise<ApiKeyResource> {
    return presentApiKey(await this.register.get(actor.workspaceId, id));
  }

  @Post(':id/rotate')
  @RequireScopes('keys:manage')
  @RequireRecentSignIn()
  @Operation('Rotate an API key', {
    description:
      'Gives the key a new value. The previous value stays valid for `grace_seconds` (with several API processes, up to 10 seconds longer). `expires_at` does not change; an expired key is rejected with 400 `invalid_request`. ' +
      FORMER_STAY_VALID,
    200: { description: 'The key with its new value.', type: NewApiKeyResource },
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
    description:
      'Revokes the key and all its previous values at once (with several API processes, within 10 seconds), and the keys of CLIs that a session of the key authorised. This cannot be undone.',
    204: { description: 'The key is revoked.' },
  })
  revokeApiKey(@CurrentPrincipal() actor: Principal, @PathId('id', 'apiKey') id: string): Promise<void> {
    return this.register.revoke(actor, id);
  }
}
