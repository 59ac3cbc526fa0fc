import type { Outbound } from '../interpreter/plan.js';
import { stepOf } from '../interpreter/step-of.js';
import type { StepNote } from '../records/run-commands.js';
import type { AttemptState } from '../records/attempt-state.js';

/** What the trace says before a further try of a call begins; nothing before a first one. */
export function retryNote(call: Outbound, memory: AttemptState): StepNote | undefined {
  const { path } = call;
  const open = memory.openStep(path)?.state;
  // Taken back before it began: it was said when it was to begin first.
  if (open === 'ready' || (open !== 'interrupted' && call.try === 1)) return undefined;
  const failure = memory.outcomes.get(path);
  const reason = failure?.ok === false ? failure.error.code : 'interrupted';
  const tool = call.kind === 'call' ? call.operation.fullName : null;
  return { path: `${path}#retry`, type: 'retry', state: 'succeeded', detail: { step: stepOf(path), tool, reason } };
}
