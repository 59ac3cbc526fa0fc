import type { ApprovalRule, CompiledDefinition } from '@app/agents/definition';
import type { Gate } from '../journal-entries.js';

/** What the definition says about a run that goes no further because of an approval. */
export function failureRules(
  { handOff, onFailure }: CompiledDefinition,
  rule: ApprovalRule,
): Pick<Gate, 'handOffTo' | 'failureIsHandled'> {
  return { handOffTo: handOff?.to ?? rule.approvers, failureIsHandled: onFailure.length > 0 };
}
