import type { ModelChoice, ModelParams, RunBudget } from '@app/definition';
import type { Prompt } from '../interpreter/prompt.js';
import type { TurnCost } from '../records/run-commands.js';
import type { ToolCallResult } from '../calls/tool-call.js';

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
