import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { McpModule } from '@app/platform/mcp';
import { PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { AgentRecordsModule } from '../records/agent-records.module.js';
import { CalledAgents } from './called-agents.service.js';
import { CompiledVersions } from './compiled-versions.js';
import { DefinitionReader } from './definition-reader.service.js';
import { DefinitionReferencesService } from './definition-references.service.js';
import { DefinitionValidation } from './definition-validation.service.js';
import { KnowledgeDirectory } from './knowledge-directory.service.js';
import { LateDescriptions } from './late-descriptions.service.js';
import { NamedGroups } from './named-groups.service.js';
import { NamedSecrets } from './named-secrets.service.js';
import { ToolDescriber } from './tool-describer.service.js';

/** Reads definitions, checks their references and tools, and caches compiled versions. */
@Module({
  imports: [AgentRecordsModule, EgressModule, McpModule, PeopleModule, SecretsModule, WorkspaceModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    CalledAgents,
    CompiledVersions,
    DefinitionReader,
    DefinitionReferencesService,
    DefinitionValidation,
    KnowledgeDirectory,
    LateDescriptions,
    NamedGroups,
    NamedSecrets,
    ToolDescriber,
  ],
  exports: [
    CompiledVersions,
    DefinitionReader,
    DefinitionValidation,
    KnowledgeDirectory,
    LateDescriptions,
    NamedSecrets,
  ],
})
export class AgentDefinitionsModule {}
