import { Injectable } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { DomainError, type JsonValue } from '@app/kernel';
import { hasEnded, RunIntakeService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { waitMillis } from './held-wait.js';
import type { McpExchange } from './mcp-address.js';
import { McpWaitsService } from './mcp-waits.service.js';
import { OWN_TOOLS } from './own-tools.js';
import { RunAnswersService } from './run-answers.service.js';

type OwnToolName = keyof typeof OWN_TOOLS;
/** The schema of a tool describes its arguments, and was checked before the call. */
type Given = { run: string; wait?: string };
type Call = (exchange: McpExchange, given: Given) => Promise<CallToolResult>;

/** The tools of the service itself: they read and cancel the runs that the member started through this server. */
@Injectable()
export class OwnToolsService {
  private readonly calls: Readonly<Record<OwnToolName, Call>> = {
    cancel_run: (exchange, given) => this.cancelRun(exchange, given),
    get_run: (exchange, given) => this.getRun(exchange, given),
  };

  constructor(
    private readonly answers: RunAnswersService,
    private readonly waits: McpWaitsService,
    private readonly intake: RunIntakeService,
  ) {}

  /** Returns undefined if the tool is not one of these, or the key lacks its scope. */
  find(
    { scopes }: Principal,
    name: string,
  ): ((exchange: McpExchange, given: JsonValue) => Promise<CallToolResult>) | undefined {
    if (!isOwnTool(name) || !scopes.has(OWN_TOOLS[name].scope)) return undefined;
    return (exchange, given) => this.calls[name](exchange, OWN_TOOLS[name].check(given) as Given);
  }

  private async getRun({ principal, gone }: McpExchange, { run: runId, wait = '0s' }: Given): Promise<CallToolResult> {
    const millis = waitMillis(wait);
    const read = await this.answers.read(principal, runId);
    if (millis === 0 || hasEnded(read.run.status)) return this.answers.present(principal, read);
    await this.waits.wait({ runId, millis, gone });
    return this.answers.present(principal, await this.answers.read(principal, runId));
  }

  /** The result of a cancelled run is no error here, because the call did what it should. */
  private async cancelRun({ principal }: McpExchange, { run: runId }: Given): Promise<CallToolResult> {
    const { run } = await this.answers.read(principal, runId);
    if (hasEnded(run.status))
      throw new DomainError(
        'run_not_cancellable',
        `The run has ended as ${run.status}; only a run that has not ended can be cancelled.`,
      );
    await this.intake.cancelRun(principal.workspaceId, runId, { reason: null, actor: principal.email });
    const { isError: _, ...result } = this.answers.present(principal, await this.answers.read(principal, runId));
    return result;
  }
}

function isOwnTool(name: string): name is OwnToolName {
  return Object.hasOwn(OWN_TOOLS, name);
}
