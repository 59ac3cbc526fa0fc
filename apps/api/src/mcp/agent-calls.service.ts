import { Injectable } from '@nestjs/common';
import type { Result, ServerContext } from '@modelcontextprotocol/server';
import { DomainError, type JsonValue } from '@app/kernel';
import { hasEnded, type RunWithApprovals } from '@app/runs';
import { AgentStartsService } from './agent-starts.service.js';
import type { ExposedTool } from './exposed-tools.service.js';
import { InputRequestsService } from './input-requests.service.js';
import type { McpExchange } from './mcp-address.js';
import { clientOf, type McpClient } from './mcp-client.js';
import { McpTasksService } from './mcp-tasks.service.js';
import { McpWaitsService } from './mcp-waits.service.js';
import { type CallState, RequestStatesService } from './request-states.service.js';
import { RunAnswersService } from './run-answers.service.js';
import { unknownTool } from './call-results.js';

/** Calls agents as tools: starts a run, or continues an earlier call, and waits for the end of the run. */
@Injectable()
export class AgentCallsService {
  constructor(
    private readonly starts: AgentStartsService,
    private readonly waits: McpWaitsService,
    private readonly states: RequestStatesService,
    private readonly answers: RunAnswersService,
    private readonly people: InputRequestsService,
    private readonly tasks: McpTasksService,
  ) {}

  /**
   * Returns the result of the tool, a task, or a request to the user of the assistant.
   * @throws ProtocolError -32602 for a wrong `requestState`, and the errors of {@link AgentStartsService.start}
   */
  async call(exchange: McpExchange, tool: ExposedTool, given: JsonValue, context: ServerContext): Promise<Result> {
    const { principal, gone } = exchange;
    const client = clientOf(context);
    const sealed = context.mcpReq.requestState();
    const state: CallState =
      typeof sealed === 'string'
        ? await this.continued(exchange, tool, sealed, context)
        : { run: await this.started(exchange, client, tool, given), tool: tool.exposure.tool, asked: [] };
    const { waitMs: millis } = tool.exposure;
    await this.waits.wait({ runId: state.run, millis, gone, isRepeated: state.asked.length > 0 });
    const read = await this.answers.read(principal, state.run);
    return this.answer(exchange, client, state, read);
  }

  private async started(
    exchange: McpExchange,
    client: McpClient,
    tool: ExposedTool,
    given: JsonValue,
  ): Promise<string> {
    try {
      return await this.starts.start(exchange, client, tool, given);
    } catch (error) {
      // The agent was archived after it was found.
      const isGone = error instanceof DomainError && (error.code === 'agent_archived' || error.code === 'not_found');
      throw isGone ? unknownTool() : error;
    }
  }

  private async continued(
    { principal }: McpExchange,
    { exposure: { tool } }: ExposedTool,
    sealed: string,
    context: ServerContext,
  ): Promise<CallState> {
    const state = this.states.open(principal, tool, sealed);
    const answers = context.mcpReq.inputResponses ?? {};
    await this.people.take(principal, clientOf(context), await this.answers.read(principal, state.run), answers);
    return state;
  }

  private async answer(
    { principal }: McpExchange,
    client: McpClient,
    state: CallState,
    read: RunWithApprovals,
  ): Promise<Result> {
    if (hasEnded(read.run.status)) return this.answers.present(principal, read);
    if (client.hasTasks) return { resultType: 'task', ...(await this.tasks.describe(principal, client, read)) };
    const asked = await this.people.of(principal, client, read, state.asked);
    if (!asked) return this.answers.present(principal, read);
    const { key, request } = asked;
    const requestState = this.states.seal(principal, { ...state, asked: [...state.asked, key] });
    return { resultType: 'input_required', inputRequests: { [key]: request }, requestState };
  }
}
