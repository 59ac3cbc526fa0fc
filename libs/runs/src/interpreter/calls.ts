import type { RetryPolicy, ToolOperation } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { postponedBefore, retryDelay } from './retries.js';
import type { Call, Outcome, Outcomes } from './plan.js';
import type { RunFileIndex } from './run-file-facts.js';
import type { Progress } from './progress.js';

export interface CallPlace {
  path: string;
  stepId: string | null;
  timeoutMs: number | null;
  steps: JsonObject;
}

/** Its time limit is the shorter of the limits of the step and the operation. */
export function firstTry(operation: ToolOperation, request: JsonObject, place: CallPlace): Call {
  const { path, stepId, timeoutMs, steps } = place;
  const limit = Math.min(timeoutMs ?? operation.timeoutMs, operation.timeoutMs);
  return { kind: 'call', path, stepId, operation, request, steps, timeoutMs: limit, try: 1, delayMs: 0 };
}

/** Returns the reason why the operation cannot be called with this request. Returns undefined if it can be called. */
export function requestProblem(operation: ToolOperation, request: JsonValue, files: RunFileIndex): string | undefined {
  if (!isJsonObject(request)) return `The request of ${operation.fullName} must be an object.`;
  const misfit = operation.request?.validate(request, undefined, files)[0];
  if (!misfit) return undefined;
  return `The request does not match the schema of ${operation.fullName} at ${misfit.pointer || 'its root'}: ${misfit.detail}`;
}

const SHOWN_ARGUMENTS = 2_000;

/** Arguments that cannot be parsed are recorded as text. */
export function argumentsProblem(operation: ToolOperation, input: JsonValue): string | undefined {
  if (isJsonObject(input)) return undefined;
  const sent = typeof input === 'string' ? input : JSON.stringify(input);
  const shown = sent.slice(0, SHOWN_ARGUMENTS).toWellFormed();
  const rest = `The call was not made. Call the tool again with the arguments as one JSON object. You sent: ${shown}`;
  return `The arguments of ${operation.fullName} are not a JSON object${jsonProblem(sent)}. ${rest}`;
}

function jsonProblem(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error instanceof Error ? ` (invalid JSON: ${error.message})` : '';
  }
}

export function* outcomeOfCall(
  call: Call,
  policy: RetryPolicy,
  outcomeAt: (path: string) => ReturnType<Outcomes['get']>,
): Progress<Outcome> {
  for (;;) {
    const outcome = outcomeAt(call.path);
    if (outcome?.ok) return outcome;
    if (!outcome) {
      yield [call];
      continue;
    }
    const delayMs = retryDelay(policy, call.operation, outcome.error, outcome.tries);
    if (delayMs === null) return outcome;
    yield [{ ...call, try: outcome.tries + 1, delayMs, ...postponedBefore(outcome.error) }];
  }
}
