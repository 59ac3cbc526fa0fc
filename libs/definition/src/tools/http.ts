import { didYouMean, type JsonValue } from '@app/kernel';
import { type CheckContext, listOf, resolveOperation } from '../checks/contract/check-context.js';
import {
  declaredProperties,
  requiredProperties,
  HTTP_METHODS,
  type HttpCall,
  type HttpTool,
  type OperationScope,
  type Reconciliation,
  type ToolOperation,
  parsePath,
  trimSlash,
} from '../model/compiled-tool.js';
import type { DefinitionNode } from '../compile/context/definition-node.js';
import type { Problems } from '../compile/context/problems.js';
import { cel, choice, jsonSchema, list, object, pattern, ref, text } from '../json-schema/building-blocks.js';
import { checkTimeout } from './contract/operation-checks.js';
import type { ToolCompilation } from './contract/tool-compilation.js';
import {
  describeTarget,
  type ToolDescriptor,
  connection,
  effect,
  scope,
  simulate,
  timeout,
  toolName,
} from './contract/tool-descriptor.js';

const reconcile = object(
  'How to find the outcome of a call that a crash interrupted: call a read operation and check its response. Used before an idempotent write operation is sent again, and before a person decides about any other write operation.',
  {
    operation: pattern('The read operation of the same tool.', 'operationName'),
    with: {
      type: 'object',
      description:
        'Request of the read operation. `request` and `call.key` are those of the call with unknown outcome.',
    },
    applied_if: cel(
      'Condition that is true if the call with unknown outcome was applied. It can read `request`, `call` and `response` ({status, headers, body}). The response may be a success, a 404 or a 410. Any other response leaves the outcome unknown.',
    ),
  },
  ['operation', 'applied_if'],
);

/** The schema `#/$defs/operation`. */
export const operationSchema = object(
  'An operation of the tool, called `<tool>.<name>` in steps, policies and traces.',
  {
    name: pattern('Name of the operation.', 'operationName'),
    description: text('What the operation does. The model reads this text.'),
    method: choice('HTTP method.', HTTP_METHODS),
    path: pattern('Path below base_url. `{name}` is replaced with the property `name` of the request.', 'path'),
    scope,
    effect,
    idempotency: object('Sends the same idempotency key with every attempt of a call.', {
      header: pattern('The header that carries the key.', 'headerName', { default: 'Idempotency-Key' }),
    }),
    reconcile,
    request: jsonSchema(
      'Arguments of the operation. Arguments that the path does not use are sent in the query for GET, HEAD and DELETE, and in the JSON body for other methods.',
    ),
    timeout,
    simulate,
  },
  ['name', 'method', 'path'],
);

/** An HTTP API. */
export const httpTool: ToolDescriptor<'http'> = {
  schema: object(
    'An HTTP API.',
    {
      name: toolName,
      type: text('http'),
      base_url: pattern('Absolute http or https URL.', 'httpUrl'),
      operations: list('Operations of the tool.', ref('operation'), 100, { minItems: 1 }),
      ...connection,
    },
    ['name', 'type', 'base_url', 'operations'],
  ),
  compile(base, at) {
    return { ...base, kind: 'http', baseUrl: trimSlash(at.node.text('base_url')), operations: compileOperations(at) };
  },
  check(node, input) {
    const tool = input.compiled.tools.get(node.text('name'));
    // If two tools have the same name, the second tool is not compiled.
    if (tool?.kind !== 'http') return;
    for (const operation of node.items('operations')) checkOperation(operation, tool, input);
  },
  target: ['base_url', 'auth', 'headers'],
  describe: describeTarget,
};

function compileOperations(tool: ToolCompilation): Map<string, ToolOperation> {
  const operations = new Map<string, ToolOperation>();
  for (const node of tool.node.items('operations')) {
    const name = node.text('name');
    if (operations.has(name)) {
      tool.context.problems.error(
        node.pathOf('name'),
        `\`${tool.name}\` has two operations named \`${name}\`.`,
        'Rename one.',
      );
    } else operations.set(name, compileOperation(node, tool));
  }
  return operations;
}

function compileOperation(node: DefinitionNode, tool: ToolCompilation): ToolOperation {
  const method = node.choiceOr('method', HTTP_METHODS, 'GET');
  const placement = ['GET', 'HEAD', 'DELETE'].includes(method) ? 'query' : 'body';
  const path = parsePath(node.text('path'));
  const http: HttpCall = { method, path, placement, parameters: [], baseUrl: null };
  const byMethod: OperationScope = method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  const idempotency = node.optionalChild('idempotency');
  return {
    ...tool.operation(node, node.text('name'), byMethod),
    description: node.optionalText('description'),
    request: tool.context.schema(node.raw('request'), node.pathOf('request')),
    idempotencyHeader: idempotency ? (idempotency.optionalText('header') ?? 'Idempotency-Key') : null,
    reconcile: compileReconcile(node, tool),
    http,
  };
}

