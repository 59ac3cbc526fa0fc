import type { Scope } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';

/** The values that expressions of a run see in addition to the steps. */
export type RunContext = {
  input: JsonObject;
  trigger: JsonObject;
  run: JsonObject;
  agent: JsonObject;
};

/** The innermost loop around a place of the plan, and the item that it is at. */
export interface LoopItem {
  id: string;
  /** Path of the item: `lines[3]`. */
  path: string;
}

/**
 * One place of the plan: the values in scope there, which outputs join as steps end, and where its steps are recorded.
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

  /** How many outputs are in scope, about. */
  get size(): number {
    return this.count;
  }

  /** What an expression evaluated here sees. */
  get values(): Scope {
    return { steps: this.outputs, ...this.names };
  }

  /** What `steps` means here, as it is now. */
  get steps(): JsonObject {
    return this.outputs;
  }

  /** The path under which a step of this place is recorded. */
  pathOf(stepId: string): string {
    return this.prefix + stepId;
  }

  setOutput(stepId: string, output: JsonValue): void {
    this.outputs[stepId] = { output };
    this.count += 1;
  }

  /** The place of one round of a loop: it sees everything from here, and what it adds stays with the round. */
  round(loopId: string, index: number, name: string, item: JsonValue): StepScope {
    const path = `${this.pathOf(loopId)}[${index}]`;
    const names = { ...this.names, [name]: item };
    return new StepScope(`${path}.`, names, { ...this.outputs }, this.count, { id: loopId, path });
  }

  /** The place of one branch beside others: it does not see what they add until all of them have ended. */
  branch(): StepScope {
    return new StepScope(this.prefix, this.names, { ...this.outputs }, this.count, this.loop);
  }

  /** Takes over what branches added; step ids are unique, so they never disagree. */
  join(branches: readonly StepScope[]): void {
    for (const { outputs } of branches) Object.assign(this.outputs, outputs);
    this.count = Object.keys(this.outputs).length;
  }

  /** The same place with one more name in scope. */
  with(name: string, value: JsonValue): StepScope {
    return new StepScope(this.prefix, { ...this.names, [name]: value }, this.outputs, this.count, this.loop);
  }
}
