import type { AccessToken } from '@app/connections';
import {
  allowsUrl,
  ExpressionError,
  type HttpTool,
  type OpenapiTool,
  type ResponseKind,
  type ToolAuth,
} from '@app/definition';
import { Clock, DomainError, type JsonObject, type JsonValue } from '@app/kernel';
import { type RecordedAnswersConfig, recordedAnswersConfig } from './recorded-answers.config.js';
import { currentTraceparent } from '@app/platform/observability';
import {
  EgressClient,
  EgressError,
  type EgressRequest,
  type EgressResponse,
  isWithoutBody,
} from '@app/platform/egress';
import { Inject, Injectable } from '@nestjs/common';
import { awsCredentials, type SentRequest, signedForAws } from './aws-signature.js';
import type { HttpRequest } from './described-request.js';
import { buildHttpRequest, deniedHost, type HttpSide } from './http-request.js';
import {
  contentType,
  type HttpAnswer,
  isBinary,
  NOT_JSON,
  responseAs,
  responseHeaders,
  responseOutput,
  responseSummary,
} from './http-response.js';
import { tracedRequest } from './traced-request.js';
import { delayOf, isPermanent } from './http-status.js';
import type { ToolAdapter } from './tool-adapter.js';
import { answerName, type ReceivedAnswer, ReceivedFilesService } from './received-files.service.js';
import { orLater, SentFilesService } from './sent-files.service.js';
import { type TokenAuth, ToolTokensService } from './tool-tokens.service.js';
import { UnusableRequest } from './unusable-request.js';
import { isRunErrorCode } from '../interpreter/run-error.js';
import { type PreparedCall, refused, type ToolCall, type ToolCallResult, undescribed } from '../calls/tool-call.js';

// It is larger than the highest allowed MAX_RECORDED_BYTES. Therefore, the SHA-256 in a truncated record usually covers
// the whole response. A longer binary response is streamed into its file.
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const UNAUTHORIZED = 401;

@Injectable()
export class HttpToolAdapter implements ToolAdapter<HttpTool>, ToolAdapter<OpenapiTool> {
  constructor(
    private readonly egress: EgressClient,
    private readonly clock: Clock,
    private readonly tokens: ToolTokensService,
    private readonly files: SentFilesService,
    private readonly received: ReceivedFilesService,
    @Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig,
  ) {}

  async call(tool: HttpTool | OpenapiTool, call: PreparedCall): Promise<ToolCallResult> {
    const { http } = call.operation;
    const baseUrl = tool.baseUrl ?? http?.baseUrl;
    if (!http || baseUrl === null || baseUrl === undefined) return undescribed(tool);
    const allowedHosts = tool.kind === 'http' ? tool.allowedHosts : undefined;
    const side = { baseUrl, headers: tool.headers, auth: tool.auth, ...(allowedHosts && { allowedHosts }) };
    let sent: JsonObject | undefined;
    try {
      const request = buildHttpRequest(side, http, call.request, call.context);
      sent = tracedRequest(request, http, call.privacy?.redactsNothing === false);
      const outcome = await this.repeated(call, () => this.exchange(side, request, call));
      return withRequest(await this.resultOf(outcome, call), sent);
    } catch (error) {
      return withRequest(failureOf(error, tool, call), sent);
    }
  }

  private async resultOf(outcome: HttpOutcome, call: PreparedCall): Promise<ToolCallResult> {
    if ('failed' in outcome) return outcome.failed;
    const answer = await this.withFile(outcome.answer, call);
    if (answer.damage && call.operation.effect === 'read' && isSuccess(call, answer.status))
      return failed(call, answer.damage);
    return answered(call, answer, { now: this.clock.now().getTime(), maxBytes: this.config.maxRecordedBytes });
  }

  /** Stores the bytes of a binary response that succeeded. */
  private async withFile(answer: ToolAnswer, call: PreparedCall): Promise<ToolAnswer> {
    if (answer.stored !== undefined || answer.damage || !isStoredBinary(answer, call)) return answer;
    const { rest, body } = answer;
    const filename = answerName(answer.headers['content-disposition'] ?? '', answer.url);
    const kept = { bytes: body, filename, contentType: contentType(answer) || undefined };
    if (!rest) return { ...answer, file: await this.received.keep(call, kept) };
    try {
      const { id: file, bytes, sha256 } = await this.received.keepStreamed(call, { ...kept, rest });
      return { ...answer, file, whole: { bytes, sha256 } };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      return { ...answer, damage: error };
    }
  }

