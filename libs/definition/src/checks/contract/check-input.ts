import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { Problems } from '../../compile/context/problems.js';
import type { CompiledDefinition } from '../../model/compiled-definition.js';
import type { WorkBudget } from '../../validation/work-budget.js';

/** What one check needs. The definition has the right form; the compiled one has its names resolved. */
export interface CheckInput {
  readonly root: DefinitionNode;
  readonly compiled: CompiledDefinition;
  readonly problems: Problems;
  /** Bounds the work of checking all constants of the definition by its schemas. */
  readonly budget: WorkBudget;
}
