import { type CompiledStep, readableSteps, type Scope } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type CallError, stepError } from './run-error.js';

export type RunContext = {
  input: JsonObject;
  trigger: JsonObject;
  run: JsonObject;
  agent: JsonObject;
};

export interface LoopItem {
  id: string;
  /** Path of the item, for example `lines[3]`. */
  path: string;
}

/** The value of `steps.<id>` for a step that was not executed. It has no `output`. */
const SKIPPED: JsonObject = { status: 'skipped', error: null };

/**
 * The scope of a list of steps: the variables that the expressions of these steps can read, and the prefix of the paths
 * under which the steps are recorded.
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

  get size(): number {
    return this.count;
  }

  get values(): Scope {
    return { steps: this.outputs, ...this.names };
  }

  get steps(): JsonObject {
    return this.outputs;
  }

  pathOf(stepId: string): string {
    return this.prefix + stepId;
  }

  /** Returns the path of a step that is inside only the outermost `depth` loops of this scope. */
  pathAt(depth: number, stepId: string): string {
    return [...this.prefix.split('.').slice(0, depth), stepId].join('.');
  }

  /** Adds `callback_url` to `steps.<id>` for each step id in `urls`. */
  valuesWith(urls: ReadonlyMap<string, string>): Scope {
    const steps = { ...this.outputs };
    for (const [id, url] of urls) {
      const known = steps[id];
      steps[id] = { ...(isJsonObject(known) && known), callback_url: url };
    }
    return { ...this.values, steps };
  }

  succeed(stepId: string, output: JsonValue): void {
    this.add(stepId, { output, status: 'succeeded', error: null });
  }

  /** If the plan continues after the failure, the step has the `output` null. Otherwise, the step has no `output`. */
  fail(stepId: string, error: CallError, continues: boolean): void {
    this.add(stepId, { ...(continues && { output: null }), status: 'failed', error: stepError(error) });
  }

  /** Does the same for the steps inside them whose outputs later steps can read. */
  skip(steps: readonly CompiledStep[]): void {
    for (const step of steps) {
      if (!Object.hasOwn(this.outputs, step.id)) this.add(step.id, SKIPPED);
      this.skip(readableSteps(step));
    }
  }

  private add(stepId: string, result: JsonObject): void {
    this.outputs[stepId] = result;
    this.count += 1;
  }

  /** The iteration can read the variables of this scope, but its outputs are not added to this scope. */
  round(loopId: string, index: number, name: string, item: JsonValue): StepScope {
    const path = `${this.pathOf(loopId)}[${index}]`;
    const names = { ...this.names, [name]: item };
    return new StepScope(`${path}.`, names, { ...this.outputs }, this.count, { id: loopId, path });
  }

  /** A branch cannot read the outputs of the other branches until all branches have ended. */
  branch(): StepScope {
    return new StepScope(this.prefix, this.names, { ...this.outputs }, this.count, this.loop);
  }

  /** Step ids are unique, so the outputs never conflict. */
  join(branches: readonly StepScope[]): void {
    for (const { outputs } of branches) Object.assign(this.outputs, outputs);
    this.count = Object.keys(this.outputs).length;
  }

  with(name: string, value: JsonValue): StepScope {
    return new StepScope(this.prefix, { ...this.names, [name]: value }, this.outputs, this.count, this.loop);
  }
}
