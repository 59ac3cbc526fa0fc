import type { StepIntent } from '../../libs/runs/src/records/run-commands.js';
import type { StepState, StepType } from '../../libs/runs/src/records/run-step.entity.js';

export interface ModelStep {
  n: number;
  path: string;
  try: number;
  type: StepType;
  effect: 'read' | 'idempotent' | 'at_most_once' | null;
  state: StepState;
  attempt: number;
  epoch: number;
  op: string | null;
  request: object | null;
  due: boolean;
}

/**
 * Returns whether the response to an advance (a write that begins or continues calls) contains the step. The response
 * contains the calls that the advance has begun. It also contains settled steps that the advance was to continue.
 */
export function isAnswered(step: ModelStep, op: string, intents: readonly StepIntent[]): boolean {
  if (step.op === op && step.state === 'started') return true;
  const intent = intents.find((candidate) => candidate.type === 'tool_call' && candidate.resumes === step.n);
  const resting =
    intent?.type === 'tool_call' && intent.gate ? ['in_doubt'] : ['in_doubt', 'ready', 'interrupted', 'started'];
  return intent !== undefined && !resting.includes(step.state);
}