  /** If the storage does not take the file of a response, a call whose repetition does no harm is made again later. */
  private repeated(call: PreparedCall, exchange: () => Promise<HttpOutcome>): Promise<HttpOutcome> {
    const { effect, http } = call.operation;
    const mayRepeat = http?.custom?.response === 'file' && effect !== 'at_most_once';
    return mayRepeat ? orLater(exchange) : exchange();
  }

  /** If the server rejects an access token with 401, sends the request once more with a new token. */
  private async exchange(side: HttpSide, request: HttpRequest, call: PreparedCall): Promise<HttpOutcome> {
    const { auth } = side;
    const deadline = this.clock.monotonicMillis() + call.timeoutMs;
    const send = async (token?: AccessToken): Promise<HttpOutcome> => ({
      answer: await this.send(await this.authenticated(request, auth, call, token), side, call, deadline),
    });
    if (!isTokenAuth(auth)) return send();
    const first = await this.tokens.tokenFor(auth, call);
    if ('failed' in first) return first;
    const outcome = await send(first.token);
    if ('failed' in outcome || outcome.answer.status !== UNAUTHORIZED) return outcome;
    const second = await this.tokens.tokenFor(auth, call, first.token);
    return 'failed' in second ? second : send(second.token);
  }

  private async authenticated(
    request: HttpRequest,
    auth: ToolAuth | null,
    call: PreparedCall,
    token?: AccessToken,
  ): Promise<SentRequest> {
    const { body, contentType } = await this.files.body(request.body, request.headers['content-type'], call);
    const headers: Record<string, string> = {
      ...request.headers,
      ...(contentType !== undefined && { 'content-type': contentType }),
    };
    if (token) headers.authorization = `Bearer ${token.token}`;
    const sent = { ...request, headers, body };
    if (auth?.kind !== 'aws_sigv4') return sent;
    return orLater(() => signedForAws(sent, awsCredentials(auth, call.context), this.clock.now()));
  }

  /** If the status of the response arrived but the rest of it could not be read, returns the status and the error. */
  private async send(
    { method, url, headers, body }: SentRequest,
    { allowedHosts }: HttpSide,
    call: PreparedCall,
    deadline: number,
  ): Promise<ToolAnswer> {
    const timeoutMs = Math.max(1, deadline - this.clock.monotonicMillis());
    const { scope, http } = call.operation;
    const request: EgressRequest = {
      method,
      url,
      headers: Object.assign(headers, identification(call)),
      body: body ?? undefined,
      signal: call.signal,
      timeoutMs,
      headersTimeoutMs: timeoutMs,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      redirect: scope === 'read' ? 'follow' : 'none',
      onRedirect: (target, status) => {
        if (http?.custom?.okStatus?.includes(status)) return false;
        if (allowedHosts && !allowsUrl(allowedHosts, target)) throw deniedHost(target);
        return true;
      },
      onBeforeSend: call.mayStart,
      wantsRest: (response) => isStoredBinary(response, call),
    };
    if (http?.custom?.response === 'file') return this.received.receive(request, call);
    return this.egress.request(request).catch((error: unknown) => decidedAnswer(error, method, url));
  }
}

function withRequest(result: ToolCallResult, http: JsonObject | undefined): ToolCallResult {
  return http === undefined || !('detail' in result) ? result : { ...result, detail: { ...result.detail, http } };
}

/** The body is then empty. */
type ToolAnswer = ReceivedAnswer & Pick<HttpAnswer, 'file' | 'whole'> & { readonly damage?: EgressError };

/** @throws the error, if neither the request nor the network caused it */
function failureOf(error: unknown, { name }: HttpTool | OpenapiTool, call: PreparedCall): ToolCallResult {
  if (error instanceof UnusableRequest) return error.asResult();
  if (error instanceof ExpressionError)
    return refused(`The credentials of ${name} cannot be computed: ${error.message}`);
  if (error instanceof EgressError) return failed(call, error);
  // Only storing the response throws it, so the request was sent and succeeded.
  if (error instanceof DomainError && error.kind === 'unavailable') return unstored(call, error);
  if (error instanceof DomainError && isRunErrorCode(error.code)) return refused(error.message, error.code);
  throw error;
}

/** A write was sent, and only its response is lost. */
function unstored({ operation }: ToolCall, { message }: DomainError): ToolCallResult {
  const detail = { response_summary: message };
  return { kind: operation.effect === 'at_most_once' ? 'unknown' : 'refused', code: 'tool_error', message, detail };
}

