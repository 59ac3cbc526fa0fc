import { Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { type Principal, Secrets } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList } from '../http/list-pages.js';
import { PageQuery } from '../http/page.dto.js';
import { CurrentPrincipal, JsonBody, QueryParameters } from '../http/request-decorators.js';
import { PutSecretBody, type SecretResource } from './secret.dto.js';
import { SECRET_OPERATIONS } from './secret.operations.js';
import { presentSecret } from './secret.presenter.js';

@Controller('v1/secrets')
export class SecretsController {
  constructor(
    private readonly secrets: Secrets,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('secrets:write')
  @SECRET_OPERATIONS.list
  list(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<SecretResource>> {
    const read = this.secrets.list.bind(this.secrets, workspaceId);
    return this.pages.answer(query, { list: 'secrets by creation', workspaceId, read, present: presentSecret });
  }

  @Put(':name')
  @HttpCode(204)
  @RequireScopes('secrets:write')
  @SECRET_OPERATIONS.put
  put(
    @CurrentPrincipal() actor: Principal,
    @Param('name') name: string,
    @JsonBody() { value }: PutSecretBody,
  ): Promise<void> {
    return this.secrets.put(actor, name, value);
  }

  @Delete(':name')
  @HttpCode(204)
  @RequireScopes('secrets:write')
  @SECRET_OPERATIONS.remove
  remove(@CurrentPrincipal() actor: Principal, @Param('name') name: string): Promise<void> {
    return this.secrets.delete(actor, name);
  }
}
