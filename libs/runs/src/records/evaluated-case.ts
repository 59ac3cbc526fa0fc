import type { CompiledDefinition, EvaluationReads } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';

/** Where a run of an evaluation belongs. */
interface EvaluatedCase {
  evaluation: string;
  /** The version that is evaluated, whatever version the run is of. */
  version: number;
  /** Index of the case in that version; null where a recorded run is repeated. */
  caseN: number | null;
}

/** The trial that a run is started for. */
interface StartedTrial {
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
 * The trigger of a run that a call of another run starts. Inside an evaluation the trigger says so at any depth,
 * because a run of an evaluation asks no person. `caller` is the trigger of the calling run.
 */
export function childTrigger(run: string, caller: JsonValue | undefined): JsonObject {
  const { evaluation } = isJsonObject(caller) ? caller : {};
  return { type: 'agent', run, ...(typeof evaluation === 'string' && { evaluation }) };
}

/** Whether an evaluation is at the root of the calls that started the run. */
export function isChildOfEvaluation({ type, evaluation }: JsonObject): boolean {
  return type === 'agent' && typeof evaluation === 'string';
}

/** The answers that a case of an evaluation defines for calls, used instead of making the calls. */
export class MockedCalls {
  constructor(
    private readonly answers: ReadonlyMap<string, JsonValue>,
    private readonly reads: EvaluationReads,
  ) {}

  /** Of the case with this index; without one only the rule for reads holds. */
  static of({ evaluation }: CompiledDefinition, caseN: number | null): MockedCalls | undefined {
    if (!evaluation) return undefined;
    const answers = caseN === null ? undefined : evaluation.cases[caseN]?.mock;
    return new MockedCalls(answers ?? new Map(), evaluation.reads);
  }

  /** Undefined: the call is treated as in every run of the mode. missing: it must not be made and has no answer. */
  answerTo({ operation }: Call): { output: JsonValue } | 'missing' | undefined {
    const output = this.answers.get(operation.fullName);
    if (output !== undefined) return { output };
    return this.reads === 'mock' && operation.scope === 'read' ? 'missing' : undefined;
  }
}
