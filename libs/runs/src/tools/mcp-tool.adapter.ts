import { mcpTarget, type McpTool } from '@app/definition';
import { Clock, DomainError, isJsonObject, type JsonValue, parseExactJson } from '@app/kernel';
import { type RecordedAnswersConfig, recordedAnswersConfig } from './recorded-answers.config.js';
import { type McpAnswer, McpError, type McpOwner, McpServers } from '@app/platform/mcp';
import { EgressError } from '@app/platform/egress';
import { Inject, Injectable } from '@nestjs/common';
import { recordable, summaryText } from '../calls/recorded-value.js';
import { isRunErrorCode } from '../interpreter/run-error.js';
import { ArgumentFilesService } from './argument-files.service.js';
import { delayOf, isPermanent } from './http-status.js';
import { blockBytes, recordedBlocks } from './mcp-blocks.js';
import { ReceivedFilesService } from './received-files.service.js';
import type { ToolAdapter } from './tool-adapter.js';
import { UnusableRequest } from './unusable-request.js';
import { agentIdOf, type PreparedCall, refused, type ToolCallResult, undescribed } from '../calls/tool-call.js';

@Injectable()
export class McpToolAdapter implements ToolAdapter<McpTool> {
  constructor(
    private readonly servers: McpServers,
    private readonly argumentFiles: ArgumentFilesService,
    private readonly received: ReceivedFilesService,
    private readonly clock: Clock,
    @Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig,
  ) {}

  async call(tool: McpTool, call: PreparedCall): Promise<ToolCallResult> {
    const { operation, signal, timeoutMs, mayStart } = call;
    if (!operation.request) return undescribed(tool);
    const target = mcpTarget(tool, call.context);
    if (!target) return refused(`A header of ${tool.name} cannot be computed for this call.`);
    try {
      const inputSchema = operation.serverRequest ?? operation.request.schema;
      const args = await this.argumentFiles.argumentsOf(call);
      const pinned = { name: operation.id ?? operation.name, inputSchema, args };
      const exchange = { signal, timeoutMs, onBeforeSend: mayStart };
      const answer = await this.servers.callTool(target, ownerOf(tool, call), pinned, exchange);
      return answered(call, await this.withFiles(answer, call), this.config.maxRecordedBytes);
    } catch (error) {
      if (error instanceof McpError)
        return failed(call, error, { now: this.clock.now().getTime(), maxBytes: this.config.maxRecordedBytes });
      return fileFailure(call, error);
    }
  }

  /** Stores the bytes of the blocks that are recorded. A call outside a run stores none. */
  private async withFiles(answer: McpAnswer, call: PreparedCall): Promise<McpAnswer> {
    const { content, structured, isError } = answer;
    if (structured !== undefined || isError) return answer;
    const ids: (string | undefined)[] = [];
    for (const block of content) {
      const bytes = call.fileRun && blockBytes(block);
      ids.push(bytes && (await this.received.keep(call, bytes)));
    }
    return { ...answer, content: recordedBlocks(content, ids, call.files, this.config.maxRecordedBytes) };
  }
}

/** A file could not be sent, so nothing was, or the call was answered and a file of the answer could not be stored. */
function fileFailure({ operation }: PreparedCall, error: unknown): ToolCallResult {
  if (error instanceof UnusableRequest) return error.asResult(`${operation.fullName}: `);
  if (error instanceof DomainError && isRunErrorCode(error.code)) return refused(error.message, error.code);
  if (!(error instanceof EgressError)) throw error;
  const { message, sent } = error;
  if (!sent) return { kind: 'not_started' };
  const kind = operation.effect === 'read' ? 'refused' : 'unknown';
  return { kind, code: 'tool_error', message, detail: { response_summary: message } };
}

/** Runs in mode `test` never share a session with runs in production. */
function ownerOf({ session }: McpTool, { workspaceId, mode, context, origin, released }: PreparedCall): McpOwner {
  const agent = [workspaceId, agentIdOf(context), mode];
  if (session === 'agent') return { id: JSON.stringify(agent), released: null };
  return { id: JSON.stringify([...agent, origin.runId, origin.attempt]), released };
}

function answered({ operation, redaction }: PreparedCall, answer: McpAnswer, maxBytes: number): ToolCallResult {
  const output = recordable(outputOf(answer), redaction, maxBytes);
  const summary = summaryText(output);
  const detail = { response_summary: answer.isError ? `error: ${summary}` : summary };
  if (!answer.isError) return { kind: 'answered', output, response: { body: output }, detail };
  // Only the text of the error can state whether the call had an effect.
  const message = `${operation.fullName} returned an error: ${summary}`;
  return { kind: 'refused', code: 'tool_error', message, detail, body: output, permanent: true };
}

/**
 * Without structured content, returns a single text block as parsed JSON, or as text if it is not JSON. In all other
 * cases, returns all blocks, or null if there are none.
 */
function outputOf({ structured, content }: McpAnswer): JsonValue {
  if (structured !== undefined) return structured;
  const [only] = content;
  if (content.length === 1 && isJsonObject(only) && only.type === 'text' && typeof only.text === 'string') {
    return parsed(only.text);
  }
  return content.length === 0 ? null : { content: [...content] };
}

function parsed(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** It is unknown if the server may have executed a write: the response is missing, or its status is 500 or above. */
function failed(
  { operation, redaction }: PreparedCall,
  { reason, sent, response, message: cause }: McpError,
  { now, maxBytes }: { now: number; maxBytes: number },
): ToolCallResult {
  const code = reason === 'timeout' ? 'timeout' : 'tool_error';
  const body = response && recordable(parsed(response.text), redaction, maxBytes);
  const message =
    response === undefined
      ? `${operation.fullName}: ${cause}`
      : `${operation.fullName} responded with HTTP status ${response.status}: ${summaryText(body ?? null)}`;
  const detail = { ...(response && { http_status: response.status }), response_summary: message };
  const failure = { code, message, detail, ...(response && { status: response.status, body: body ?? null }) } as const;
  const isDefinite = reason === 'refused' || reason === 'unusable';
  if (sent && operation.effect !== 'read' && !isDefinite) return { kind: 'unknown', ...failure };
  if (response)
    return { kind: 'refused', ...failure, permanent: isPermanent(response.status), ...delayOf(response, now) };
  // The program is not allowed, the server has rejected the call, its tool has changed, or its result is unusable.
  if (reason === 'disabled' || isDefinite) return { kind: 'refused', ...failure, permanent: true };
  return { kind: 'refused', ...failure, permanent: false, unanswered: true };
}
