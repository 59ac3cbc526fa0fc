import { canonicalJson, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call, Outcome } from '../interpreter/plan.js';
import type { CallError } from '../interpreter/run-error.js';

/** How a replay handles calls. `recorded`: it uses the results of the replayed run. `live`: it makes the calls. */
export const TOOL_RESULTS = ['recorded', 'live'] as const;
export type ToolResults = (typeof TOOL_RESULTS)[number];

export interface RecordedCall {
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

export interface CopiedCall {
  tool: string;
  request: JsonObject;
  outcome: Outcome;
  detail: JsonObject;
}

export interface RecordedAnswer {
  type: 'approval' | 'wait';
  id: string;
  path: string;
  state: 'succeeded' | 'simulated';
  output: JsonValue;
}

/** A replay of this run uses their results instead of making the calls. */
export class RecordedCalls {
  private readonly byCall = new Map<string, RecordedCall>();

  /** If a call has several attempts, the last attempt is used. */
  constructor(
    private readonly calls: readonly RecordedCall[],
    private readonly answers: readonly RecordedAnswer[] = [],
  ) {
    for (const call of calls) this.byCall.set(keyOf(call.path, call.tool, call.request), call);
  }

  filter(keep: (record: Pick<RecordedCall, 'path' | 'state' | 'id'>) => boolean): RecordedCalls {
    return new RecordedCalls(this.calls.filter(keep), this.answers.filter(keep));
  }

  map(change: <T extends { request?: JsonObject; output: JsonValue }>(record: T) => T): RecordedCalls {
    return new RecordedCalls(this.calls.map(change), this.answers.map(change));
  }

  answerAt(path: string, type: RecordedAnswer['type']): RecordedAnswer | undefined {
    return this.answers.find((answer) => answer.path === path && answer.type === type);
  }

  find({ path, operation, request }: Call): RecordedCall | undefined {
    return this.byCall.get(keyOf(path, operation.fullName, request));
  }
}

export function recordedRun({ trigger }: { trigger: JsonObject }): string | undefined {
  const { type, tool_results: results, run } = trigger;
  return (type === 'replay' || type === 'evaluation') && results === 'recorded' && typeof run === 'string'
    ? run
    : undefined;
}

/** A failure is final, so the call is not retried. */
export function copyOf({ id, tool, request, output, error, detail, try: tries }: RecordedCall): CopiedCall {
  const outcome: Outcome = error ? { ok: false, error: { ...error, permanent: true }, tries } : { ok: true, output };
  return { tool, request, outcome, detail: { ...detail, recorded: true, recorded_from: id } };
}

function keyOf(path: string, tool: string, request: JsonObject): string {
  return canonicalJson([path, tool, request]);
}
