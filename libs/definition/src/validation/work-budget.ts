import type { JsonValue } from '@app/kernel';

/** One check may take this many steps, whatever the size of the value. A step takes 20 to 100 ns. */
export const BASE_STEPS = 1_000_000;
/** A value may take further steps in proportion to its size. */
const STEPS_PER_VALUE = 8;
const STEPS_PER_CHARACTER = 4;
/** Most levels of schemas that are evaluated within one another. */
export const MAX_EVALUATION_DEPTH = 640;

/** A check was given up: it needs too many steps, or its schema refers to itself too deeply. */
export class CheckLimitError extends Error {
  override readonly name = 'CheckGivenUp';
}

/**
 * Counts the work of checking values and ends the check that does too much. Counting makes the outcome the same on every
 * machine and in every repetition, which a time limit would not.
 */
export class WorkBudget {
  private left = BASE_STEPS;
  private granted: JsonValue | undefined;

  /** Steps that were not used. */
  get remaining(): number {
    return this.left;
  }

  /**
   * Counts steps of the check of `root`.
   * @throws CheckGivenUp
   */
  spend(steps: number, root: JsonValue): void {
    this.left -= steps;
    if (this.left >= 0) return;
    // Measuring the value costs a pass over it, so only a check that needs more than the base pays for it.
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
