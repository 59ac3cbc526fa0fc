import { Clock, systemClock } from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { EgressClient, EgressModule } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { McpServers } from './mcp-servers.js';

/** Provides the process's one {@link McpServers}. */
@Module({
  imports: [EgressModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    {
      provide: McpServers,
      inject: [EgressClient, Clock, ENV],
      useFactory: (egress: EgressClient, clock: Clock, env: Env) => new McpServers(egress, clock, env.mcpStdioCommands),
    },
  ],
  exports: [McpServers],
})
export class McpModule {}
