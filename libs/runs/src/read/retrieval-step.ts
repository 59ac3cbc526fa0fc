import { KNOWLEDGE_RETRIEVAL, KNOWLEDGE_SEARCH } from '@app/definition';
import type { RunStep } from '../records/run-step.entity.js';

/** Whether a step of a trace looked something up. To the state machine it is a call like any other. */
export function isRetrieval({ type, tool }: Pick<RunStep, 'type' | 'tool'>): boolean {
  return type === 'tool_call' && (tool === KNOWLEDGE_RETRIEVAL || tool === KNOWLEDGE_SEARCH);
}
