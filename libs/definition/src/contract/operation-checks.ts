import { didYouMean } from '@app/kernel';
import type { DefinitionNode } from './definition-node.js';
import type { Problems } from './problems.js';
import type { ToolOperation } from '../model/compiled-tool.js';
import type { IncludedOperation } from '../model/included-operation.js';
import { includedOperations } from './included-operations.js';

const MAX_TIMEOUT_MS = 600_000;

export function checkTimeout(node: DefinitionNode, problems: Problems): void {
  const millis = node.durationOr('timeout', 1);
  if (millis > MAX_TIMEOUT_MS)
    problems.error(node.pathOf('timeout'), '`timeout` must be at most 10m.', 'Write `10m` or less.');
  if (millis === 0)
    problems.error(
      node.pathOf('timeout'),
      '`timeout` must be more than 0.',
      'Write a longer time, for example `30s`, or remove the key.',
    );
}

/** Reports a scope and an effect that contradict each other. */
export function checkEffect(node: DefinitionNode, operation: ToolOperation, problems: Problems): void {
  if (operation.scope === 'read' && operation.effect !== 'read') {
    const detail = `\`scope: read\` and \`effect: ${operation.effect}\` contradict each other.`;
    problems.error(node.pathOf('effect'), detail, 'Leave `effect` out, or write `scope: write`.');
  }
  if (operation.scope === 'write' && operation.effect === 'read') {
    problems.error(
      node.pathOf('effect'),
      '`scope: write` and `effect: read` contradict each other.',
      'Write `scope: read`.',
    );
  }
}

/** Reports operations whose names are equal. */
function checkNames(tool: DefinitionNode, included: readonly IncludedOperation[], problems: Problems): void {
  for (const [index, { id, name }] of included.entries()) {
    const first = included.find((each) => each.name === name);
    if (first === undefined || first === included[index]) continue;
    problems.error(
      [...tool.pathOf('include'), index],
      `\`${id}\` and \`${first.id}\` both have the name \`${name}\`.`,
      `Give one of them another name: \`{ id: ${JSON.stringify(id)}, as: … }\`.`,
    );
  }
}

/**
 * Reports overrides of operations that are not included, overrides with a contradictory scope and effect, and included
 * operations with the same name.
 */
export function checkOverrides(tool: DefinitionNode, problems: Problems): void {
  const included = includedOperations(tool);
  checkNames(tool, included, problems);
  const known = included.flatMap(({ id, name }) => [id, name]);
  for (const [name, node] of tool.objects('overrides')) {
    if (!known.includes(name)) {
      problems.error(
        node.path,
        `\`overrides\` names \`${name}\`, which is not in \`include\`.`,
        didYouMean(name, known) ?? `Add \`${name}\` to \`include\`.`,
        'key',
      );
      continue;
    }
    const [scope, effect] = [node.optionalText('scope'), node.optionalText('effect')];
    const contradicts = scope !== null && effect !== null && (scope === 'read') !== (effect === 'read');
    if (contradicts)
      problems.error(
        node.pathOf('effect'),
        `\`scope: ${scope}\` and \`effect: ${effect}\` contradict each other.`,
        'Leave one out.',
      );
    checkTimeout(node, problems);
  }
}
