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
      'Lists the kinds of sources with the JSON Schema of their configuration, for forms that add a source. The list has one page.',
    200: { description: 'All connectors.', type: ConnectorPage },
  })
  listConnectors(): ConnectorPage {
    return { data: this.catalog.listConnectors().map(presentConnector) };
  }
}
