import { AgentsModule } from '@app/agents';
import { ConnectionsModule } from '@app/connections';
import { Clock, systemClock } from '@app/kernel';
import { FilesModule } from '@app/files';
import { EgressModule } from '@app/platform/egress';
import { MailModule } from '@app/platform/mail';
import { McpModule } from '@app/platform/mcp';
import { QueueModule } from '@app/platform/queue';
import { KnowledgeSearchModule } from '@app/knowledge';
import { PeopleModule, SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ArgumentFilesService } from './tools/argument-files.service.js';
import { AgentToolAdapter } from './tools/agent-tool.adapter.js';
import { EmailToolAdapter } from './tools/email-tool.adapter.js';
import { FilesToolAdapter } from './tools/files-tool.adapter.js';
import { HttpToolAdapter } from './tools/http-tool.adapter.js';
import { KnowledgeToolAdapter } from './tools/knowledge-tool.adapter.js';
import { McpToolAdapter } from './tools/mcp-tool.adapter.js';
import { RunsModule } from './runs.module.js';
import { SqlToolAdapter } from './tools/sql-tool.adapter.js';
import { StateToolAdapter } from './tools/state-tool.adapter.js';
import { ReceivedFilesService } from './tools/received-files.service.js';
import { SentFilesService } from './tools/sent-files.service.js';
import { StandaloneReadsService } from './tools/standalone-reads.service.js';
import { TOOL_ADAPTERS, type ToolAdapters } from './tools/tool-adapter.js';
import { ToolTokensService } from './tools/tool-tokens.service.js';
import { ToolDispatcherService } from './tools/tool-dispatcher.service.js';

@Module({
  imports: [
    ConnectionsModule,
    EgressModule,
    FilesModule,
    MailModule,
    KnowledgeSearchModule,
    McpModule,
    SecretsModule,
    WorkspaceModule,
    PeopleModule,
    AgentsModule,
    QueueModule,
    RunsModule,
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    AgentToolAdapter,
    ArgumentFilesService,
    EmailToolAdapter,
    FilesToolAdapter,
    HttpToolAdapter,
    KnowledgeToolAdapter,
    McpToolAdapter,
    SqlToolAdapter,
    StateToolAdapter,
    ReceivedFilesService,
    SentFilesService,
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
        FilesToolAdapter,
      ],
      useFactory: (
        http: HttpToolAdapter,
        mcp: McpToolAdapter,
        email: EmailToolAdapter,
        agent: AgentToolAdapter,
        knowledge: KnowledgeToolAdapter,
        state: StateToolAdapter,
        sql: SqlToolAdapter,
        files: FilesToolAdapter,
      ): ToolAdapters => ({
        http,
        openapi: http,
        mcp,
        email,
        agent,
        knowledge,
        state,
        postgres: sql,
        mysql: sql,
        files,
      }),
    },
    StandaloneReadsService,
    ToolDispatcherService,
  ],
  exports: [StandaloneReadsService, ToolDispatcherService],
})
export class ToolsModule {}
