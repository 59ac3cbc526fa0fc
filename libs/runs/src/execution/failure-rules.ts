import type { ApprovalRule, CompiledDefinition, CompiledStep } from '@app/definition';
import type { Gate } from '../records/run-commands.js';

/** What the definition says about a run that goes no further because of an approval. */
export function failureRules(
  { handOff, onFailure, steps }: CompiledDefinition,
  rule: ApprovalRule,
): Pick<Gate, 'handOffTo' | 'failureIsHandled'> {
  const failureIsHandled = onFailure.length > 0 || mayGoOn(steps);
  return { handOffTo: handOff?.to ?? rule.approvers, failureIsHandled };
}

/** Whether the failure of some step does not end the plan: whether it is this step's, only the plan knows. */
function mayGoOn(steps: readonly CompiledStep[]): boolean {
  return steps.some((step) => step.continueOnError || blocksOf(step).some(mayGoOn));
}

function blocksOf(step: CompiledStep): readonly (readonly CompiledStep[])[] {
  switch (step.kind) {
    case 'switch':
      return step.branches.map((branch) => branch.steps);
    case 'for_each':
      return [step.steps];
    case 'parallel':
      return step.branches;
    default:
      return [];
  }
}
