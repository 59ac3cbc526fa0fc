import { canonicalJson, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';
import type { CallError } from '../interpreter/run-error.js';

/** How a replay treats calls: it uses the results of the replayed run, or makes the calls. */
export const TOOL_RESULTS = ['recorded', 'live'] as const;
export type ToolResults = (typeof TOOL_RESULTS)[number];

/** A call that came to a result in an earlier run. */
export interface RecordedCall {
  /** Id of the step in that run's trace. */
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

/** The calls of a run that has ended, for a replay that takes their results instead of making them. */
export class RecordedCalls {
  private readonly byCall = new Map<string, RecordedCall>();

  /** In the order of their positions: of several tries of a call the last one counts. */
  constructor(private readonly calls: readonly RecordedCall[]) {
    for (const call of calls) this.byCall.set(keyOf(call.path, call.tool, call.request), call);
  }

  /** The same calls, each changed. */
  map(change: (call: RecordedCall) => RecordedCall): RecordedCalls {
    return new RecordedCalls(this.calls.map(change));
  }

  /** The record of the same call: at the same place of the plan, of the same operation, with an equal request. */
  find({ path, operation, request }: Call): RecordedCall | undefined {
    return this.byCall.get(keyOf(path, operation.fullName, request));
  }
}

/** Id of the run whose recorded calls this one takes over, or undefined where it makes its own. */
export function recordedRun({ trigger }: { trigger: JsonObject }): string | undefined {
  const { type, tool_results: results, run } = trigger;
  return (type === 'replay' || type === 'evaluation') && results === 'recorded' && typeof run === 'string'
    ? run
    : undefined;
}

function keyOf(path: string, tool: string, request: JsonObject): string {
  return canonicalJson([path, tool, request]);
}
