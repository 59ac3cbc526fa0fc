import { closest, didYouMean, isJsonObject, parseDuration, parseInstant } from '@app/kernel';
import type { ToolOperation } from '../model/compiled-tool.js';
import { allStepNodes, kindOf } from '../compile/compile-steps.js';
import type { DefinitionNode } from '../compile/definition-node.js';
import { RESERVED_NAMES } from '../compile/places.js';
import type { Problems } from '../compile/problems.js';
import { isWholeExpression } from '../expressions/template.js';
import type { CheckInput } from './check-input.js';
import { propertiesOf, requiredOf } from './check-tools.js';
import { listOf, requireApproval, requireUnique, resolveOperation } from './references.js';

/** Kinds after which the steps below them are never reached. */
const ENDING_KINDS = new Set(['hand_off', 'fail']);

/** The plan: names, what steps refer to, and steps that could not work or would never run. */
export function checkSteps(input: CheckInput): void {
  const { root, problems } = input;
  const nodes = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')];
  requireUnique(
    nodes.map((node) => ({ name: node.text('id'), path: node.pathOf('id') })),
    'steps',
    problems,
  );
  for (const node of nodes) {
    checkStep(node, input);
    warnAboutIdleKeys(node, problems);
  }
  for (const key of ['steps', 'on_failure']) warnAboutUnreachable(root.items(key), problems);
}

function checkStep(node: DefinitionNode, input: CheckInput): void {
  switch (kindOf(node)) {
    case 'tool':
      return checkToolStep(node, input);
    case 'approval':
      return requireApproval(node.text('approval'), node.pathOf('approval'), input.compiled, input.problems);
    case 'switch':
      return checkSwitch(node, input.problems);
    case 'for_each':
      return checkForEach(node, input.problems);
    case 'parallel':
      return node.items('parallel').forEach((branch) => warnAboutUnreachable(branch.items('steps'), input.problems));
    case 'wait':
      return checkWait(node.child('wait'), input.problems);
    case 'agent':
      return checkAgent(node.child('agent'), input);
    default:
      return undefined;
  }
}

/** Kinds that are over at once, or that nothing can be repeated of. */
const INSTANT_KINDS = new Set(['let', 'assert', 'hand_off', 'fail', 'output']);
const UNREPEATED_KINDS = new Set([...INSTANT_KINDS, 'approval', 'wait']);

function warnAboutIdleKeys(node: DefinitionNode, problems: Problems): void {
  const kind = kindOf(node);
  const isIdle = INSTANT_KINDS.has(kind) || (kind === 'wait' && node.child(kind).has('until'));
  if (node.has('timeout') && isIdle) {
    problems.warning(node.pathOf('timeout'), `\`timeout\` does nothing for \`${kind}\`.`, 'Remove it.');
  }
  if (node.has('retry') && UNREPEATED_KINDS.has(kind)) {
    problems.warning(node.pathOf('retry'), `\`retry\` does nothing for \`${kind}\`.`, 'Remove it.');
  }
}

function checkToolStep(node: DefinitionNode, { compiled, problems }: CheckInput): void {
  const operation = resolveOperation(node.text('tool'), node.pathOf('tool'), compiled, problems);
  if (!operation) return;
  if (node.has('retry') && operation.effect === 'at_most_once') {
    problems.warning(
      node.pathOf('retry'),
      `\`${operation.fullName}\` is a write that is sent at most once: \`retry\` never repeats it.`,
      'Declare `effect: idempotent` if the other side recognises a repeated call, or remove `retry`.',
    );
  }
  const given = Object.keys(node.optionalChild('with')?.value ?? {});
  const at = node.has('with') ? node.pathOf('with') : node.pathOf('tool');
  const declared = Object.keys(propertiesOf(operation) ?? {});
  const mistyped = new Set<string>();
  for (const name of new Set([...pathParameters(operation), ...requiredOf(operation)])) {
    if (given.includes(name)) continue;
    const close = closest(
      name,
      given.filter((key) => !declared.includes(key)),
    );
    if (close !== undefined) mistyped.add(close);
    const suggestion =
      close === undefined ? `Add \`${name}\` to \`with\`.` : `\`${close}\` is there: did you mean \`${name}\`?`;
    problems.error(at, `\`${operation.fullName}\` needs \`${name}\`.`, suggestion, 'key');
  }
  checkUnknownArguments(
    node,
    operation,
    given.filter((name) => !mistyped.has(name)),
    problems,
  );
}

