import type { CompiledDefinition } from '../model/compiled-definition.js';
import type { DefinitionNode } from '../compile/context/definition-node.js';
import type { Problems } from '../compile/context/problems.js';
import { WorkBudget } from '../validation/work-budget.js';
import type { CheckInput } from './contract/check-input.js';
import { checkEvaluation } from './check-evaluation.js';
import { checkKind, checkRunInput } from './check-kind.js';
import { checkRules } from './check-rules.js';
import { checkSteps } from './check-steps.js';
import { checkTools } from './check-tools.js';
import { checkTriggers } from './check-triggers.js';
import { warnAboutUnused } from './check-usage.js';

/** What neither the form nor a single expression shows: whether the parts of a definition fit together. */
export function checkDefinition(root: DefinitionNode, compiled: CompiledDefinition, problems: Problems): void {
  const input: CheckInput = { root, compiled, problems, budget: new WorkBudget() };
  checkKind(input);
  checkRunInput(input);
  checkTools(input);
  checkSteps(input);
  checkRules(input);
  checkTriggers(input);
  checkEvaluation(input);
  warnAboutUnused(input);
}
