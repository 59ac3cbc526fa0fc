import type { DefinitionNode } from './definition-node.js';
import { type IncludedOperation, includedOperation } from '../model/included-operation.js';

/** Returns the operations that `include` of a tool lists. */
export function includedOperations(tool: DefinitionNode): IncludedOperation[] {
  const entries = tool.raw('include');
  return Array.isArray(entries) ? entries.map(includedOperation) : [];
}
