import { KNOWLEDGE_RETRIEVAL, type RetryPolicy } from '@app/definition';
import type { JsonValue } from '@app/kernel';
import { type CallPlace, firstTry, outcomeOfCall } from './calls.js';
import type { Outcome } from './plan.js';
import type { PlanInProgress } from './plan-in-progress.js';
import { type Progress, StepFailure } from './progress.js';

const MAX_QUERY = 10_000;

export interface Lookup {
  base: string;
  query: string;
  topK: number;
}

/** The query is an ordinary call, so policies, recorded results and mocks of evaluation cases apply to it. */
export function* retrieval(
  plan: PlanInProgress,
  { base, query, topK }: Lookup,
  place: CallPlace,
  retry: RetryPolicy | null,
): Progress<Outcome> {
  const operation = plan.definition.operations.get(KNOWLEDGE_RETRIEVAL);
  if (!operation)
    throw StepFailure.of(
      place.stepId ?? '',
      'internal_error',
      'The definition names no knowledge base. Add one to `knowledge`.',
    );
  const asked = query.trim().slice(0, MAX_QUERY).toWellFormed() || ' ';
  const call = firstTry(operation, { base, query: asked, top_k: topK }, place);
  return yield* outcomeOfCall(call, retry ?? plan.definition.retry, plan.outcome);
}

/** Used for the retrieval before the first turn. */
export function questionOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts
    .map(questionOf)
    .filter((text) => text !== '')
    .join('\n');
}
