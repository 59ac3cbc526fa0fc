import type { CompiledDefinition, EvaluationReads } from '@app/definition';
import type { JsonValue } from '@app/kernel';
import type { Call } from '../interpreter/plan.js';

/** The answers that a case of an evaluation has for calls: they are taken instead of making the calls. */
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
