import { didYouMean, type JsonObject, type JsonValue } from '@app/kernel';
import { type CheckContext, listOf, resolveOperation } from '../contract/check-context.js';
import {
  declaredProperties,
  requiredProperties,
  HTTP_METHODS,
  SIMULATED_RESPONSE,
  type HttpCall,
  type HttpTool,
  type OperationScope,
  type Reconciliation,
  type ToolOperation,
} from '../model/compiled-tool.js';
import type { DefinitionNode } from '../contract/definition-node.js';
import type { Problems } from '../contract/problems.js';
import {
  cel,
  choice,
  computedPath,
  computedUrl,
  jsonSchema,
  list,
  object,
  pattern,
  ref,
  text,
} from '../contract/building-blocks.js';
import { type AllowedHost, allowsUrl, covers, hostText, parseAllowedHost } from '../model/allowed-hosts.js';
import { HttpPartsCompilation, requestParts } from '../contract/http-parts.js';
import { checkEffect, checkTimeout } from '../contract/operation-checks.js';
import type { Template } from '@app/cel';
import type { CustomRequest } from '../model/custom-request.js';
import type { ToolCompilation } from '../contract/tool-compilation.js';
import {
  describeTarget,
  type TargetChange,
  type ToolDescriptor,
  connection,
  effect,
  scope,
  simulate,
  timeout,
  toolName,
} from '../contract/tool-descriptor.js';

const reconcile = object(
  'How to find out whether an interrupted call took effect: the service calls a read operation and checks ' +
    'its response. Used before a person decides about an at_most_once call, and before an idempotent call is ' +
    'sent again after the loss of a worker or an emergency stop.',
  {
    operation: pattern('Name of the read operation to call. It must belong to the same tool.', 'operationName'),
    with: {
      type: 'object',
      description:
        'Arguments of the read operation. Expressions can read `request` and `call` of the interrupted call.',
    },
    applied_if: cel(
      'Condition that is true if the interrupted call took effect. It can read `request`, `call` and ' +
        '`response` ({status, headers, body}). If it is false, the call is sent again. If the response is ' +
        'neither a success nor 404 or 410, the outcome stays unknown.',
    ),
    output: {
      description:
        'Output of the step if the call took effect. Expressions can read the same names as `applied_if`. ' +
        'Default: the body of the response.',
    },
  },
  ['operation', 'applied_if'],
);

/** The schema `#/$defs/operation`. */
export const operationSchema = object(
  'An operation of the tool, called `<tool>.<name>` in steps, policies and traces.',
  {
    name: pattern('Name of the operation.', 'operationName'),
    description: text('Purpose of the operation, which the model reads.'),
    method: choice('HTTP method.', HTTP_METHODS),
    path: computedPath(
      'Path below `base_url`. `{name}` is replaced with the argument `name`. Each computed value becomes one ' +
        'path segment.',
    ),
    scope,
    effect,
    idempotency: object('Sends the same idempotency key with every attempt of a call.', {
      header: pattern('Header that contains the key.', 'headerName', { default: 'Idempotency-Key' }),
    }),
    reconcile,
    ...requestParts,
    request: jsonSchema(
      'Schema of the arguments. Arguments that the path does not use are sent in the query for GET, HEAD and ' +
        'DELETE, and in the JSON body for other methods.',
    ),
    timeout,
    simulate,
  },
  ['name', 'method', 'path'],
);

export const httpTool: ToolDescriptor<'http'> = {
  schema: object(
    'Operations of an HTTP API.',
    {
      name: toolName,
      type: text('http'),
      base_url: computedUrl(
        'Absolute http or https URL. If an expression in it reads anything except secrets, `allowed_hosts` is required.',
      ),
      allowed_hosts: list(
        'Hosts that the tool may call, also after redirects. `*.example.net` allows all names below ' +
          '`example.net`. A port is optional. Default: every host.',
        text('Name or address of a host.', { maxLength: 260 }),
        100,
        { minItems: 1, uniqueItems: true },
      ),
      operations: list('Operations of the tool.', ref('operation'), 100, { minItems: 1 }),
      ...connection,
    },
    ['name', 'type', 'base_url', 'operations'],
  ),
  compile(base, at) {
    const parts = new HttpPartsCompilation(at);
    const baseUrl = parts.baseUrl();
    const hosts = compileHosts(at);
    const tool = { ...base, kind: 'http' as const, baseUrl, operations: compileOperations(at, parts) };
    return hosts ? { ...tool, allowedHosts: hosts } : tool;
  },
  check(node, input) {
    const tool = input.compiled.tools.get(node.text('name'));
    // If two tools have the same name, only the first is compiled, which may be of another kind.
    if (tool?.kind !== 'http') return;
    checkHosts(node, tool, input.problems);
    for (const operation of node.items('operations')) checkOperation(operation, tool, input);
  },
  target: ['base_url', 'auth', 'headers'],
  describe: describeTarget,
  compare: compareHosts,
};

