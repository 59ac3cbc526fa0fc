import { type CompiledTrigger, TRIGGER_TYPES } from '../model/compiled-definition.js';
import { TRIGGERS } from '../triggers/registry.js';
import type { CompileContext } from './context/compile-context.js';
import type { DefinitionNode } from './context/definition-node.js';

/** The triggers of a definition, in its order. */
export function compileTriggers(root: DefinitionNode, context: CompileContext): CompiledTrigger[] {
  return root.items('triggers').map((node) => TRIGGERS[node.choice('type', TRIGGER_TYPES)].compile(node, context));
}
