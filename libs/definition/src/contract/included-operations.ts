import type { DefinitionNode } from './definition-node.js';
import { type IncludedOperation, includedOperation } from '../model/included-operation.js';

export function includedOperations(tool: DefinitionNode): IncludedOperation[] {
  const entries = tool.raw('include');
  return Array.isArray(entries) ? entries.map(includedOperation) : [];
}
