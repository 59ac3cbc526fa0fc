import type { CompiledDefinition, EvaluationCase, EvaluationReads, MockedAnswer } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';
import type { StepType } from './run-step.entity.js';

interface EvaluatedCase {
  evaluation: string;
  /** The evaluated version. The run itself may be a run of the baseline version. */
  version: number;
  /** Index of the case in the evaluated version. Null if the run repeats a recorded run. */
  caseN: number | null;
}

interface StartedTrial {
  evaluationId: string;
  caseName: string | null;
  caseN: number | null;
  trial: number;
  baseline: boolean;
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

/** Returns whether an evaluation started this run, or the root run of this child run. */
export function isPartOfEvaluation(trigger: JsonObject): boolean {
  return trigger.type === 'evaluation' || isChildOfEvaluation(trigger);
}

type CaseAnswers = Pick<EvaluationCase, 'mock' | 'mockEach' | 'state' | 'answers'>;

const NO_ANSWERS: CaseAnswers = { mock: new Map(), mockEach: new Map(), state: {} };

/** The responses to calls that a case of an evaluation defines. They are used instead of making the calls. */
export class MockedCalls {
  /** Number of answered calls of each operation. It selects the next answer of `mockEach`. */
  private readonly answered = new Map<string, number>();

  constructor(
    private readonly reads: EvaluationReads,
    private readonly answers = NO_ANSWERS,
  ) {}

  /** The initial state of the run, by key. */
  get state(): JsonObject {
    return this.answers.state;
  }

  /** Returns the mocks of the case with this index. Without an index, only the rule for reads applies. */
  static of({ evaluation }: CompiledDefinition, caseN: number | null): MockedCalls | undefined {
    if (!evaluation) return undefined;
    return new MockedCalls(evaluation.reads, caseN === null ? undefined : evaluation.cases[caseN]);
  }

  /** Returns the answer to the question of a step, or the body of the callback that it waits for. */
  answerOf(stepId: string | null): JsonObject | undefined {
    return this.answers.answers?.get(stepId ?? '');
  }

  /** Counts the calls that earlier attempts of the run recorded, so that `mockEach` continues with the next answer. */
  recall(steps: readonly { path: string; type: StepType; tool?: string | null }[]): this {
    for (const { path, type, tool } of steps) if (type === 'tool_call' && tool && !path.includes('#')) this.count(tool);
    return this;
  }

  private count(operation: string): number {
    const before = this.answered.get(operation) ?? 0;
    this.answered.set(operation, before + 1);
    return before;
  }

  /**
   * Returns the response to a new call. Returns `missing` if the case has no response and the call must not be made,
   * and undefined if the call is made as usual for the mode of the run.
   */
  answerTo({ operation }: Call): MockedAnswer | 'missing' | undefined {
    const { fullName } = operation;
    const output = this.answers.mock.get(fullName);
    if (output !== undefined) return { output };
    const each = this.answers.mockEach.get(fullName);
    if (each) return each[Math.min(this.count(fullName), each.length - 1)];
    if (operation.isContained === true) return undefined;
    return this.reads === 'mock' && operation.scope === 'read' ? 'missing' : undefined;
  }
}
