import type { JsonObject, JsonValue } from '@app/kernel';
import type { Scope } from '@app/agents/definition';

/** What expressions of a run can see besides the steps. */
export type RunFacts = {
  input: JsonObject;
  trigger: JsonObject;
  run: JsonObject;
  agent: JsonObject;
};

/** One place of the plan: the values in scope there, which outputs join as steps end, and where its steps are recorded. */
export class StepScope {
  private constructor(
    private readonly prefix: string,
    private readonly names: Record<string, JsonValue>,
    private readonly outputs: Record<string, JsonValue>,
  ) {}

  static of(facts: RunFacts): StepScope {
    return new StepScope('', { ...facts }, {});
  }

  /** What an expression evaluated here sees. */
  get values(): Scope {
    return { ...this.names, steps: this.outputs };
  }

  /** The path under which a step of this place is recorded. */
  pathOf(stepId: string): string {
    return this.prefix + stepId;
  }

  setOutput(stepId: string, output: JsonValue): void {
    this.outputs[stepId] = { output };
  }
}
