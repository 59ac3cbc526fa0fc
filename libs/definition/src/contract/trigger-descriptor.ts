import type { JsonObject } from '@app/kernel';
import type { CheckContext } from './check-context.js';
import type { CompileContext } from './compile-context.js';
import type { DefinitionNode } from './definition-node.js';
import type { TriggersByType, TriggerType } from '../model/compiled-definition.js';
import { pattern } from './building-blocks.js';
import { hasDefaultAt } from '@app/json-schema';

/** The schema, the compilation and the checks of one type of trigger. */
export interface TriggerDescriptor<Type extends TriggerType> {
  readonly schema: JsonObject;
  readonly compile: (node: DefinitionNode, context: CompileContext) => TriggersByType[Type];
  /** Reports problems that the schema and the compilation of single expressions do not find. */
  readonly check: (node: DefinitionNode, input: CheckContext) => void;
}

export const triggerId = pattern('Unique name of the trigger.', 'identifier');

export const map: JsonObject = {
  type: 'object',
  description: 'Input of the run, computed from the event. Default: the whole event. Values may contain `${{ CEL }}`.',
};

/** Reports properties that the input schema requires but that the trigger does not set in its field `key`. */
export function checkInputMembers(
  node: DefinitionNode,
  key: 'input' | 'map',
  { compiled, problems }: CheckContext,
): void {
  const schema = compiled.input?.schema;
  if (!schema) return;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const given = node.optionalChild(key);
  if (!given && key === 'map') return;
  for (const name of required) {
    if (typeof name !== 'string' || hasDefaultAt(schema, [name]) || (given && name in given.value)) continue;
    problems.error(
      node.has(key) ? node.pathOf(key) : node.path,
      `The input requires \`${name}\`, but the trigger does not set it.`,
      `Add \`${name}\` to \`${key}\`.`,
    );
  }
}
