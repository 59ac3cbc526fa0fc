import type { ModelChoice, ModelFiles, ModelParams, RunBudget } from '@app/definition';
import type { FileRun } from '@app/files';
import type { JsonObject } from '@app/kernel';
import type { FinishReason } from 'ai';
import { storable } from '../calls/recorded-value.js';
import type { ToolCallResult } from '../calls/tool-call.js';
import type { Prompt, SaidCall } from '../interpreter/prompt.js';
import { inStoredOrder } from '../interpreter/stored-order.js';
import type { ParamWarning } from './request-params.js';
import type { TurnUsage } from './turn-cost.js';
import type { RunTurns, TurnPart } from './run-turns.js';
import type { OpaqueTurn, TurnCost, TurnMessages } from '../records/run-commands.js';

export interface TurnCall {
  workspaceId: string;
  agentId: string;
  runId: string;
  n: number;
  path: string;
  model: ModelChoice;
  params: ModelParams;
  cacheKey?: string;
  prompt: () => Prompt;
  /** The run as it refers to files. */
  fileRun: FileRun;
  files: ModelFiles;
  turns: RunTurns;
  budget: RunBudget | null;
  /** Budgets then cover the run together with these runs. */
  isFamily: boolean;
  /** The text of the turn is then not streamed, because a redacted value could be split between two pieces of text. */
  isPrivate: boolean;
  timeoutMs: number;
  signal: AbortSignal;
  /** If it returns false, nothing is sent. */
  mayStart: () => boolean;
}

/** A turn without a response also has a `cost` if the provider may have charged for the request. */
export type TurnResult = ToolCallResult & { cost?: TurnCost; opaque?: OpaqueTurn; messages?: TurnMessages };

export interface StreamedTurn {
  text: string;
  reasoning: string;
  calls: SaidCall[];
  finish: FinishReason;
  usage: TurnUsage;
  parts: TurnPart[];
  effort?: string | undefined;
  warnings: ParamWarning[];
}

const USABLE_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** Replaces call ids that are missing, invalid or duplicate. */
export function recordedTurn({ text, reasoning, calls }: Omit<StreamedTurn, 'parts'>): JsonObject {
  const ids = new Set<string>();
  const requested = calls.map(({ id, name, input }, index) => {
    const usable = USABLE_ID.test(id) && !ids.has(id) ? id : `call_${index + 1}`;
    ids.add(usable);
    const stored = storable(input ?? {});
    const json = JSON.stringify(stored);
    const isReordered = json !== JSON.stringify(inStoredOrder(stored));
    return { id: usable, name, input: stored, ...(isReordered && { json }) };
  });
  return storable({ text, ...(reasoning && { reasoning }), calls: requested }) as JsonObject;
}
