import type { StepIntent } from '../../libs/runs/src/records/run-commands.js';
import type { StepState, StepType } from '../../libs/runs/src/records/run-step.entity.js';

/** A step of the trace in the model. */
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
  /** For a waiting step: whether its time has come. */
  due: boolean;
}

/** The result of an advance: the calls that it began, and the steps that it found settled. */
export function isAnswered(step: ModelStep, op: string, intents: readonly StepIntent[]): boolean {
  if (step.op === op && step.state === 'started') return true;
  const intent = intents.find((candidate) => candidate.type === 'tool_call' && candidate.resumes === step.n);
  const resting =
    intent?.type === 'tool_call' && intent.gate ? ['in_doubt'] : ['in_doubt', 'ready', 'interrupted', 'started'];
  return intent !== undefined && !resting.includes(step.state);
}
