import { type CompiledDefinition, TRIGGER_TYPES } from '../model/compiled-definition.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { WorkBudget } from '@app/json-schema';
import { type CheckContext, requireUnique } from '../contract/check-context.js';
import { checkEvaluation } from './check-evaluation.js';
import { checkKind, checkRunInput } from './check-kind.js';
import { checkRules } from './check-rules.js';
import { checkSteps } from './check-steps.js';
import { checkTools } from './check-tools.js';
import { warnAboutUnused } from './check-usage.js';
import { checkMcpExposure } from '../expose/mcp-exposure.js';
import { TRIGGERS } from '../triggers/registry.js';

/**
 * Reports problems that the schema and the compilation of single expressions do not find: parts of the definition that
 * do not fit together.
 */
export function checkDefinition(
  root: DefinitionNode,
  compiled: CompiledDefinition,
  problems: Problems,
  maxRunSteps: number,
): void {
  const input: CheckContext = { root, compiled, problems, budget: new WorkBudget(), maxRunSteps };
  checkKind(input);
  checkRunInput(input);
  checkTools(input);
  checkSteps(input);
  checkRules(input);
  checkTriggers(input);
  checkEvaluation(input);
  checkMcpExposure(input);
  warnAboutUnused(input);
}

function checkTriggers(input: CheckContext): void {
  const triggers = input.root.items('triggers');
  requireUnique(
    triggers.map((node) => ({ name: node.text('id'), path: node.pathOf('id') })),
    'triggers',
    input.problems,
  );
  for (const node of triggers) TRIGGERS[node.choice('type', TRIGGER_TYPES)].check(node, input);
}
