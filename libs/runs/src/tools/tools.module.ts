import { AgentsModule } from '@app/agents';
import { ConnectionsModule } from '@app/connections';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { MailModule } from '@app/platform/mail';
import { McpModule } from '@app/platform/mcp';
import { QueueModule } from '@app/platform/queue';
import { KnowledgeSearchModule } from '@app/knowledge';
import { PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ChildRunsModule } from '../children/child-runs.module.js';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunStartModule } from '../start/run-start.module.js';
import { AgentStateModule } from '../state/agent-state.module.js';
import { AgentToolAdapter } from './agent-tool.adapter.js';
import { EmailToolAdapter } from './email-tool.adapter.js';
import { HttpToolAdapter } from './http-tool.adapter.js';
import { KnowledgeToolAdapter } from './knowledge-tool.adapter.js';
import { McpToolAdapter } from './mcp-tool.adapter.js';
import { SqlToolAdapter } from './sql-tool.adapter.js';
import { StateToolAdapter } from './state-tool.adapter.js';
import { StandaloneReadsService } from './standalone-reads.service.js';
import { TOOL_ADAPTERS, type ToolAdapters } from './tool-adapter.js';
import { ToolTokensService } from './tool-tokens.service.js';
import { ToolDispatcherService } from './tool-dispatcher.service.js';

@Module({
  imports: [
    ConnectionsModule,
    EgressModule,
    MailModule,
    KnowledgeSearchModule,
    McpModule,
    SecretsModule,
    WorkspaceModule,
    PeopleModule,
    ChildRunsModule,
    RunPrivacyModule,
    RunStartModule,
    AgentsModule,
    AgentStateModule,
    QueueModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    AgentToolAdapter,
    EmailToolAdapter,
    HttpToolAdapter,
    KnowledgeToolAdapter,
    McpToolAdapter,
    SqlToolAdapter,
    StateToolAdapter,
    ToolTokensService,
    {
      provide: TOOL_ADAPTERS,
      inject: [
        HttpToolAdapter,
        McpToolAdapter,
        EmailToolAdapter,
        AgentToolAdapter,
        KnowledgeToolAdapter,
        StateToolAdapter,
        SqlToolAdapter,
      ],
      useFactory: (
        http: HttpToolAdapter,
        mcp: McpToolAdapter,
        email: EmailToolAdapter,
        agent: AgentToolAdapter,
        knowledge: KnowledgeToolAdapter,
        state: StateToolAdapter,
        sql: SqlToolAdapter,
      ): ToolAdapters => ({ http, openapi: http, mcp, email, agent, knowledge, state, postgres: sql, mysql: sql }),
    },
    StandaloneReadsService,
    ToolDispatcherService,
  ],
  exports: [StandaloneReadsService, ToolDispatcherService],
})
export class ToolsModule {}
