import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiKeyRegister, type Principal } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import {
  CurrentPrincipal,
  IdempotencyKey,
  JsonBody,
  PathId,
  QueryParameters,
  type Rotation,
  RotationRequest,
} from '../http/request-decorators.js';
import { type ApiKeyResource, CreateApiKeyBody, type NewApiKeyResource } from './api-key.dto.js';
import { API_KEY_OPERATIONS } from './api-key.operations.js';
import { presentApiKey, presentCreation, presentRotation } from './api-key.presenter.js';
import { creationClaim, newApiKeyRequest } from './api-key-requests.js';

@Controller('v1/api-keys')
export class ApiKeysController {
  constructor(
    private readonly register: ApiKeyRegister,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('keys:manage')
  @API_KEY_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<ApiKeyResource>> {
    const read = this.register.list.bind(this.register, workspaceId);
    return this.pages.answer(query, { list: 'api-keys', workspaceId, read, present: presentApiKey });
  }

  @Post()
  @RequireScopes('keys:manage')
  @API_KEY_OPERATIONS.create
  async create(
    @CurrentPrincipal() actor: Principal,
    @JsonBody() body: CreateApiKeyBody,
    @IdempotencyKey() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewApiKeyResource> {
    const made = await this.register.create(actor, newApiKeyRequest(body), creationClaim(body, key));
    return presentCreation(response, made);
  }

  @Get(':id')
  @RequireScopes('keys:manage')
  @API_KEY_OPERATIONS.get
  async get(@CurrentPrincipal() actor: Principal, @PathId('id', 'apiKey') id: string): Promise<ApiKeyResource> {
    return presentApiKey(await this.register.get(actor.workspaceId, id));
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @RequireScopes('keys:manage')
  @API_KEY_OPERATIONS.rotate
  async rotate(
    @CurrentPrincipal() actor: Principal,
    @PathId('id', 'apiKey') id: string,
    @RotationRequest() { graceSeconds, claim }: Rotation,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewApiKeyResource> {
    return presentRotation(response, await this.register.rotate(actor, id, graceSeconds, claim));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('keys:manage')
  @API_KEY_OPERATIONS.revoke
  revoke(@CurrentPrincipal() actor: Principal, @PathId('id', 'apiKey') id: string): Promise<void> {
    return this.register.revoke(actor, id);
  }
}
