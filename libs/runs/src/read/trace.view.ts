import { isJsonObject, type JsonObject } from '@app/kernel';
import { shownObject, shownValue } from '../privacy/sealed-value.js';
import type { RunStepEntity } from '../records/run-step.entity.js';
import type { RunEntity } from '../records/run.entity.js';
import { isRetrieval, type TracedRun } from './run-queries.service.js';
import type { TracePart } from './list-filters.js';

/**
 * A step that has not ended is `running`, `pending` (approved, but not started), `in_doubt`, `waiting` (for a time or a
 * callback) or `awaiting_approval`. The step that represents an open approval is `open`.
 */
export const TRACE_STATUSES = [
  'succeeded',
  'failed',
  'denied',
  'simulated',
  'in_doubt',
  'cancelled',
  'running',
  'pending',
  'awaiting_approval',
  'waiting',
  'open',
  'approved',
  'rejected',
  'answered',
  'expired',
] as const;
export type TraceStatus = (typeof TRACE_STATUSES)[number];

export interface TraceStepView {
  n: number;
  type: string;
  id: string;
  path?: string;
  at: string;
  duration_ms: number | null;
  status: TraceStatus;
  [further: string]: unknown;
}

/** It is the first step of each trace, and is not stored in `run_steps`. */
const TRIGGER_N = 1;

const SUMMARY = ['n', 'type', 'id', 'path', 'at', 'duration_ms', 'status', 'tool', 'scope', 'knowledge_bases'] as const;

/**
 * If `steps` contains more steps than requested, the result has `next_after_n`, which states that more steps follow.
 */
export function presentTrace({ run, steps }: TracedRun, { afterN, limit = Infinity, summary, responses }: TracePart) {
  const trigger = afterN < TRIGGER_N ? [presentTrigger(run)] : [];
  const all = [...trigger, ...steps.map((step) => presentStep(step, responses))];
  const shown = all.slice(0, limit).map((step) => (summary ? summaryOf(step) : step));
  const last = all.length > limit ? shown.at(-1) : undefined;
  return { run: run.id, steps: shown, ...(last && { next_after_n: last.n }) };
}

function summaryOf(step: TraceStepView): TraceStepView {
  return Object.fromEntries(SUMMARY.flatMap((name) => (name in step ? [[name, step[name]]] : []))) as TraceStepView;
}

function presentTrigger(run: RunEntity): TraceStepView {
  return {
    n: TRIGGER_N,
    type: 'trigger',
    id: stepId(run.id, TRIGGER_N),
    at: run.createdAt.toISOString(),
    duration_ms: 0,
    status: 'succeeded',
    data: shownObject(run.trigger),
  };
}

function presentStep(step: RunStepEntity, hasResponse = false): TraceStepView {
  return {
    n: step.n,
    type: isRetrieval(step) ? 'retrieval' : step.type,
    id: stepId(step.runId, step.n),
    path: step.path,
    at: step.startedAt.toISOString(),
    duration_ms: step.endedAt ? step.endedAt.getTime() - step.startedAt.getTime() : null,
    ...(step.type === 'tool_call' && (isRetrieval(step) ? retrieval(step) : toolCall(step))),
    ...(step.type === 'code' && code(step)),
    ...(step.type === 'wait' && { until: step.dueAt?.toISOString() ?? null, ...callbackBody(step) }),
    // If the call is in doubt or was never sent, the detail contains a `duration_ms`, which replaces the computed
    // `duration_ms`.
    ...(step.detail && shownDetail(step.detail, step.type)),
    ...(isAboutApproval(step) && decided(step)),
    status: traceStatus(step),
    ...(step.error && { error: presentError(step.error) }),
    ...(hasResponse && step.type === 'tool_call' && responseOf(step)),
  };
}

const NO_CACHE = { cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };

