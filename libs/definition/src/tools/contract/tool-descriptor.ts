import type { JsonObject } from '@app/kernel';
import type { CheckInput } from '../../checks/contract/check-input.js';
import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { ToolBase, ToolsByType, ToolType } from '../../model/compiled-tool.js';
import type { ToolCompilation } from './tool-compilation.js';

/** All there is to know of one type of tool before it is called. */
export interface ToolDescriptor<Type extends ToolType> {
  /** The type in the JSON Schema of the format. */
  readonly schema: JsonObject;
  /** Compiles a tool of the right form; `base` is what every type has. */
  readonly compile: (base: ToolBase, at: ToolCompilation) => ToolsByType[Type];
  /** Reports what neither the schema nor a single expression shows. Null: there is nothing to check. */
  readonly check: ((node: DefinitionNode, input: CheckInput) => void) | null;
  /**
   * The members of the written tool that say where its calls go and as whom. A change of one of them is a critical change
   * of capability. What is left are the name, what models read, and what the compiled operations say.
   */
  readonly target: readonly string[];
  /** What a person who promotes a version reads about a changed member of the target. */
  readonly describe: (tool: string, member: string) => string;
}

/** What a changed member of a target means where the type says nothing more exact. */
export function describeTarget(tool: string, member: string): string {
  return `\`${member}\` of the tool ${tool} is another one: its calls reach something else, or as somebody else.`;
}
