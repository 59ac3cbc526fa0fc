import { TRIGGER_TYPES } from '../model/compiled-definition.js';
import { TRIGGERS } from '../triggers/registry.js';
import type { CheckInput } from './contract/check-input.js';
import { requireUnique } from './contract/references.js';

/** What starts runs: schedules that can fire, and inputs that the definition takes. */
export function checkTriggers(input: CheckInput): void {
  const triggers = input.root.items('triggers');
  requireUnique(
    triggers.map((node) => ({ name: node.text('id'), path: node.pathOf('id') })),
    'triggers',
    input.problems,
  );
  for (const node of triggers) TRIGGERS[node.choice('type', TRIGGER_TYPES)].check(node, input);
}
