import type { CompiledDefinition, EvaluationReads } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';

/** The version and case to which a run of an evaluation belongs. */
interface EvaluatedCase {
  evaluation: string;
  /** The evaluated version. The run itself may be a run of the baseline version. */
  version: number;
  /** Index of the case in the evaluated version. Null if the run repeats a recorded run. */
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

/** Returns the trigger of a run of an evaluation. `before` is the trigger of the recorded run that it repeats. */
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

/** The inverse of {@link evaluationTrigger}. Returns undefined if the run was not started by an evaluation. */
export function evaluatedCase(trigger: JsonObject): EvaluatedCase | undefined {
  const { type, evaluation, version, case_n: caseN } = trigger;
  if (type !== 'evaluation' || typeof evaluation !== 'string' || typeof version !== 'number') return undefined;
  return { evaluation, version, caseN: typeof caseN === 'number' ? caseN : null };
}

/**
 * Returns the trigger of a child run. `caller` is the trigger of the calling run. Inside an evaluation, the triggers of
 * child runs at any depth contain the evaluation, because runs of an evaluation do not ask people.
 */
export function childTrigger(run: string, caller: JsonValue | undefined): JsonObject {
  const { evaluation } = isJsonObject(caller) ? caller : {};
  return { type: 'agent', run, ...(typeof evaluation === 'string' && { evaluation }) };
}

/** Returns whether an evaluation started the root run of this child run. */
export function isChildOfEvaluation({ type, evaluation }: JsonObject): boolean {
  return type === 'agent' && typeof evaluation === 'string';
}

/** The responses to calls that a case of an evaluation defines. They are used instead of making the calls. */
export class MockedCalls {
  constructor(
    private readonly answers: ReadonlyMap<string, JsonValue>,
    private readonly reads: EvaluationReads,
  ) {}

  /** Returns the mocks of the case with this index. Without an index, only the rule for reads applies. */
  static of({ evaluation }: CompiledDefinition, caseN: number | null): MockedCalls | undefined {
    if (!evaluation) return undefined;
    const answers = caseN === null ? undefined : evaluation.cases[caseN]?.mock;
    return new MockedCalls(answers ?? new Map(), evaluation.reads);
  }

  /**
   * Returns the response to the call. Returns undefined if the call is made as usual for the mode of the run, and
   * `missing` if the call has no response and must not be made.
   */
  answerTo({ operation }: Call): { output: JsonValue } | 'missing' | undefined {
    const output = this.answers.get(operation.fullName);
    if (output !== undefined) return { output };
    return this.reads === 'mock' && operation.scope === 'read' ? 'missing' : undefined;
  }
}
