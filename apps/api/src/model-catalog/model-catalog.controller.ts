import { ModelCatalogService } from '@app/agents';
import { agentsOf, type Principal } from '@app/workspace';
import { Controller, Get } from '@nestjs/common';
import { RequireScopes } from '../http/access.decorators.js';
import { CurrentPrincipal } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { ModelCatalog, presentCatalogModel } from './model-catalog.api.js';

@Tag('Agents')
@Controller('v1/model-catalog')
export class ModelCatalogController {
  constructor(private readonly catalog: ModelCatalogService) {}

  @Get()
  @RequireScopes('agents:read')
  @Operation('List models', {
    description: 'Lists the models that the installation knows or agents use.',
    200: { description: 'All models.', type: ModelCatalog },
  })
  async listModels(@CurrentPrincipal() principal: Principal): Promise<ModelCatalog> {
    const models = await this.catalog.listModels(principal.workspaceId, agentsOf(principal));
    return { data: models.map(presentCatalogModel) };
  }
}
