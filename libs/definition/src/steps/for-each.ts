import { RESERVED_NAMES } from '../contract/places.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import { type CelType, isWholeExpression, NO_VARIABLES } from '@app/cel';
import { any, pattern, whole } from '../contract/building-blocks.js';
import type { StepCompilation } from '../contract/step-compilation.js';
import { stepList, stepSchema, type StepCheckContext, type StepDescriptor } from '../contract/step-descriptor.js';

export const forEachStep: StepDescriptor<'for_each'> = {
  schema: stepSchema(
    'Runs steps for every item of a list.',
    {
      for_each: any('The list: `${{ CEL }}` or a literal list.', { type: ['string', 'array'], items: {} }),
      as: pattern('Name of the current item in the expressions of `steps`.', 'variable', { default: 'item' }),
      max_parallel: whole('Maximum number of items that are in progress at the same time.', 1, 100, { default: 1 }),
      steps: stepList('Steps that run for each item.'),
    },
    ['steps'],
  ),
  compile(base, at) {
    const { node } = at;
    const as = nameOfItem(node);
    const items = at.template(node.raw('for_each') ?? [], node.pathOf('for_each'));
    checkItems(items.type, at);
    const scope = at.position.scope.branch('is inside a loop');
    const variables = [...at.position.variables, as];
    return {
      ...base,
      kind: 'for_each',
      items,
      as,
      maxParallel: node.numberOr('max_parallel', 1),
      steps: at.steps(node, base.retry, { scope, variables }),
    };
  },
  check: checkForEach,
  outputType: () => 'list',
  blocks: { written: (node) => [node], compiled: ({ steps }) => [steps] },
  isLoop: true,
  isBlock: true,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};

export function nameOfItem(node: DefinitionNode): string {
  return node.optionalText('as') ?? 'item';
}

const SCALAR_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  bool: 'true or false',
  double: 'a number',
};

function checkItems(type: CelType, { node, context: { isTrusted, problems } }: StepCompilation): void {
  const source = node.raw('for_each');
  // If there is text around the expression, {@link checkForEach} reports it.
  if (isTrusted || typeof source !== 'string' || !isWholeExpression(source)) return;
  if (type === 'dyn' || (typeof type === 'string' && type.startsWith('list'))) return;
  const given = (typeof type === 'string' && SCALAR_NAMES[type]) || 'an object';
  const remedy = given === 'an object' ? ' To process an object, loop over its keys: `o.map(key, key)`.' : '';
  problems.error(
    node.pathOf('for_each'),
    `\`for_each\` needs a list, but this value is ${given}.`,
    `Write a list, for example \`\${{ [1, 2] }}\`.${remedy}`,
  );
}

function checkForEach(node: DefinitionNode, { problems, stepsInside }: StepCheckContext): void {
  const items = node.raw('for_each');
  if (typeof items === 'string' && !isWholeExpression(items)) {
    const suggestion = items.includes('${{')
      ? 'Write only the expression, without text around it.'
      : `Write \`\${{ ${items} }}\`.`;
    problems.error(node.pathOf('for_each'), '`for_each` needs a list, but this value is a string.', suggestion);
  }
  const name = nameOfItem(node);
  if (RESERVED_NAMES.has(name) || NO_VARIABLES.has(name)) {
    const detail = RESERVED_NAMES.has(name)
      ? `\`${name}\` is a reserved name in expressions.`
      : `\`${name}\` is a reserved word of CEL, so no expression can read the item.`;
    problems.error(node.pathOf('as'), detail, 'Choose another name for the item.');
  }
  const inside = stepsInside(node);
  if (name === 'carry' && inside.some((inner) => inner.has('repeat'))) {
    const detail = 'A `repeat` step inside this loop uses the name `carry`.';
    problems.error(node.pathOf('as'), detail, 'Choose another name for the item.');
  }
  for (const inner of inside) {
    if (!inner.has('for_each') || nameOfItem(inner) !== name) continue;
    problems.error(
      inner.has('as') ? inner.pathOf('as') : inner.path,
      `The enclosing \`for_each\` also names its item \`${name}\`.`,
      'Add `as` with another name, for example `as: line`.',
    );
  }
}
