import { EgressError } from '@app/platform/egress';
import { isJsonObject, type JsonValue } from '@app/kernel';
import { APICallError } from '@ai-sdk/provider';
import { retryAfter } from '../interpreter/retries.js';
import { ReportedError, reportedError } from './reported-error.js';
import type { RunErrorCode } from '../interpreter/run-error.js';

export interface TurnFailure {
  code: RunErrorCode;
  message: string;
  permanent?: boolean;
  unanswered?: boolean;
  retryAfterMs?: number;
}

const MESSAGE_CHARACTERS = 500;
/** HTTP statuses from 400 to 499 after which the same request may be retried (RFC 9110, RFC 6585, RFC 8470). */
const NOT_NOW = new Set([408, 409, 425, 429]);

/** @param now current time in milliseconds since 1970, needed if `Retry-After` contains a date */
export function turnFailure(provider: string, error: unknown, now: number): TurnFailure {
  const reason = egressReason(error);
  if (reason === 'timeout')
    return { code: 'timeout', message: `${provider} did not respond in time.`, unanswered: true };
  if (reason !== undefined) {
    const permanent = reason === 'blocked' || reason === 'invalid_url' || reason === 'too_large';
    const message = `${provider}: ${error instanceof Error ? shortened(error.message) : reason}`;
    return { code: 'provider_error', message, permanent, unanswered: true };
  }
  if (error instanceof ReportedError) {
    const { status } = error;
    return { ...failureOf(status), message: `${provider} reported an error: ${textOf(error)}` };
  }
  if (APICallError.isInstance(error) && error.statusCode !== undefined) return refusal(provider, error, now);
  return { code: 'provider_error', message: `${provider} sent a response that cannot be parsed: ${textOf(error)}` };
}

/** True if the provider rejects the reasoning of earlier turns that was sent back to it. */
export function rejectsReasoning(error: unknown): boolean {
  if (!APICallError.isInstance(error) || error.statusCode !== 400) return false;
  return /encrypted|signature|thinking[ _`]*block/i.test(`${error.message} ${error.responseBody ?? ''}`);
}

/** Returns the names that the provider may mean by the parameter that it rejects: `param`, and the quoted words. */
export function rejectedNames(error: unknown): string[] {
  if (!APICallError.isInstance(error) || error.statusCode !== 400) return [];
  try {
    const body = JSON.parse(error.responseBody ?? '') as JsonValue;
    const reported = isJsonObject(body) && isJsonObject(body.error) ? body.error : body;
    const { param, message } = isJsonObject(reported) ? reported : {};
    const quoted = typeof message === 'string' ? message.matchAll(/["'`]([\w.]+)["'`]/g) : [];
    return [...(typeof param === 'string' ? [param] : []), ...[...quoted].flatMap(([, name]) => name ?? [])];
  } catch {
    return [];
  }
}

function refusal(provider: string, error: APICallError, now: number): TurnFailure {
  const status = error.statusCode ?? 0;
  const retryAfterMs = retryAfter(error.responseHeaders ?? {}, now);
  return {
    ...failureOf(status),
    message:
      status < 300
        ? `${provider} sent a response that cannot be parsed: ${textOf(error)}`
        : `${provider} responded with HTTP status ${status}: ${textOf(reportedIn(error) ?? error)}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function failureOf(status = 0): Pick<TurnFailure, 'code' | 'permanent'> {
  return {
    code: status === 429 ? 'provider_rate_limited' : 'provider_error',
    permanent: status >= 300 && status < 500 && !NOT_NOW.has(status),
  };
}

/** The library knows the form of one provider only, and else gives the words of HTTP. */
function reportedIn({ responseBody }: APICallError): ReportedError | undefined {
  try {
    return reportedError(JSON.parse(responseBody ?? '') as JsonValue);
  } catch {
    return undefined;
  }
}

/** The library may wrap the errors that its `fetch` throws. */
function egressReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof EgressError) return cause.reason;
  }
  return undefined;
}

function textOf(error: unknown): string {
  if (error instanceof Error) return shortened(error.message);
  return shortened(typeof error === 'string' ? error : JSON.stringify(error));
}

function shortened(text: string): string {
  return text.slice(0, MESSAGE_CHARACTERS).replaceAll('\0', '').toWellFormed();
}
