import {
  caseWithFixtures,
  type CompiledDefinition,
  type EvaluationCase,
  type EvaluationReads,
  type MockedAnswer,
} from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';
import type { StepType } from './run-step.entity.js';

interface EvaluatedCase {
  evaluation: string;
  /** The evaluated version. The run itself may execute the baseline version. */
  version: number;
  /** Null if the run repeats a recorded run. */
  caseN: number | null;
  /** The files of the case, by the names of their fixtures. */
  fixtures: JsonObject;
}

interface StartedTrial {
  evaluationId: string;
  caseName: string | null;
  caseN: number | null;
  trial: number;
  baseline: boolean;
  sourceRun: string | null;
}

/** @param before trigger of the recorded run that the trial repeats, or `fixtures` of the case, or empty */
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

export function evaluatedCase(trigger: JsonObject): EvaluatedCase | undefined {
  const { type, evaluation, version, case_n: caseN, fixtures = {} } = trigger;
  if (type !== 'evaluation' || typeof evaluation !== 'string' || typeof version !== 'number') return undefined;
  return {
    evaluation,
    version,
    caseN: typeof caseN === 'number' ? caseN : null,
    fixtures: isJsonObject(fixtures) ? fixtures : {},
  };
}

/**
 * If an evaluation started the root run, the triggers of child runs at any depth contain the evaluation. A child run
 * thereby detects that it is part of an evaluation and must not ask people.
 */
export function childTrigger(run: string, caller: JsonValue | undefined): JsonObject {
  const { evaluation } = isJsonObject(caller) ? caller : {};
  return { type: 'agent', run, ...(typeof evaluation === 'string' && { evaluation }) };
}

export function isChildOfEvaluation({ type, evaluation }: JsonObject): boolean {
  return type === 'agent' && typeof evaluation === 'string';
}

export function isPartOfEvaluation(trigger: JsonObject): boolean {
  return trigger.type === 'evaluation' || isChildOfEvaluation(trigger);
}

export function draftTrigger(mock: JsonObject): JsonObject {
  return { type: 'api', mock };
}

type CaseAnswers = Pick<EvaluationCase, 'mock' | 'mockEach' | 'state' | 'answers'>;

const NO_ANSWERS: CaseAnswers = { mock: new Map(), mockEach: new Map(), state: {} };

/** A run of the case uses them instead of making calls and asking people. */
export class MockedCalls {
  private readonly answered = new Map<string, number>();

  constructor(
    private readonly reads: EvaluationReads,
    private readonly answers = NO_ANSWERS,
    /** A trial asks no people, and waits for no callback. */
    readonly isTrial = true,
  ) {}

  get state(): JsonObject | null {
    return this.isTrial ? this.answers.state : null;
  }

  static ofDraft({ type, mock }: JsonObject): MockedCalls | undefined {
    if (type !== 'api' || !isJsonObject(mock)) return undefined;
    return new MockedCalls('live', { ...NO_ANSWERS, mock: new Map(Object.entries(mock)) }, false);
  }

  /**
   * If `caseN` is null, only the rule `reads` of the evaluation applies. Returns undefined if the definition has no
   * evaluation.
   */
  static of(
    { evaluation }: CompiledDefinition,
    { caseN, fixtures }: Pick<EvaluatedCase, 'caseN' | 'fixtures'>,
  ): MockedCalls | undefined {
    if (!evaluation) return undefined;
    const one = caseN === null ? undefined : evaluation.cases[caseN];
    return new MockedCalls(evaluation.reads, one && caseWithFixtures(one, (name) => fixtures[name]));
  }

  get answersOfPeople(): JsonObject[] {
    return [...(this.answers.answers?.values() ?? [])];
  }

  answerOf(stepId: string | null): JsonObject | undefined {
    return this.answers.answers?.get(stepId ?? '');
  }

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
   * Returns `missing` if the case has no response and the call must not be made. Returns undefined if the mode of the
   * run decides whether the call is made.
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
