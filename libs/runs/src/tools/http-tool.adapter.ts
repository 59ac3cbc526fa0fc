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

// Maximum number of bytes that are read of a response. It exceeds the maximum of MAX_RECORDED_BYTES, so that a
// truncated record usually contains the hash of the whole response.
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Calls operations of `type: http` tools, and of described `type: openapi` tools, through the egress client. */
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
        headersTimeoutMs: call.timeoutMs,
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

/**
 * Returns headers with which the receiver can deduplicate calls, find the run, reject calls of a stopped epoch, and
 * continue the trace.
 */
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

/**
 * Returns the result of a failed call. If bytes may have been sent, the outcome is unknown, unless the call is a read.
 */
function failed({ operation }: ToolCall, error: EgressError): ToolCallResult {
  const code = error.reason === 'timeout' ? 'timeout' : 'tool_error';
  const message = `${operation.fullName}: ${error.message}`;
  const detail = { response_summary: message };
  const known = !error.sent || operation.effect === 'read';
  if (!known) return { kind: 'unknown', code, message, detail };
  const permanent = error.reason === 'blocked' || error.reason === 'invalid_url' || error.reason === 'too_large';
  return { kind: 'refused', code, message, detail, permanent, unanswered: true };
}

// Statuses of an absent resource (RFC 9110). For a reconciliation, they mean that the call had no effect.
const IS_NOT_THERE = new Set([404, 410]);

// 4xx statuses after which the same request may be retried (RFC 9110, RFC 6585, RFC 8470).
const NOT_NOW = new Set([408, 425, 429]);

/** Statuses whose `Retry-After` states when to retry. With a redirect the header has another meaning. */
const ASKS_FOR_TIME = new Set([429, 503]);

function isPermanent(status: number): boolean {
  return status < 500 && !NOT_NOW.has(status);
}