function compareHosts(before: JsonObject, after: JsonObject): TargetChange[] {
  const [was, is] = [before, after].map(({ allowed_hosts: hosts }) => hostsIn(hosts));
  const member = 'allowed_hosts';
  if (was === is || JSON.stringify(was) === JSON.stringify(is)) return [];
  if (!is) return [{ kind: 'tool_hosts_lost', severity: 'critical', member, message: 'may call any host.' }];
  if (!was) {
    const message = `may only call ${is.map(hostEntry).join(', ')}.`;
    return [{ kind: 'tool_hosts_gained', severity: 'warning', member, message }];
  }
  const wider = is.filter((host) => !was.some((one) => covers(one, host)));
  return wider.length > 0
    ? [
        {
          kind: 'tool_hosts_changed',
          severity: 'critical',
          member,
          message: `may also call ${wider.map(hostEntry).join(', ')}.`,
        },
      ]
    : [{ kind: 'tool_hosts_changed', severity: 'warning', member, message: 'may call fewer hosts.' }];
}

function hostsIn(value: JsonValue | undefined): AllowedHost[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((text) => (typeof text === 'string' ? (parseAllowedHost(text) ?? []) : []));
}

function hostEntry({ name, isWildcard, port }: AllowedHost): string {
  return `${isWildcard ? '*.' : ''}${name}${port === null ? '' : `:${port}`}`;
}

/** Compiles `allowed_hosts`. Reports entries that are not hosts, and leaves them out. */
function compileHosts({ node, context }: ToolCompilation): AllowedHost[] | undefined {
  if (!node.has('allowed_hosts')) return undefined;
  return node.texts('allowed_hosts').flatMap((text, index) => {
    const host = parseAllowedHost(text);
    if (host) return [host];
    const detail = `\`${text}\` is not a host that a tool can be limited to.`;
    const remedy =
      'Write `api.example.com`, `api.example.com:8443`, an address, or `*.example.com` for all names below it.';
    context.problems.error([...node.pathOf('allowed_hosts'), index], detail, remedy);
    return [];
  });
}

function compileOperations(tool: ToolCompilation, parts: HttpPartsCompilation): Map<string, ToolOperation> {
  const operations = new Map<string, ToolOperation>();
  for (const node of tool.node.items('operations')) {
    const name = node.text('name');
    if (operations.has(name)) {
      tool.context.problems.error(
        node.pathOf('name'),
        `\`${tool.name}\` has two operations named \`${name}\`.`,
        'Rename one.',
      );
    } else operations.set(name, compileOperation(node, tool, parts));
  }
  return operations;
}

function compileOperation(node: DefinitionNode, tool: ToolCompilation, parts: HttpPartsCompilation): ToolOperation {
  const method = node.choiceOr('method', HTTP_METHODS, 'GET');
  const placement = ['GET', 'HEAD', 'DELETE'].includes(method) ? 'query' : 'body';
  const { path, named } = parts.path(node);
  const custom = parts.custom(node, named);
  const http: HttpCall = { method, path, placement, parameters: [], baseUrl: null, ...(custom && { custom }) };
  const byMethod: OperationScope = method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  const idempotency = node.optionalChild('idempotency');
  const operation = tool.operation(node, node.text('name'), byMethod);
  return {
    ...operation,
    simulate: operation.simulate ?? simulatedAnswer(custom, node, tool),
    description: node.optionalText('description'),
    request: tool.context.schema(node.raw('request'), node.pathOf('request')),
    idempotencyHeader: idempotency ? (idempotency.optionalText('header') ?? 'Idempotency-Key') : null,
    reconcile: compileReconcile(node, tool),
    http,
  };
}

