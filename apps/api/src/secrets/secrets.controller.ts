import { Controller, Delete, Get, Put } from '@nestjs/common';
import { type Principal, Secrets } from '@app/workspace';
import { RequireScopes } from '../http/access.decorators.js';
import { ListPages, type PagedList, PageQuery } from '../http/list-pages.js';
import { CurrentPrincipal, JsonBody, PathText, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentSecret, PutSecretBody, SecretResource } from './secrets.api.js';

const SECRET_NAME = 'What definitions say after `secrets.`: 1 to 128 letters, digits and underscores, no digit first.';

@Tag('Workspace')
@Controller('v1/secrets')
export class SecretsController {
  constructor(
    private readonly secrets: Secrets,
    private readonly pages: ListPages,
  ) {}

  @Get()
  @RequireScopes('secrets:write')
  @Operation('List secrets', {
    description: 'Names and dates. No route answers a value.',
    200: { description: 'One page of secrets.', page: SecretResource },
  })
  listSecrets(
    @CurrentPrincipal() { workspaceId }: Principal,
    @QueryParameters() query: PageQuery,
  ): Promise<PagedList<SecretResource>> {
    const read = this.secrets.list.bind(this.secrets, workspaceId);
    return this.pages.answer(query, { list: 'secrets by creation', workspaceId, read, present: presentSecret });
  }

  @Put(':name')
  @RequireScopes('secrets:write')
  @Operation('Set a secret', {
    description: 'Creates it or replaces its value, which tools use at once, at the latest within 10 seconds.',
    204: { description: 'Set.' },
  })
  putSecret(
    @CurrentPrincipal() actor: Principal,
    @PathText('name', SECRET_NAME) name: string,
    @JsonBody() { value }: PutSecretBody,
  ): Promise<void> {
    return this.secrets.put(actor, name, value);
  }

  @Delete(':name')
  @RequireScopes('secrets:write')
  @Operation('Delete a secret', {
    description: 'Calls of tools that use it fail as `secret_missing` at once, at the latest within 10 seconds.',
    204: { description: 'Deleted.' },
    problems: ['not_found'],
  })
  deleteSecret(@CurrentPrincipal() actor: Principal, @PathText('name', SECRET_NAME) name: string): Promise<void> {
    return this.secrets.delete(actor, name);
  }
}
