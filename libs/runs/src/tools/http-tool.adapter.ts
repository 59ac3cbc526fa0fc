import { Clock } from '@app/kernel';
import type { HttpTool, OpenapiTool } from '@app/definition';
import { type RecordedAnswersConfig, recordedAnswersConfig } from './recorded-answers.config.js';
import { currentTraceparent } from '@app/platform/observability';
import { EgressClient, EgressError, type EgressResponse } from '@app/platform/egress';
import { Inject, Injectable } from '@nestjs/common';
import { retryAfter } from '../interpreter/retries.js';
import { buildHttpRequest, UnusableRequest } from './http-request.js';
import { responseOutput, responseSummary } from './http-response.js';
import type { ToolAdapter } from './tool-adapter.js';
import { type PreparedCall, refused, type ToolCall, type ToolCallResult, undescribed } from '../calls/tool-call.js';

// More than MAX_RECORDED_BYTES can be, so that the hash of a larger response is still the hash of what was sent. Of one that is larger than
// this the record says that it is of the beginning.
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Calls the operations of tools that speak HTTP through the egress client: `type: http`, and `type: openapi` once described. */
@Injectable()
export class HttpToolAdapter implements ToolAdapter<HttpTool>, ToolAdapter<OpenapiTool> {
  constructor(
    private readonly egress: EgressClient,
    private readonly clock: Clock,
    @Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig,
  ) {}

  async call(tool: HttpTool | OpenapiTool, call: PreparedCall): Promise<ToolCallResult> {
    const { http } = call.operation;
    const baseUrl = tool.baseUrl ?? http?.baseUrl;
    if (!http || typeof baseUrl !== 'string') return undescribed(tool);
    try {
      const side = { baseUrl, headers: tool.headers, auth: tool.auth };
      const { method, url, headers, body } = buildHttpRequest(side, http, call.request, call.context);
      const answer = await this.egress.request({
        method,
        url,
        headers: Object.assign(headers, identification(call)),
        body: body ?? undefined,
        signal: call.signal,
        timeoutMs: call.timeoutMs,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        redirect: call.operation.scope === 'read' ? 'follow' : 'none',
        onBeforeSend: call.mayStart,
      });
      return answered(call, answer, { now: this.clock.now().getTime(), maxBytes: this.config.maxRecordedBytes });
    } catch (error) {
      if (error instanceof UnusableRequest) return refused(error.message);
      if (error instanceof EgressError) return failed(call, error);
      throw error;
    }
  }
}

/** Lets a receiver recognise a repeated call, find the run it came from, refuse calls of a stopped epoch, and go on with the trace. */
function identification({ operation, idempotencyKey, origin }: ToolCall): Record<string, string> {
  const headers: Record<string, string> = {
    'agent-run': origin.runId,
    'agent-step': origin.step,
    'agent-epoch': origin.epoch,
  };
  const traceparent = currentTraceparent();
  if (traceparent !== undefined) headers.traceparent = traceparent;
  if (operation.idempotencyHeader) headers[operation.idempotencyHeader.toLowerCase()] = idempotencyKey;
  return headers;
}

function answered(
  call: PreparedCall,
  answer: EgressResponse,
  { now, maxBytes }: { now: number; maxBytes: number },
): ToolCallResult {
  const output = responseOutput(answer, call.redaction, maxBytes);
  const detail = { http_status: answer.status, response_summary: responseSummary(answer, output, maxBytes) };
  const response = { status: answer.status, headers: { ...answer.headers }, body: output };
  if (answer.status < 300) return { kind: 'answered', output, response, detail };
  const message = `${call.operation.fullName} answered ${detail.response_summary}`;
  const retryAfterMs = ASKS_FOR_TIME.has(answer.status) ? retryAfter(answer.headers, now) : undefined;
  const permanent = isPermanent(answer.status);
  return {
    kind: 'refused',
    code: 'tool_error',
    message,
    detail,
    permanent,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(IS_NOT_THERE.has(answer.status) && { response }),
  };
}

/** A call whose bytes may have left is only known to have failed where repeating it would do no harm. */
function failed({ operation }: ToolCall, error: EgressError): ToolCallResult {
  const code = error.reason === 'timeout' ? 'timeout' : 'tool_error';
  const message = `${operation.fullName}: ${error.message}`;
  const detail = { response_summary: message };
  const known = !error.sent || operation.effect === 'read';
  if (!known) return { kind: 'unknown', code, message, detail };
  const permanent = error.reason === 'blocked' || error.reason === 'invalid_url' || error.reason === 'too_large';
  return { kind: 'refused', code, message, detail, permanent, unanswered: true };
}

// Statuses that tell of what was asked about, not of the asking (RFC 9110): whoever looks for an effect learns that it is not there.
const IS_NOT_THERE = new Set([404, 410]);

// Statuses of the 4xx class that say "not now" rather than "not like this" (RFC 9110, RFC 6585, RFC 8470).
const NOT_NOW = new Set([408, 425, 429]);

/** Statuses whose `Retry-After` says when to come again; of a redirect it says something else. */
const ASKS_FOR_TIME = new Set([429, 503]);

function isPermanent(status: number): boolean {
  return status < 500 && !NOT_NOW.has(status);
}
