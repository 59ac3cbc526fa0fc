import { Module } from '@nestjs/common';
import { DefinitionsApiModule } from '../definitions/definitions-api.module.js';
import { ResourcesModule } from '../resources.module.js';
import { AuthorAddressService } from './author/author-address.service.js';
import { AuthoredAgentsService } from './author/authored-agents.service.js';
import { AuthoredRunsService } from './author/authored-runs.service.js';
import { SkillService } from './author/skill.service.js';
import { McpController } from './mcp.controller.js';
import { McpEndpointService } from './mcp-endpoint.service.js';
import { WorkAddressService } from './work-address.service.js';

/** Absent if `MCP_SERVER` is off, so that its addresses do not exist. */
@Module({
  imports: [DefinitionsApiModule, ResourcesModule],
  controllers: [McpController],
  providers: [
    McpEndpointService,
    WorkAddressService,
    AuthorAddressService,
    AuthoredAgentsService,
    AuthoredRunsService,
    SkillService,
  ],
})
export class McpServerModule {}
