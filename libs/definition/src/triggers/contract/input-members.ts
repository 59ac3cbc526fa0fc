import type { CheckInput } from '../../checks/contract/check-input.js';
import type { DefinitionNode } from '../../compile/context/definition-node.js';

/** Reports the members that the input schema requires and `key` of the trigger does not give. */
export function checkInputMembers(
  node: DefinitionNode,
  key: 'input' | 'map',
  { compiled, problems }: CheckInput,
): void {
  const schema = compiled.input?.schema;
  if (!schema) return;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const given = node.optionalChild(key);
  if (!given && key === 'map') return;
  for (const name of required) {
    if (typeof name !== 'string' || (given && name in given.value)) continue;
    problems.error(
      node.has(key) ? node.pathOf(key) : node.path,
      `The input needs \`${name}\`, which the trigger does not give.`,
      `Add \`${name}\` to \`${key}\`.`,
    );
  }
}
