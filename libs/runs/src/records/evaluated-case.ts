import type { CompiledDefinition, EvaluationCase, EvaluationReads, MockedAnswer } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';
import type { StepType } from './run-step.entity.js';

interface EvaluatedCase {
  evaluation: string;
  /** The evaluated version. The run itself may execute the baseline version. */
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

/**
 * Returns the trigger of a run of an evaluation.
 * @param before trigger of the recorded run that the trial repeats; empty if the trial executes a case
 */
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

/**
 * Reads the data of {@link evaluationTrigger} from a trigger. Returns undefined if no evaluation started the run
 * directly.
 */
export function evaluatedCase(trigger: JsonObject): EvaluatedCase | undefined {
  const { type, evaluation, version, case_n: caseN } = trigger;
  if (type !== 'evaluation' || typeof evaluation !== 'string' || typeof version !== 'number') return undefined;
  return { evaluation, version, caseN: typeof caseN === 'number' ? caseN : null };
}

/**
 * Returns the trigger of a child run. If an evaluation started the root run, the triggers of child runs at any depth
 * contain the evaluation. A child run thereby detects that it is part of an evaluation and must not ask people.
 * @param run id of the calling run
 * @param caller trigger of the calling run
 */
export function childTrigger(run: string, caller: JsonValue | undefined): JsonObject {
  const { evaluation } = isJsonObject(caller) ? caller : {};
  return { type: 'agent', run, ...(typeof evaluation === 'string' && { evaluation }) };
}

/** Returns whether the run is a child run, at any depth, of a run that an evaluation started. */
export function isChildOfEvaluation({ type, evaluation }: JsonObject): boolean {
  return type === 'agent' && typeof evaluation === 'string';
}

/** Returns whether an evaluation started this run, or the root run in its chain of parents. */
export function isPartOfEvaluation(trigger: JsonObject): boolean {
  return trigger.type === 'evaluation' || isChildOfEvaluation(trigger);
}

/** Returns the trigger of a draft run whose request contains the responses of tools. */
export function draftTrigger(mock: JsonObject): JsonObject {
  return { type: 'api', mock };
}

type CaseAnswers = Pick<EvaluationCase, 'mock' | 'mockEach' | 'state' | 'answers'>;

const NO_ANSWERS: CaseAnswers = { mock: new Map(), mockEach: new Map(), state: {} };

/**
 * The responses and answers that an evaluation case defines. A run of the case uses them instead of making calls and
 * asking people.
 */
export class MockedCalls {
  /** Number of answered calls, by operation. It selects the next response in `mockEach`. */
  private readonly answered = new Map<string, number>();

  constructor(
    private readonly reads: EvaluationReads,
    private readonly answers = NO_ANSWERS,
    /** Whether the run is part of an evaluation. Such a run asks no people, and waits for no callback. */
    readonly isTrial = true,
  ) {}

  /** The initial agent state of the run, by key. Null if the run begins with the stored state. */
  get state(): JsonObject | null {
    return this.isTrial ? this.answers.state : null;
  }

  /** Returns the mocks of a draft run, or undefined if its trigger contains none (see {@link draftTrigger}). */
  static ofDraft({ type, mock }: JsonObject): MockedCalls | undefined {
    if (type !== 'api' || !isJsonObject(mock)) return undefined;
    return new MockedCalls('live', { ...NO_ANSWERS, mock: new Map(Object.entries(mock)) }, false);
  }

  /**
   * Returns the mocks of the case with the index `caseN`. If `caseN` is null, only the rule `reads` of the evaluation
   * applies. Returns undefined if the definition has no evaluation.
   */
  static of({ evaluation }: CompiledDefinition, caseN: number | null): MockedCalls | undefined {
    if (!evaluation) return undefined;
    return new MockedCalls(evaluation.reads, caseN === null ? undefined : evaluation.cases[caseN]);
  }

  /** Returns the answer to the question of a step, or the body of the callback for which the step waits. */
  answerOf(stepId: string | null): JsonObject | undefined {
    return this.answers.answers?.get(stepId ?? '');
  }

  /**
   * Counts the calls that earlier attempts of the run recorded, so that `mockEach` continues with the next response.
   */
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
   * Returns the response of the case to a new call. Returns `missing` if the case has no response and the call must not
   * be made. Returns undefined if the mode of the run decides whether the call is made.
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