function checkUnknownArguments(
  node: DefinitionNode,
  operation: ToolOperation,
  given: readonly string[],
  problems: Problems,
): void {
  const properties = propertiesOf(operation);
  if (!properties) return;
  const isClosed = operation.request?.schema.additionalProperties === false;
  const names = Object.keys(properties);
  for (const name of given) {
    if (names.includes(name)) continue;
    const close = didYouMean(name, names);
    const path = [...node.pathOf('with'), name];
    if (isClosed)
      problems.error(
        path,
        `\`${operation.fullName}\` does not take \`${name}\`.`,
        close ?? listOf('It takes', names),
        'key',
      );
    else if (close) problems.warning(path, `\`${operation.fullName}\` does not declare \`${name}\`.`, close);
  }
}

function pathParameters(operation: ToolOperation): string[] {
  return (operation.http?.path ?? []).flatMap((part) => ('parameter' in part ? [part.parameter] : []));
}

function checkSwitch(node: DefinitionNode, problems: Problems): void {
  const branches = node.items('switch');
  for (const [index, branch] of branches.entries()) {
    if (!branch.has('when') && index < branches.length - 1) {
      const detail = 'Only the last branch can do without `when`: those below it would never run.';
      problems.error(branch.path, detail, 'Add `when`, or move the branch to the end.');
    }
    warnAboutUnreachable(branch.items('steps'), problems);
  }
}

function checkForEach(node: DefinitionNode, problems: Problems): void {
  const items = node.raw('for_each');
  if (typeof items === 'string' && !isWholeExpression(items)) {
    const suggestion = items.includes('${{')
      ? 'Use one expression and nothing around it.'
      : `Write \`\${{ ${items} }}\`.`;
    problems.error(node.pathOf('for_each'), 'Text is not a list to go through.', suggestion);
  }
  const name = node.optionalText('as') ?? 'item';
  if (RESERVED_NAMES.has(name)) {
    problems.error(
      node.pathOf('as'),
      `\`${name}\` means something else in expressions.`,
      'Choose another name for the item.',
    );
  }
  for (const inner of allStepNodes(node)) {
    if (kindOf(inner) === 'for_each' && (inner.optionalText('as') ?? 'item') === name) {
      problems.error(
        inner.has('as') ? inner.pathOf('as') : inner.path,
        `The loop around this one calls its item \`${name}\` too.`,
        'Write `as:` with another name.',
      );
    }
  }
  warnAboutUnreachable(node.items('steps'), problems);
}

function checkWait(node: DefinitionNode, problems: Problems): void {
  const duration = node.optionalText('for');
  if (duration !== null && !duration.includes('${{') && parseDuration(duration) === undefined) {
    problems.error(
      node.pathOf('for'),
      `"${duration}" is not a duration.`,
      'Write a whole number and a unit: `500ms`, `20s`, `10m`, `24h` or `30d`.',
    );
  }
  const until = node.optionalText('until');
  if (until !== null && !until.includes('${{') && parseInstant(until) === undefined) {
    problems.error(
      node.pathOf('until'),
      `"${until}" is not a time.`,
      'Write RFC 3339 with an offset: `2027-01-31T08:00:00Z`.',
    );
  }
}

function checkAgent(agent: DefinitionNode, { compiled, problems }: CheckInput): void {
  for (const [index, reference] of agent.texts('tools').entries()) {
    if (compiled.tools.has(reference)) continue;
    resolveOperation(reference, [...agent.pathOf('tools'), index], compiled, problems);
  }
}

function warnAboutUnreachable(steps: readonly DefinitionNode[], problems: Problems): void {
  for (const [index, node] of steps.slice(0, -1).entries()) {
    if (!isJsonObject(node.value) || !ENDING_KINDS.has(kindOf(node)) || node.has('if')) continue;
    const next = steps[index + 1];
    if (!next) return;
    problems.warning(
      next.path,
      `Step \`${next.text('id')}\` never runs: \`${node.text('id')}\` ends the run before it.`,
      'Give the step before it an `if`, or remove this one.',
    );
    return;
  }
}
