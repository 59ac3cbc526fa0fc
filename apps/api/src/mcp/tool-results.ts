import type { Result } from '@modelcontextprotocol/server';
import { DomainError, type JsonObject } from '@app/kernel';
import type { Logger } from '@app/platform/observability';
import { databaseFailure } from '@app/platform/database';
import { refusalOf } from './call-results.js';

/** Returns the refusal of a call as a tool result: the code, the explanation and the places of the API. */
export function refusedResult(raised: unknown, logger: Logger): Result {
  const refusal = shownError(raised, logger);
  const content = [{ type: 'text', text: JSON.stringify(refusal) }];
  return { content, structuredContent: refusal, isError: true };
}

function shownError(raised: unknown, logger: Logger): JsonObject {
  const error = databaseFailure(raised);
  if (!(error instanceof DomainError) || error.kind === 'internal') {
    logger.error({ err: raised }, 'mcp: call failed');
    return { code: 'internal_error', detail: 'The service failed. Try again later. The logs contain the error.' };
  }
  return refusalOf(error);
}