function decidedAnswer(error: unknown, method: string, url: string): ToolAnswer {
  if (!(error instanceof EgressError) || !error.head) throw error;
  const answer = { ...error.head, url, body: Buffer.alloc(0), truncated: false };
  return method === 'HEAD' || isWithoutBody(answer.status) ? answer : { ...answer, damage: error };
}

type HttpOutcome = { readonly answer: ToolAnswer } | { readonly failed: ToolCallResult };

/**
 * With them, the receiver can detect repeated calls, find the run, and continue the OpenTelemetry trace. It can also
 * reject calls that began before a stop of the workspace.
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
  answer: ToolAnswer,
  { now, maxBytes }: { now: number; maxBytes: number },
): ToolCallResult {
  const { status, damage } = answer;
  const { response: kind = null, okStatus = null } = call.operation.http?.custom ?? {};
  const { fullName } = call.operation;
  const isOk = isSuccess(call, status);
  const read = readBody(answer, isOk, isOk ? kind : null, call, maxBytes);
  const isJsonMissing = read === NOT_JSON;
  const body = isJsonMissing ? responseOutput(answer, call.redaction, maxBytes, call.files) : read;
  const summary = answer.stored
    ? `${status} ${answer.stored.content_type}, ${answer.stored.bytes} bytes, stored as a file`
    : responseSummary(answer, body, maxBytes, damage?.message);
  const detail = { http_status: status, response_summary: summary };
  const response = { status, headers: responseHeaders(answer), body };
  if (isOk && !isJsonMissing) return { kind: 'answered', output: okStatus ? response : body, response, detail };
  const message = `${fullName} responded with HTTP status ${detail.response_summary}`;
  const failure = { kind: 'refused' as const, code: 'tool_error' as const, detail, status, body };
  if (isJsonMissing)
    return {
      ...failure,
      // The summary ends with the beginning of the body, so no sentence can follow it.
      message: `The body of the response is not JSON, but \`response: json\` requires JSON. ${message}`,
      permanent: true,
    };
  return { ...failure, message, permanent: isPermanent(status), ...furtherFacts(answer, response, now) };
}

/** A call outside a run stores no file. */
function isStoredBinary(answer: HttpAnswer, call: PreparedCall): boolean {
  const { response = null } = call.operation.http?.custom ?? {};
  if (!call.fileRun || !isSuccess(call, answer.status)) return false;
  return response === 'binary' || (response === null && isBinary(answer));
}

function isSuccess({ operation }: PreparedCall, status: number): boolean {
  return status < 300 || operation.http?.custom?.okStatus?.includes(status) === true;
}

/**
 * If the response is damaged, a write has succeeded with an output that says so, and a failed call has no body: its
 * message contains the reason.
 */
function readBody(
  answer: ToolAnswer,
  isOk: boolean,
  kind: ResponseKind | null,
  { redaction, files }: PreparedCall,
  maxBytes: number,
): JsonValue | typeof NOT_JSON {
  if (answer.stored !== undefined) return answer.stored;
  if (answer.damage) return isOk ? { unreadable: true, reason: answer.damage.message } : null;
  return kind && kind !== 'file'
    ? responseAs(kind, answer, redaction, maxBytes, files)
    : responseOutput(answer, redaction, maxBytes, files);
}

/** For the statuses 404 and 410, also returns the response, because a reconciliation reads it. */
function furtherFacts(
  { status, headers }: EgressResponse,
  response: JsonObject,
  now: number,
): { retryAfterMs?: number; response?: JsonObject } {
  return { ...delayOf({ status, headers }, now), ...(IS_NOT_THERE.has(status) && { response }) };
}

/** The outcome is unknown if bytes of the request may have been sent, unless the call is a read. */
function failed({ operation }: ToolCall, error: EgressError): ToolCallResult {
  const code = error.reason === 'timeout' ? 'timeout' : 'tool_error';
  const message = `${operation.fullName}: ${error.message}`;
  const detail = { response_summary: message };
  const known = !error.sent || operation.effect === 'read';
  if (!known) return { kind: 'unknown', code, message, detail };
  const permanent = error.reason === 'blocked' || error.reason === 'invalid_url' || error.reason === 'too_large';
  return { kind: 'refused', code, message, detail, permanent, unanswered: true };
}

// From such a response, a reconciliation concludes that the call had no effect.
const IS_NOT_THERE = new Set([404, 410]);

function isTokenAuth(auth: ToolAuth | null): auth is TokenAuth {
  return auth?.kind === 'oauth2_client_credentials' || auth?.kind === 'oauth2';
}