/**
 * Returns the simulated response of an operation with `ok_status`. The output of such an operation always contains a
 * status, so the simulated output contains one too.
 */
function simulatedAnswer(
  custom: CustomRequest | undefined,
  node: DefinitionNode,
  { context }: ToolCompilation,
): Template | null {
  if (!custom?.okStatus) return null;
  const answer = { status: 200, headers: {}, body: SIMULATED_RESPONSE };
  return context.template(answer, node.pathOf('ok_status'), 'simulate');
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
    output: tool.context.optionalTemplate(reconcile, 'output', 'reconcileResponse', extras),
  };
}

function checkOperation(node: DefinitionNode, tool: HttpTool, input: CheckContext): void {
  const operation = tool.operations.get(node.text('name'));
  if (!operation) return;
  checkEffect(node, operation, input.problems);
  checkIdempotency(node, operation, input.problems);
  checkTimeout(node, input.problems);
  checkPath(node, operation, input.problems);
  checkBody(node, operation, input.problems);
  checkReconcile(node, operation, input);
}

/** Warns if an operation has `idempotency`, but its effect is not `idempotent`. */
function checkIdempotency(node: DefinitionNode, operation: ToolOperation, problems: Problems): void {
  if (!node.has('idempotency') || operation.effect === 'idempotent') return;
  const path = node.pathOf('idempotency');
  if (operation.effect === 'read') {
    const detail = 'A read operation needs no `idempotency`, because its calls change nothing and are simply repeated.';
    return problems.warning(path, detail, 'Remove it.');
  }
  const detail = `The calls carry an idempotency key, but the effect is ${operation.effect}, so a call with unknown outcome is not retried.`;
  problems.warning(path, detail, 'Write `effect: idempotent` if the server recognises the key.');
}

/** Reports mistakes in the path, such as parameters that are not properties of the request. */
function checkPath(node: DefinitionNode, operation: ToolOperation, problems: Problems): void {
  const seen = new Set<string>();
  for (const part of operation.http?.path ?? []) {
    if ('value' in part) continue;
    if ('text' in part) {
      if (/[\s?#]/.test(part.text))
        problems.error(
          node.pathOf('path'),
          `\`${part.text}\` in the path contains a space, \`?\` or \`#\`.`,
          'Write parameters of the query in `query`.',
        );
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

function checkBody(node: DefinitionNode, operation: ToolOperation, problems: Problems): void {
  const { method, custom } = operation.http ?? {};
  const body = custom?.body ?? null;
  const hasContent = node.has('content');
  if ((method === 'GET' || method === 'HEAD') && (hasContent || (body !== null && body !== 'none'))) {
    const key = hasContent ? 'content' : 'body';
    const remedy = 'Write the values in `query`, or choose another method.';
    problems.error(node.pathOf(key), `A ${method} request has no body, so \`${key}\` is not allowed.`, remedy, 'key');
  } else if (hasContent && body === 'none')
    problems.error(
      node.pathOf('content'),
      '`body: none` sends no body, so `content` has no effect.',
      'Remove one of them.',
      'key',
    );
  else if ((body === 'text' || body === 'binary') && !hasContent)
    problems.error(
      node.pathOf('body'),
      `\`body: ${body}\` needs \`content\`.`,
      'Add `content` with the value to send.',
    );
}

/** Warns if the base URL is constant and its host is not among the allowed hosts. */
function checkHosts(node: DefinitionNode, { baseUrl, allowedHosts }: HttpTool, problems: Problems): void {
  if (!allowedHosts || typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return;
  const url = new URL(baseUrl);
  if (allowsUrl(allowedHosts, url)) return;
  const detail = `\`allowed_hosts\` does not contain \`${hostText(url)}\`, so every call of the tool is denied.`;
  problems.warning(node.pathOf('allowed_hosts'), detail, `Add \`${hostText(url)}\`.`);
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
    if (!('parameter' in part) || given.includes(part.parameter)) continue;
    problems.error(path, `\`${reader.fullName}\` needs \`${part.parameter}\`.`, `Add it to \`reconcile.with\`.`);
  }
}
