import { Controller, Delete, Get, Put } from '@nestjs/common';
import { type Principal, SecretsService } from '@app/workspace';
import { RequireLive, RequireRecentSignIn, RequireScopes } from '../http/access.decorators.js';
import { ListPagesService, type PagedList, PageQuery } from '../http/list-pages.service.js';
import { CurrentPrincipal, JsonBody, PathText, QueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { presentSecret, PutSecretBody, SecretResource } from './secrets.api.js';

const SECRET_NAME = 'Name: 1 to 128 letters, digits and underscores, not beginning with a digit.';

@Tag('Workspace')
@Controller('v1/secrets')
export class SecretsController {
  constructor(
    private readonly secrets: SecretsService,
    private readonly pages: ListPagesService,
  ) {}

  @Get()
  @RequireScopes('secrets:write')
  @Operation('List secrets', {
    description: 'Lists the names and dates of the secrets. No operation returns the value of a secret.',
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
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Set a secret', {
    description:
      'Creates the secret or replaces its value. Tools and connectors use the new value within 10 seconds. The value is stored encrypted.',
    204: { description: 'The secret is set.' },
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
  @RequireLive()
  @RequireRecentSignIn()
  @Operation('Delete a secret', {
    description: 'Deletes the secret. Within 10 seconds, tool calls that use it fail with `secret_missing`.',
    204: { description: 'The secret is deleted.' },
    problems: ['not_found'],
  })
  deleteSecret(@CurrentPrincipal() actor: Principal, @PathText('name', SECRET_NAME) name: string): Promise<void> {
    return this.secrets.delete(actor, name);
  }
}
