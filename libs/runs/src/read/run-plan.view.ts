import type { RunPlan } from './run-plans.service.js';

export function presentPlan({ run, steps, isComplete, isRedacted }: RunPlan) {
  return {
    run,
    steps: steps.map(({ conditions, ...step }) => ({
      ...step,
      conditions: conditions.map(({ trueCount, falseCount, ...condition }) => ({
        ...condition,
        true_count: trueCount,
        false_count: falseCount,
      })),
    })),
    complete: isComplete,
    redacted: isRedacted,
  };
}
