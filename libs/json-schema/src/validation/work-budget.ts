import type { JsonValue } from '@app/kernel';

/**
 * Number of steps that a check may take, in addition to the steps for the size of its value. A step takes 20 to 100 ns.
 */
export const BASE_STEPS = 1_000_000;
const STEPS_PER_VALUE = 8;
const STEPS_PER_CHARACTER = 4;
/** Maximum length of a chain of schemas in an evaluation, in which each schema applies the next. */
export const MAX_EVALUATION_DEPTH = 640;

export class CheckLimitError extends Error {
  override readonly name = 'CheckLimitError';
}

/**
 * Counts the work of checks and stops a check that exceeds the budget. Unlike with a time limit, the result is the same
 * on every machine and in every run.
 */
export class WorkBudget {
  private left = BASE_STEPS;
  private granted: JsonValue | undefined;

  /** It is negative after the budget is exceeded. */
  get remaining(): number {
    return this.left;
  }

  /** @throws CheckLimitError if the budget is exceeded */
  spend(steps: number, root: JsonValue): void {
    this.left -= steps;
    if (this.left >= 0) return;
    // Measuring the size requires a traversal of the whole value, so it is done only after the base budget is used up.
    if (this.granted !== root) {
      this.granted = root;
      this.left += stepsForSize(root);
    }
    if (this.left < 0) throw new CheckLimitError('checking this value takes too many steps');
  }
}

function stepsForSize(root: JsonValue): number {
  let steps = 0;
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    steps += STEPS_PER_VALUE;
    if (typeof value === 'string') steps += value.length * STEPS_PER_CHARACTER;
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        steps += key.length * STEPS_PER_CHARACTER;
        open.push(member);
      }
    }
  }
  return steps;
}
