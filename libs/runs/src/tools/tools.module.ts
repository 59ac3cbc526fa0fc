import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { MailModule } from '@app/platform/mail';
import { McpModule } from '@app/platform/mcp';
import { QueueModule } from '@app/platform/queue';
import { KnowledgeSearchModule } from '@app/knowledge';
import { PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ChildRunsModule } from '../children/child-runs.module.js';
import { RunStartModule } from '../start/run-start.module.js';
import { AgentToolAdapter } from './agent-tool.adapter.js';
import { EmailToolAdapter } from './email-tool.adapter.js';
import { HttpToolAdapter } from './http-tool.adapter.js';
import { KnowledgeToolAdapter } from './knowledge-tool.adapter.js';
import { McpToolAdapter } from './mcp-tool.adapter.js';
import { TOOL_ADAPTERS, type ToolAdapters } from './tool-adapter.js';
import { ToolDispatcherService } from './tool-dispatcher.service.js';

@Module({
  imports: [
    EgressModule,
    MailModule,
    KnowledgeSearchModule,
    McpModule,
    SecretsModule,
    WorkspaceModule,
    PeopleModule,
    ChildRunsModule,
    RunStartModule,
    AgentsModule,
    QueueModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    AgentToolAdapter,
    EmailToolAdapter,
    HttpToolAdapter,
    KnowledgeToolAdapter,
    McpToolAdapter,
    {
      provide: TOOL_ADAPTERS,
      inject: [HttpToolAdapter, McpToolAdapter, EmailToolAdapter, AgentToolAdapter, KnowledgeToolAdapter],
      useFactory: (
        http: HttpToolAdapter,
        mcp: McpToolAdapter,
        email: EmailToolAdapter,
        agent: AgentToolAdapter,
        knowledge: KnowledgeToolAdapter,
      ): ToolAdapters => ({ http, openapi: http, mcp, email, agent, knowledge }),
    },
    ToolDispatcherService,
  ],
  exports: [ToolDispatcherService],
})
export class ToolsModule {}
