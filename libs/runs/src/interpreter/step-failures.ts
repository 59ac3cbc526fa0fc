import { blocksOf, type CompiledDefinition, type CompiledStep } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { Note, Outcome } from './plan.js';
import { StepFailure } from './progress.js';
import { type CallError, isRunErrorCode, runError } from './run-error.js';

export interface RecordedFailures {
  failureAt: (path: string) => JsonObject | undefined;
  outcomeAt: (path: string) => Outcome | undefined;
}

export function handlesFailures({ onFailure, steps }: CompiledDefinition): boolean {
  return onFailure.length > 0 || mayContinueOnError(steps);
}

function mayContinueOnError(steps: readonly CompiledStep[]): boolean {
  return steps.some((step) => step.continueOnError || blocksOf(step).some(mayContinueOnError));
}

/**
 * Returns undefined if no note is needed, because the trace already contains the failure or because no later attempt
 * would read the note.
 */
export function failureNote(
  definition: CompiledDefinition,
  path: string,
  failure: StepFailure,
  continues: boolean,
): Note | undefined {
  const { error, isRecorded, circumstances } = failure;
  const { call, isUnordered = false } = circumstances;
  const isUnneeded = isUnordered ? !continues && !handlesFailures(definition) : isRecorded || !continues;
  if (isUnneeded) return undefined;
  const detail: JsonObject = { ...runError(error), ...(call !== undefined && { call }) };
  return { type: 'error', path: notePath(path), state: 'failed', detail };
}

/**
 * If several branches of a block fail, their timing decides which failure ends the block. A later attempt knows all
 * outcomes at the same time. Therefore it uses the failure that the first attempt recorded.
 */
export function recordedFailure(path: string, thrown: StepFailure, recorded: RecordedFailures): StepFailure {
  const note = thrown.circumstances.isUnordered ? recorded.failureAt(notePath(path)) : undefined;
  const { code, message, step = null, call } = note ?? {};
  if (!isRunErrorCode(code) || typeof message !== 'string') return thrown;
  const outcome = typeof call === 'string' ? recorded.outcomeAt(call) : undefined;
  const cause: Partial<CallError> = outcome?.ok === false ? outcome.error : {};
  const error = { ...cause, code, message, step: typeof step === 'string' ? step : null };
  return new StepFailure(error, thrown.isRecorded, thrown.circumstances);
}

function notePath(path: string): string {
  return `${path}#error`;
}
