import { closest, didYouMean } from '@app/kernel';
import { listOf, resolveOperation } from '../checks/contract/check-context.js';
import { declaredProperties, requiredProperties, type ToolOperation } from '../model/compiled-tool.js';
import type { DefinitionNode } from '../compile/context/definition-node.js';
import type { Problems } from '../compile/context/problems.js';
import { pattern } from '../json-schema/building-blocks.js';
import { requestSchema, stepSchema } from './contract/step-schema.js';
import type { StepCheckContext, StepDescriptor } from './contract/step-descriptor.js';

/** Calls one operation of a tool. */
export const toolStep: StepDescriptor<'tool'> = {
  schema: stepSchema('Calls one operation of a tool.', {
    tool: pattern('`<tool>.<operation>`.', 'operationReference'),
    with: requestSchema,
  }),
  compile(base, at) {
    const { node } = at;
    const request = at.template(node.raw('with') ?? {}, node.pathOf('with'));
    return { ...base, kind: 'tool', operation: node.text('tool'), with: request };
  },
  check: checkToolStep,
  outputType: () => 'dyn',
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};

function checkToolStep(node: DefinitionNode, { compiled, problems }: StepCheckContext): void {
  const operation = resolveOperation(node.text('tool'), node.pathOf('tool'), compiled, problems);
  if (!operation) return;
  if (node.has('retry') && operation.effect === 'at_most_once') {
    problems.warning(
      node.pathOf('retry'),
      `\`retry\` has no effect, because \`${operation.fullName}\` is a write operation that is sent at most once.`,
      'Declare `effect: idempotent` if the server recognises a repeated call, or remove `retry`.',
    );
  }
  const given = Object.keys(node.optionalChild('with')?.value ?? {});
  const at = node.has('with') ? node.pathOf('with') : node.pathOf('tool');
  const declared = Object.keys(declaredProperties(operation) ?? {});
  const mistyped = new Set<string>();
  for (const name of new Set([...pathParameters(operation), ...requiredProperties(operation)])) {
    if (given.includes(name)) continue;
    const close = closest(
      name,
      given.filter((key) => !declared.includes(key)),
    );
    if (close !== undefined) mistyped.add(close);
    const suggestion =
      close === undefined
        ? `Add \`${name}\` to \`with\`.`
        : `\`with\` contains \`${close}\`. Did you mean \`${name}\`?`;
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
  const properties = declaredProperties(operation);
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
        `\`${operation.fullName}\` does not accept \`${name}\`.`,
        close ?? listOf('It accepts', names),
        'key',
      );
    else if (close)
      problems.warning(path, `The request schema of \`${operation.fullName}\` does not declare \`${name}\`.`, close);
  }
}

function pathParameters(operation: ToolOperation): string[] {
  return (operation.http?.path ?? []).flatMap((part) => ('parameter' in part ? [part.parameter] : []));
}
