import { ConnectionsModule } from '@app/connections';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { McpModule } from '@app/platform/mcp';
import { PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { AgentRecordsModule } from '../records/agent-records.module.js';
import { CalledAgentsService } from './called-agents.service.js';
import { CompiledVersionsService } from './compiled-versions.service.js';
import { DefinitionReaderService } from './definition-reader.service.js';
import { DefinitionReferencesService } from './definition-references.service.js';
import { ForeignNamesService } from './foreign-names.service.js';
import { ModelCatalogService } from './model-catalog.service.js';
import { NamedConnectionsService } from './named-connections.service.js';
import { NamedSecretsService } from './named-secrets.service.js';
import { OpenapiReaderService } from './openapi-reader.service.js';
import { ToolDescriberService } from './tool-describer.service.js';

@Module({
  imports: [
    AgentRecordsModule,
    ConnectionsModule,
    EgressModule,
    McpModule,
    PeopleModule,
    SecretsModule,
    WorkspaceModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    CalledAgentsService,
    CompiledVersionsService,
    DefinitionReaderService,
    DefinitionReferencesService,
    ForeignNamesService,
    ModelCatalogService,
    NamedConnectionsService,
    NamedSecretsService,
    OpenapiReaderService,
    ToolDescriberService,
  ],
  exports: [
    CompiledVersionsService,
    DefinitionReaderService,
    ForeignNamesService,
    ModelCatalogService,
    NamedConnectionsService,
    NamedSecretsService,
    ToolDescriberService,
  ],
})
export class AgentDefinitionsModule {}
