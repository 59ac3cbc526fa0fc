import type { Scope } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';

/** The variables that expressions of a run can read in addition to `steps`. */
export type RunContext = {
  input: JsonObject;
  trigger: JsonObject;
  run: JsonObject;
  agent: JsonObject;
};

/** The innermost loop around a position in the plan, and the current item of the loop. */
export interface LoopItem {
  id: string;
  /** Path of the item, for example `lines[3]`. */
  path: string;
}

/**
 * The scope of a list of steps in the plan: the variables that their expressions can read, and the path prefix under
 * which the steps are recorded. When a step ends, its output is added to the scope.
 */
export class StepScope {
  private constructor(
    private readonly prefix: string,
    private readonly names: Record<string, JsonValue>,
    private readonly outputs: Record<string, JsonValue>,
    private count: number,
    readonly loop: LoopItem | null,
  ) {}

  static of(facts: RunContext): StepScope {
    return new StepScope('', { ...facts }, {}, 0, null);
  }

  /** Approximate number of outputs in scope. */
  get size(): number {
    return this.count;
  }

  /** The variables that expressions in this scope can read. */
  get values(): Scope {
    return { steps: this.outputs, ...this.names };
  }

  /** The current value of the variable `steps` in this scope. */
  get steps(): JsonObject {
    return this.outputs;
  }

  /** Returns the path under which a step of this scope is recorded. */
  pathOf(stepId: string): string {
    return this.prefix + stepId;
  }

  setOutput(stepId: string, output: JsonValue): void {
    this.outputs[stepId] = { output };
    this.count += 1;
  }

  /**
   * Creates the scope of one loop iteration. The iteration can read all variables of this scope. Its outputs are not
   * added to this scope.
   */
  round(loopId: string, index: number, name: string, item: JsonValue): StepScope {
    const path = `${this.pathOf(loopId)}[${index}]`;
    const names = { ...this.names, [name]: item };
    return new StepScope(`${path}.`, names, { ...this.outputs }, this.count, { id: loopId, path });
  }

  /**
   * Creates the scope of one of several parallel branches. A branch cannot read the outputs of other branches until all
   * branches have ended.
   */
  branch(): StepScope {
    return new StepScope(this.prefix, this.names, { ...this.outputs }, this.count, this.loop);
  }

  /**
   * Adds the outputs of branches to this scope. Step ids are unique, so outputs of different branches never conflict.
   */
  join(branches: readonly StepScope[]): void {
    for (const { outputs } of branches) Object.assign(this.outputs, outputs);
    this.count = Object.keys(this.outputs).length;
  }

  /** Returns this scope with one more variable. */
  with(name: string, value: JsonValue): StepScope {
    return new StepScope(this.prefix, { ...this.names, [name]: value }, this.outputs, this.count, this.loop);
  }
}
