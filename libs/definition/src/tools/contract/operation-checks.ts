import { didYouMean } from '@app/kernel';
import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { Problems } from '../../compile/context/problems.js';

const MAX_TIMEOUT_MS = 600_000;

/** Reports a time limit of an operation that is longer than a call may take, or zero. */
export function checkTimeout(node: DefinitionNode, problems: Problems): void {
  const millis = node.durationOr('timeout', 1);
  if (millis > MAX_TIMEOUT_MS)
    problems.error(node.pathOf('timeout'), 'A call may take at most 10m.', 'Write `10m` or less.');
  if (millis === 0) problems.error(node.pathOf('timeout'), 'A call needs some time.', 'Write `30s`, or leave it out.');
}

/** Reports overrides of operations that are not included, and overrides that contradict themselves. */
export function checkOverrides(tool: DefinitionNode, problems: Problems): void {
  const included = tool.texts('include');
  for (const [name, node] of tool.objects('overrides')) {
    if (!included.includes(name)) {
      problems.error(
        node.path,
        `\`${name}\` is not included.`,
        didYouMean(name, included) ?? 'Add it to `include`.',
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
