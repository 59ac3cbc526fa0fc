import { Clock, systemClock } from '@app/kernel';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyModule } from '../idempotency.module.js';
import { WorkspaceModule } from '../workspace.module.js';
import { McpClientEntity } from './mcp-client.entity.js';
import { McpClientRepository } from './mcp-client.repository.js';
import { McpClientsService } from './mcp-clients.service.js';
import { McpGrantsService } from './mcp-grants.service.js';
import { McpRequestStore } from './mcp-request.store.js';
import { McpTokenStore } from './mcp-token.store.js';

@Module({
  imports: [
    TypeOrmModule.forFeature([McpClientEntity]),
    WorkspaceModule,
    IdempotencyModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    McpClientRepository,
    McpClientsService,
    McpGrantsService,
    McpRequestStore,
    McpTokenStore,
  ],
  exports: [McpClientsService, McpGrantsService, McpRequestStore, McpTokenStore],
})
export class McpOauthDataModule {}
