import { Module } from '@nestjs/common';
import { AgentCallsService } from './agent-calls.service.js';
import { AgentStartsService } from './agent-starts.service.js';
import { AuthorAddressService } from './author/author-address.service.js';
import { AuthoredAgentsService } from './author/authored-agents.service.js';
import { AuthoredRunsService } from './author/authored-runs.service.js';
import { DefinitionsApiModule } from '../definitions/definitions-api.module.js';
import { ExposedToolsService } from './exposed-tools.service.js';
import { InputRequestsService } from './input-requests.service.js';
import { ResourcesModule } from '../resources.module.js';
import { McpAuthorController } from './author/mcp-author.controller.js';
import { SkillService } from './author/skill.service.js';
import { McpController } from './mcp.controller.js';
import { McpEndpointService } from './mcp-endpoint.service.js';
import { McpTasksService } from './mcp-tasks.service.js';
import { OwnToolsService } from './own-tools.service.js';
import { RequestStatesService } from './request-states.service.js';
import { RunAnswersService } from './run-answers.service.js';
import { WorkAddressService } from './work-address.service.js';

/** Absent if `MCP_SERVER` is off, so that its addresses do not exist. */
@Module({
  imports: [DefinitionsApiModule, ResourcesModule],
  controllers: [McpController, McpAuthorController],
  providers: [
    AgentCallsService,
    AgentStartsService,
    AuthorAddressService,
    AuthoredAgentsService,
    AuthoredRunsService,
    ExposedToolsService,
    InputRequestsService,
    McpEndpointService,
    McpTasksService,
    OwnToolsService,
    RequestStatesService,
    RunAnswersService,
    SkillService,
    WorkAddressService,
  ],
})
export class McpServerModule {}
