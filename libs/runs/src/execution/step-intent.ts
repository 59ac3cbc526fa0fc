import type { Call, Outbound } from '../interpreter/plan.js';
import type { StepIntent } from '../records/run-commands.js';
import { effectOf } from './outbound.js';
import type { AttemptState } from '../records/attempt-state.js';

/** What is recorded before something leaves the service: the request is the one on record where there is one. */
export function stepIntent(outbound: Outbound, memory: AttemptState): StepIntent {
  if (outbound.kind === 'call') return callIntent(outbound, memory);
  const { path, try: attempt, model } = outbound;
  const request = { provider: model.provider, model: model.name };
  const resumes = memory.openStep(path)?.n;
  return { path, try: attempt, type: 'model_call', effect: effectOf(outbound), request, resumes };
}

/** The same of a call of a tool. */
export function callIntent(call: Call, memory: AttemptState): StepIntent & { type: 'tool_call' } {
  const { fullName: tool, scope, effect } = call.operation;
  const { path, request } = memory.asRecorded(call);
  return { path, try: call.try, type: 'tool_call', tool, scope, effect, request, resumes: memory.openStep(path)?.n };
}
