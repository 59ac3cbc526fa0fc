import { closest, didYouMean, isJsonObject } from '@app/kernel';
import { type CheckContext, listOf, resolveOperation } from '../contract/check-context.js';
import { checkRequestConstants } from '../contract/check-request.js';
import {
  type CompiledTool,
  declaredProperties,
  requiredProperties,
  type ToolOperation,
} from '../model/compiled-tool.js';
import { CallbackUses } from '../contract/callback-places.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import { pattern } from '../contract/building-blocks.js';
import { requestSchema, stepSchema, type StepCheckContext, type StepDescriptor } from '../contract/step-descriptor.js';

export const toolStep: StepDescriptor<'tool'> = {
  schema: stepSchema('Calls one operation of a tool.', {
    tool: pattern('`<tool>.<operation>`.', 'operationReference'),
    with: requestSchema,
  }),
  compile(base, at) {
    const { node } = at;
    const uses = new CallbackUses(at.position.callbacks, base.id);
    const request = at.template(node.raw('with') ?? {}, node.pathOf('with'), { callbackProblem: uses.mention });
    const callbacks = uses.all.length > 0 ? { callbacks: uses.all } : {};
    return { ...base, kind: 'tool', operation: node.text('tool'), with: request, ...callbacks };
  },
  check: checkToolStep,
  outputType: () => 'dyn',
  blocks: null,
  isBlock: false,
  ends: false,
  isInstant: false,
  isRepeatable: true,
};

function checkToolStep(node: DefinitionNode, context: StepCheckContext): void {
  const { compiled, problems } = context;
  const operation = resolveOperation(node.text('tool'), node.pathOf('tool'), compiled, problems);
  if (!operation) return;
  checkCallbackUrls(node, compiled.tools.get(operation.tool), problems);
  if (node.has('retry') && operation.effect === 'at_most_once') {
    problems.warning(
      node.pathOf('retry'),
      `\`retry\` has no effect, because \`${operation.fullName}\` is a write operation that is sent at most once.`,
      'Declare `effect: idempotent` if the server recognises a repeated call, or remove `retry`.',
    );
  }
  checkArguments(node, operation, context);
  if (compiled.tools.get(operation.tool)?.kind === 'email') checkAttachments(node, problems);
}

const ATTACHMENT_KEYS = ['base64', 'text', 'file', 'filename', 'name', 'content_type', 'content_id'];
/** Members of received attachments and of binary responses, which can be sent as they are. */
const RECEIVED_KEYS = ['size', 'sha256', 'inline', 'encoding', 'content', 'bytes', 'truncated', 'partial'];

/** Reports unknown keys of attachments that are written out. */
function checkAttachments(node: DefinitionNode, problems: Problems): void {
  const attachments = node.optionalChild('with')?.raw('attachments');
  if (!Array.isArray(attachments)) return;
  for (const [index, attachment] of attachments.entries()) {
    for (const key of isJsonObject(attachment) ? Object.keys(attachment) : []) {
      if (ATTACHMENT_KEYS.includes(key) || RECEIVED_KEYS.includes(key)) continue;
      const suggestion = didYouMean(key, ATTACHMENT_KEYS) ?? listOf('Keys are', ATTACHMENT_KEYS);
      const path = [...node.pathOf('with'), 'attachments', index, key];
      problems.error(path, `An attachment has no key \`${key}\`.`, suggestion, 'key');
    }
  }
}

export function checkArguments(
  node: DefinitionNode,
  operation: ToolOperation,
  { problems, budget }: Pick<CheckContext, 'problems' | 'budget'>,
): void {
  const given = Object.keys(node.optionalChild('with')?.value ?? {});
  const at = node.has('with') ? node.pathOf('with') : node.pathOf('tool');
  const declared = Object.keys(declaredProperties(operation) ?? {});
  const mistyped = new Set<string>();
  const reported = problems.errors.length;
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
  if (problems.errors.length > reported) return;
  const request = node.optionalChild('with')?.value ?? {};
  checkRequestConstants(request, at, operation, { problems, budget });
}

/** Tools that store the request in a place where callback URLs are not redacted. */
const RECORDING: readonly CompiledTool['kind'][] = ['agent', 'knowledge', 'state'];

function checkCallbackUrls(node: DefinitionNode, tool: CompiledTool | undefined, problems: Problems): void {
  if (!tool || !RECORDING.includes(tool.kind)) return;
  if (!/\.callback_url\b/.test(JSON.stringify(node.raw('with') ?? {}))) return;
  problems.error(
    node.pathOf('with'),
    `The tool \`${tool.name}\` would record the callback URL, but a trace must not contain it.`,
    'Send the URL with a tool that calls another system, for example an `http` tool.',
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
