import { Module } from '@nestjs/common';
import { McpController } from './mcp.controller.js';
import { McpEndpointService } from './mcp-endpoint.service.js';
import { WorkAddressService } from './work-address.service.js';

/** Absent if `MCP_SERVER` is off, so that its addresses do not exist. */
@Module({ controllers: [McpController], providers: [McpEndpointService, WorkAddressService] })
export class McpServerModule {}
