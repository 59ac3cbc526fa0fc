import type { ModelChoice, ModelParams, RunBudget } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { FinishReason } from 'ai';
import { storable } from '../calls/recorded-value.js';
import type { ToolCallResult } from '../calls/tool-call.js';
import type { Prompt, SaidCall } from '../interpreter/prompt.js';
import type { TurnUsage } from './turn-cost.js';
import type { TurnCost } from '../records/run-commands.js';

/** One turn of a model, as its intent was recorded before it is taken. */
export interface TurnCall {
  workspaceId: string;
  agentId: string;
  runId: string;
  /** Position and path of the turn in the trace. */
  n: number;
  path: string;
  model: ModelChoice;
  params: ModelParams;
  prompt: () => Prompt;
  budget: RunBudget | null;
  /** Whether the run was started by a run, or may start some: budgets cover all of them. */
  isFamily: boolean;
  /** Whether something of the run is redacted: then nobody watches its words come in, since a value may come in pieces. */
  isPrivate: boolean;
  timeoutMs: number;
  /** Aborts the turn when its run is cancelled or taken away. */
  signal: AbortSignal;
  /** Asked immediately before the first byte leaves; false and nothing is sent. */
  mayStart: () => boolean;
}

/** What became of it, and what it cost: also where there is no answer, when one may have been on its way. */
export type TurnResult = ToolCallResult & { cost?: TurnCost };

export interface StreamedTurn {
  text: string;
  reasoning: string;
  calls: SaidCall[];
  finish: FinishReason;
  usage: TurnUsage;
}

const USABLE_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** As it is recorded. */
export function recordedTurn({ text, reasoning, calls }: StreamedTurn): JsonObject {
  const ids = new Set<string>();
  const said = calls.map(({ id, name, input }, index) => {
    const usable = USABLE_ID.test(id) && !ids.has(id) ? id : `call_${index + 1}`;
    ids.add(usable);
    return { id: usable, name, input: input ?? null };
  });
  return storable({ text, ...(reasoning && { reasoning }), calls: said }) as JsonObject;
}
