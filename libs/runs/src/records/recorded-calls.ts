import { canonicalJson, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';
import type { CallError } from '../interpreter/run-error.js';

/** How a replay handles calls: it uses the results of the replayed run, or it makes the calls. */
export const TOOL_RESULTS = ['recorded', 'live'] as const;
export type ToolResults = (typeof TOOL_RESULTS)[number];

/** A call of an earlier run that has a result. */
export interface RecordedCall {
  /** Id of the step in the trace of the earlier run. */
  id: string;
  path: string;
  tool: string;
  try: number;
  state: 'succeeded' | 'simulated' | 'failed';
  request: JsonObject;
  output: JsonValue;
  error: CallError | null;
  detail: JsonObject | null;
}

/** The answer to a question or the body of a callback in an earlier run. */
export interface RecordedAnswer {
  type: 'approval' | 'wait';
  id: string;
  path: string;
  output: JsonValue;
}

/** The calls of an ended run. A replay uses their results instead of making the calls. */
export class RecordedCalls {
  private readonly byCall = new Map<string, RecordedCall>();

  /** `calls` are sorted by position. If a call has several attempts, the last attempt counts. */
  constructor(
    private readonly calls: readonly RecordedCall[],
    private readonly answers: readonly RecordedAnswer[] = [],
  ) {
    for (const call of calls) this.byCall.set(keyOf(call.path, call.tool, call.request), call);
  }

  map(change: <T extends { request?: JsonObject; output: JsonValue }>(record: T) => T): RecordedCalls {
    return new RecordedCalls(this.calls.map(change), this.answers.map(change));
  }

  /** Returns the recorded answer to the question, or the recorded body of the callback, of the step with this path. */
  answerAt(path: string, type: RecordedAnswer['type']): RecordedAnswer | undefined {
    return this.answers.find((answer) => answer.path === path && answer.type === type);
  }

  /** Returns the record of the same call: one with the same path, the same operation and an equal request. */
  find({ path, operation, request }: Call): RecordedCall | undefined {
    return this.byCall.get(keyOf(path, operation.fullName, request));
  }
}

/** Returns the id of the run whose recorded calls this run uses. Returns undefined if this run makes its own calls. */
export function recordedRun({ trigger }: { trigger: JsonObject }): string | undefined {
  const { type, tool_results: results, run } = trigger;
  return (type === 'replay' || type === 'evaluation') && results === 'recorded' && typeof run === 'string'
    ? run
    : undefined;
}

function keyOf(path: string, tool: string, request: JsonObject): string {
  return canonicalJson([path, tool, request]);
}