function compileReconcile(node: DefinitionNode, tool: ToolCompilation): Reconciliation | null {
  const reconcile = node.optionalChild('reconcile');
  if (!reconcile) return null;
  const operation = reconcile.text('operation');
  const source: JsonValue = reconcile.raw('with') ?? {};
  const extras = tool.requestOf(node);
  return {
    operation: operation.startsWith(`${tool.name}.`) ? operation : `${tool.name}.${operation}`,
    with: tool.context.template(source, reconcile.pathOf('with'), 'reconcileRequest', extras),
    appliedIf: tool.context.condition(
      reconcile.text('applied_if'),
      reconcile.pathOf('applied_if'),
      'reconcileResponse',
      extras,
    ),
  };
}

function checkOperation(node: DefinitionNode, tool: HttpTool, input: CheckContext): void {
  const operation = tool.operations.get(node.text('name'));
  if (!operation) return;
  checkEffect(node, operation, input.problems);
  checkTimeout(node, input.problems);
  checkPath(node, operation, input.problems);
  checkReconcile(node, operation, input);
}

/** Reports a scope and an effect that contradict each other. */
function checkEffect(node: DefinitionNode, operation: ToolOperation, problems: Problems): void {
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
  if (node.has('idempotency') && operation.effect !== 'idempotent') {
    const detail = `The calls carry an idempotency key, but the effect is ${operation.effect}, so a call with unknown outcome is not retried.`;
    problems.warning(
      node.pathOf('idempotency'),
      detail,
      'Write `effect: idempotent` if the server recognises the key.',
    );
  }
}

/** Reports parameters of the path that are not properties of the request. */
function checkPath(node: DefinitionNode, operation: ToolOperation, problems: Problems): void {
  const seen = new Set<string>();
  for (const part of operation.http?.path ?? []) {
    if ('text' in part) {
      if (/[{}]/.test(part.text))
        problems.error(
          node.pathOf('path'),
          `\`${part.text}\` in the path has an opening or closing brace without its counterpart.`,
          'Write `{name}`.',
        );
      continue;
    }
    const { parameter } = part;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(parameter)) {
      problems.error(
        node.pathOf('path'),
        `\`{${parameter}}\` in the path is not a valid parameter.`,
        'Write the name of a property: `{order_id}`.',
      );
    } else if (seen.has(parameter))
      problems.error(node.pathOf('path'), `The path contains \`{${parameter}}\` twice.`, 'Keep one of them.');
    else checkParameter(node, operation, parameter, problems);
    seen.add(parameter);
  }
}

function checkParameter(node: DefinitionNode, operation: ToolOperation, parameter: string, problems: Problems): void {
  const properties = declaredProperties(operation);
  if (!properties) return;
  const names = Object.keys(properties);
  if (!names.includes(parameter)) {
    const detail = `The path contains \`{${parameter}}\`, but the request has no such property.`;
    problems.error(node.pathOf('path'), detail, didYouMean(parameter, names) ?? `Add it to \`request.properties\`.`);
  } else if (!requiredProperties(operation).includes(parameter)) {
    const detail = `The path contains \`{${parameter}}\`, but the request does not require it.`;
    problems.warning(node.pathOf('path'), detail, `Add \`${parameter}\` to \`request.required\`.`);
  }
}

function checkReconcile(node: DefinitionNode, operation: ToolOperation, { compiled, problems }: CheckContext): void {
  if (!operation.reconcile) return;
  const reconcile = node.child('reconcile');
  const path = reconcile.pathOf('operation');
  if (operation.scope === 'read')
    problems.warning(
      node.pathOf('reconcile'),
      '`reconcile` has no effect on a read operation, because read operations are simply repeated.',
      'Remove it.',
    );
  const reader = resolveOperation(operation.reconcile.operation, path, compiled, problems);
  if (!reader) return;
  if (reader.scope !== 'read') {
    const reads = [...compiled.operations.values()].filter(
      (one) => one.tool === operation.tool && one.scope === 'read',
    );
    const detail = `\`${reader.fullName}\` is a write operation, but \`reconcile\` must call a read operation.`;
    problems.error(
      path,
      detail,
      listOf(
        'Reads are',
        reads.map((one) => one.name),
      ),
    );
  }
  const given = Object.keys(reconcile.optionalChild('with')?.value ?? {});
  for (const part of reader.http?.path ?? []) {
    if ('text' in part || given.includes(part.parameter)) continue;
    problems.error(path, `\`${reader.fullName}\` needs \`${part.parameter}\`.`, `Add it to \`reconcile.with\`.`);
  }
}
