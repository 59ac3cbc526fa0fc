import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** Where a run of an evaluation belongs. */
export interface EvaluatedCase {
  evaluation: string;
  /** The version that is evaluated, whatever version the run is of. */
  version: number;
  /** Index of the case in that version; null where a recorded run is repeated. */
  caseN: number | null;
}

/** The trial that a run is started for. */
export interface StartedTrial {
  evaluationId: string;
  caseName: string | null;
  caseN: number | null;
  trial: number;
  baseline: boolean;
  /** The recorded run that the trial repeats. */
  sourceRun: string | null;
}

/** What a run of an evaluation says about its start; `before` is the trigger of the recorded run that it repeats. */
export function evaluationTrigger(trial: StartedTrial, version: number, before: JsonObject = {}): JsonObject {
  const { evaluationId: evaluation, caseName, caseN, trial: round, baseline, sourceRun } = trial;
  const recorded: JsonObject = sourceRun === null ? {} : { run: sourceRun, tool_results: 'recorded' };
  return {
    ...before,
    type: 'evaluation',
    evaluation,
    version,
    case: caseName,
    case_n: caseN,
    trial: round,
    baseline,
    ...recorded,
  };
}

/** The inverse of {@link evaluationTrigger}; undefined for a run that something else started. */
export function evaluatedCase(trigger: JsonObject): EvaluatedCase | undefined {
  const { type, evaluation, version, case_n: caseN } = trigger;
  if (type !== 'evaluation' || typeof evaluation !== 'string' || typeof version !== 'number') return undefined;
  return { evaluation, version, caseN: typeof caseN === 'number' ? caseN : null };
}

/**
 * The trigger of a run that a call of another run starts. Inside an evaluation it says so, however deep it is: nobody is asked
 * there. `caller` is the trigger of the calling run.
 */
export function childTrigger(run: string, caller: JsonValue | undefined): JsonObject {
  const { evaluation } = isJsonObject(caller) ? caller : {};
  return { type: 'agent', run, ...(typeof evaluation === 'string' && { evaluation }) };
}

/** Whether an evaluation is at the root of the calls that started the run. */
export function isChildOfEvaluation({ type, evaluation }: JsonObject): boolean {
  return type === 'agent' && typeof evaluation === 'string';
}
