import { Clock, systemClock } from '@app/kernel';
import { type McpConfig, mcpConfig } from './mcp.config.js';
import { EgressClient, EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { McpServers } from './mcp-servers.js';

@Module({
  imports: [EgressModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    {
      provide: McpServers,
      inject: [EgressClient, Clock, mcpConfig.KEY],
      useFactory: (egress: EgressClient, clock: Clock, config: McpConfig) =>
        new McpServers(egress, clock, config.mcpStdioCommands),
    },
  ],
  exports: [McpServers],
})
export class McpModule {}