function shownDetail(detail: JsonObject, type: RunStepEntity['type']): JsonObject {
  const { rejected_params: _, http: __, ...shown } = shownObject(detail);
  const { usage } = shown;
  return type === 'model_call' && isJsonObject(usage) ? { ...shown, usage: { ...NO_CACHE, ...usage } } : shown;
}

function callbackBody({ detail, endedAt, output }: RunStepEntity): JsonObject {
  return detail?.for === 'callback' && endedAt && output !== null ? { output: shownValue(output) } : {};
}

function presentError(error: NonNullable<RunStepEntity['error']>): JsonObject {
  const { code, message, step } = error;
  return { code, message, step };
}

/** The response of a failed call is the body of its error. */
function responseOf({ output, error, detail }: RunStepEntity): JsonObject {
  const response = shownValue(output ?? error?.body ?? null);
  const http = shownValue(detail?.http ?? null);
  return { ...(http !== null && { http }), ...(response !== null && { response }) };
}

/** `response_summary` is empty until `step.detail` contains a summary. */
function toolCall({ tool, scope, effect, try: attempt, request }: RunStepEntity): JsonObject {
  return { tool, scope, effect, try: attempt, request: request && shownObject(request), response_summary: '' };
}

/** A failed step has no output. */
function code({ request, output, state }: RunStepEntity): JsonObject {
  return { request: request && shownObject(request), ...(state === 'succeeded' && { output: shownValue(output) }) };
}

/** The fields about passages are empty until `step.detail` contains them. */
function retrieval({ request, try: attempt }: RunStepEntity): JsonObject {
  const { base = null, query = '' } = (request && shownObject(request)) ?? {};
  const bases = typeof base === 'string' ? [base] : [];
  return { knowledge_bases: bases, query, try: attempt, passages: 0, documents: [] };
}

function isAboutApproval({ type }: RunStepEntity): boolean {
  return type === 'approval' || type === 'in_doubt';
}

/** The fields are empty until a decision is made. */
function decided({ output, detail }: RunStepEntity): JsonObject {
  if (detail && isQuestion(detail)) return detail.decision === 'answer' ? { answer: shownValue(output) } : {};
  if (!isJsonObject(output)) return {};
  const { decision = null, decided_by = [], comment = null } = output;
  return { decision, decided_by, comment };
}

/** Only questions have a `title`. The output of a question is the answer, so `detail` contains the decision. */
function isQuestion(detail: JsonObject): boolean {
  return 'title' in detail;
}

function stepId(runId: string, n: number): string {
  return `${runId}.${n}`;
}

const OF_STATE: Readonly<Record<RunStepEntity['state'], TraceStatus>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  denied: 'denied',
  rejected: 'denied',
  simulated: 'simulated',
  in_doubt: 'in_doubt',
  cancelled: 'cancelled',
  // The next attempt of the call is a separate step.
  interrupted: 'cancelled',
  started: 'running',
  ready: 'pending',
  awaiting_approval: 'awaiting_approval',
  waiting: 'waiting',
};

/** A step that represents an approval has the status of the approval. */
function traceStatus(step: RunStepEntity): TraceStatus {
  if (step.type === 'approval' || step.type === 'in_doubt') return approvalStatus(step);
  // The stored state is `failed`, because the definition handles the failure and the run has continued.
  if (step.type === 'tool_call' && step.error?.code === 'in_doubt') return 'in_doubt';
  if (step.error?.code === 'knowledge_forbidden' && step.state === 'failed') return 'denied';
  return OF_STATE[step.state];
}

function approvalStatus({ state, output, detail }: RunStepEntity): TraceStatus {
  if (state === 'awaiting_approval') return 'open';
  if (state === 'cancelled' || state === 'simulated') return state;
  if (detail && isQuestion(detail)) return detail.decision === 'answer' ? 'answered' : 'expired';
  const said = typeof output === 'object' && output !== null && 'status' in output ? output.status : null;
  return TRACE_STATUSES.find((status) => status === said) ?? 'approved';
}
