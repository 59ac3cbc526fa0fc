import { randomBytes } from 'node:crypto';
import { type CompiledDefinition, compileDefinition } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import { CryptoModule } from '@app/platform/crypto';
import { DatabaseModule } from '@app/platform/database';
import { createLogger, ObservabilityModule } from '@app/platform/observability';
import {
  ApiKeyAuthenticationService,
  type Principal,
  SecretsService,
  SecretsModule,
  WorkspaceBootstrapService,
} from '@app/workspace';
import { Module, type Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { NoWorkOfAgents } from '../../../agents/src/testing/no-work-of-agents.module.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { settingsModule } from '../../../../test/support/settings-module.js';
import type { ToolCall, ToolCallResult } from '../calls/tool-call.js';
import { ToolDispatcherService } from '../tools/tool-dispatcher.service.js';
import { ToolsModule } from '../tools.module.js';

@Module({})
class TestProviders {}

/** The tool dispatcher with its adapters, as in a worker, and a workspace in which tests call tools. */
export class ToolBench {
  ada!: Principal;

  private constructor(
    readonly app: TestingModule,
    private readonly database: TestDatabase,
  ) {}

  static async start(env: Readonly<Record<string, string>>, providers: Provider[] = []): Promise<ToolBench> {
    const database = await createTestDatabase();
    const source = { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('hex'), ...env };
    const app = await Test.createTestingModule({
      imports: [
        settingsModule(source),
        CryptoModule,
        ObservabilityModule.of(createLogger({ level: 'silent', format: 'json', name: 'tool-bench' })),
        DatabaseModule.of({ url: database.url, poolSize: 5, applicationName: 'tool-bench' }),
        SecretsModule,
        NoWorkOfAgents,
        ToolsModule,
        { module: TestProviders, global: true, providers, exports: providers },
      ],
    }).compile();
    const bench = new ToolBench(app, database);
    await bench.newWorkspace();
    return bench;
  }

  get secrets(): SecretsService {
    return this.app.get(SecretsService, { strict: false });
  }

  async newWorkspace(): Promise<void> {
    const bootstrap = this.app.get(WorkspaceBootstrapService, { strict: false });
    const { key } = await bootstrap.createWorkspace({ name: 'acme', adminEmail: 'ada@example.com' });
    this.ada = await this.app.get(ApiKeyAuthenticationService, { strict: false }).authenticate(key);
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.database.drop();
  }

  /** Calls an operation of a test definition with these tools. */
  call(
    tools: JsonObject[],
    operation: string,
    request: JsonObject,
    more: Partial<ToolCall> = {},
  ): Promise<ToolCallResult> {
    return this.callOf(
      compileDefinition({ name: 'a', tools, steps: [{ id: 's', tool: operation }] }),
      operation,
      request,
      more,
    );
  }

  callOf(
    definition: CompiledDefinition,
    name: string,
    request: JsonObject,
    more: Partial<ToolCall> = {},
  ): Promise<ToolCallResult> {
    const operation = definition.operations.get(name);
    if (!operation) throw new Error(`the test definition has no operation ${name}`);
    return this.app.get(ToolDispatcherService).callTool(definition, {
      workspaceId: this.ada.workspaceId,
      mode: 'production',
      operation,
      request,
      hidden: [],
      timeoutMs: 5_000,
      context: { input: { team: 'blue' } },
      idempotencyKey: 'run_1/s',
      origin: { runId: 'run_1', step: 's', epoch: '1', attempt: 1 },
      initiator: 'ada@example.com',
      budgetMicros: null,
      stateBegin: null,
      signal: new AbortController().signal,
      released: new AbortController().signal,
      mayStart: () => true,
      ...more,
    });
  }
}
