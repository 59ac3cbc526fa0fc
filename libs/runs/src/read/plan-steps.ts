import type { JsonObject, JsonValue } from '@app/kernel';
import type { JudgedCondition, PlanObserver } from '../interpreter/plan-in-progress.js';

/** A condition of a step with its results. `holds` and `values` are those of its last evaluation. */
export interface PlanCondition extends Pick<JudgedCondition, 'key' | 'branch' | 'holds'> {
  expression: string;
  trueCount: number;
  falseCount: number;
  values: JsonObject;
}

export interface PlanStep {
  step: string;
  done: number;
  failed: number;
  skipped: number;
  conditions: PlanCondition[];
}

/** Collects what happened to each step. Its size depends on the definition, and not on the length of the run. */
export class PlanSteps implements PlanObserver {
  private readonly steps = new Map<string, PlanStep>();

  judged({ step, key, branch, condition, scope, holds }: JudgedCondition): void {
    const { conditions } = this.at(step);
    const known = conditions.find((each) => each.key === key && each.branch === branch);
    const last = { holds, values: valuesOf(condition.readValues(scope)) };
    const kept: PlanCondition = known ?? {
      ...{ key, expression: condition.source, trueCount: 0, falseCount: 0, ...last },
      ...(branch !== undefined && { branch }),
    };
    if (!known) conditions.push(kept);
    Object.assign(kept, last);
    if (holds) kept.trueCount += 1;
    else kept.falseCount += 1;
  }

  ended(stepId: string, how: 'done' | 'failed' | 'skipped'): void {
    this.at(stepId)[how] += 1;
  }

  get all(): PlanStep[] {
    return [...this.steps.values()];
  }

  private at(step: string): PlanStep {
    const known = this.steps.get(step) ?? { step, done: 0, failed: 0, skipped: 0, conditions: [] };
    this.steps.set(step, known);
    return known;
  }
}

function valuesOf(read: readonly { path: string; value: JsonValue }[]): JsonObject {
  return Object.fromEntries(read.map(({ path, value }) => [path, value]));
}
