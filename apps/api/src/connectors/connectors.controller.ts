import { Controller, Get } from '@nestjs/common';
import { ConnectorCatalogService } from '@app/knowledge';
import { RequireScopes } from '../http/access.decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { ConnectorPage, presentConnector } from './connectors.api.js';

@Tag('Knowledge')
@Controller('v1/connectors')
export class ConnectorsController {
  constructor(private readonly catalog: ConnectorCatalogService) {}

  @Get()
  @RequireScopes('knowledge:read')
  @Operation('List connectors', {
    description:
      'Lists the connectors, which are the kinds of sources, all on one page. Each has a JSON Schema of its configuration.',
    200: { description: 'All connectors.', type: ConnectorPage },
  })
  listConnectors(): ConnectorPage {
    return { data: this.catalog.listConnectors().map(presentConnector) };
  }
}
