import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { CheckInput } from './check-input.js';

/** A constant that a run is started with must fit the input schema. By a schema that is wrong itself nothing is checked. */
export function checkAgainstInput(constant: DefinitionNode, { compiled, problems, budget }: CheckInput): void {
  const schema = problems.errors.some(({ path }) => path[0] === 'input') ? null : compiled.input;
  for (const place of schema?.validate(constant.value, budget) ?? []) {
    const inner = place.pointer.split('/').slice(1);
    problems.error([...constant.path, ...inner], `The input schema refuses this: ${place.detail}`, place.suggestion);
  }
}
