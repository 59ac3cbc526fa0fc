import type { JsonObject } from '@app/kernel';
import type { CheckInput } from '../../checks/contract/check-input.js';
import type { CompileContext } from '../../compile/context/compile-context.js';
import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { TriggersByType, TriggerType } from '../../model/compiled-definition.js';

/** All there is to know of one type of trigger before it fires. */
export interface TriggerDescriptor<Type extends TriggerType> {
  /** The type in the JSON Schema of the format. */
  readonly schema: JsonObject;
  /** Compiles a trigger of the right form. */
  readonly compile: (node: DefinitionNode, context: CompileContext) => TriggersByType[Type];
  /** Reports what neither the schema nor a single expression shows. */
  readonly check: (node: DefinitionNode, input: CheckInput) => void;
}
