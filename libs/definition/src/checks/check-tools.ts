import { didYouMean, isJsonObject, type JsonObject } from '@app/kernel';
import type { HttpTool, ToolOperation } from '../model/compiled-tool.js';
import { type DefinitionNode } from '../compile/definition-node.js';
import type { Problems } from '../compile/problems.js';
import type { CheckInput } from './check-input.js';
import { listOf, resolveOperation } from './references.js';

const MAX_TIMEOUT_MS = 600_000;
const MAX_OPERATIONS = 200;

/** Tools whose operations contradict themselves, or could not be called. */
export function checkTools(input: CheckInput): void {
  const { root, compiled, problems } = input;
  if (compiled.operations.size > MAX_OPERATIONS)
    problems.error(['tools'], `There are more than ${MAX_OPERATIONS} operations.`, 'Include fewer.', 'key');
  for (const node of root.items('tools')) {
    const tool = compiled.tools.get(node.text('name'));
    if (tool?.kind === 'http')
      for (const operation of node.items('operations')) checkHttpOperation(operation, tool, input);
    checkOverrides(node, problems);
    warnAboutPlainCredentials(node, problems);
  }
}

const CREDENTIAL_HEADER = /^(authorization|cookie|proxy-authorization|.*(api-?key|token|secret|password).*)$/i;

/** A credential that is part of the definition is stored with every version and shown to each person who may read agents. */
function warnAboutPlainCredentials(node: DefinitionNode, problems: Problems): void {
  const auth = node.optionalChild('auth');
  const inAuth = ['token', 'password', 'value'].flatMap((key) =>
    auth?.has(key) ? [[key, auth.text(key), auth.pathOf(key)] as const] : [],
  );
  const inHeaders = node
    .entries('headers')
    .flatMap(([name, value, path]) =>
      typeof value === 'string' && CREDENTIAL_HEADER.test(name) ? [[name, value, path] as const] : [],
    );
  for (const [name, value, path] of [...inAuth, ...inHeaders]) {
    if (value.includes('${{')) continue;
    const detail = `\`${name}\` is plain text: each person who may read the agent can read it.`;
    problems.warning(path, detail, 'Store it with `PUT /v1/secrets/{name}` and write `"${{ secrets.NAME }}"`.');
  }
}

function checkHttpOperation(node: DefinitionNode, tool: HttpTool, input: CheckInput): void {
  const operation = tool.operations.get(node.text('name'));
  if (!operation) return;
  checkEffect(node, operation, input.problems);
  checkTimeout(node, input.problems);
  checkPath(node, operation, input.problems);
  checkReconcile(node, operation, input);
}

/** scope and effect say two sides of one thing: whether calling changes anything, and what calling twice does. */
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
    const detail = `A key is sent, but the effect is ${operation.effect}, so a lost call is not repeated.`;
    problems.warning(
      node.pathOf('idempotency'),
      detail,
      'Write `effect: idempotent` if the other side recognises the key.',
    );
  }
}

function checkTimeout(node: DefinitionNode, problems: Problems): void {
  const millis = node.durationOr('timeout', 1);
  if (millis > MAX_TIMEOUT_MS)
    problems.error(node.pathOf('timeout'), 'A call may take at most 10m.', 'Write `10m` or less.');
  if (millis === 0) problems.error(node.pathOf('timeout'), 'A call needs some time.', 'Write `30s`, or leave it out.');
}

/** A parameter of the path must be a property of the request, else the call has no address. */
function checkPath(node: DefinitionNode, operation: ToolOperation, problems: Problems): void {
  const seen = new Set<string>();
  for (const part of operation.http?.path ?? []) {
    if ('text' in part) {
      if (/[{}]/.test(part.text))
        problems.error(node.pathOf('path'), `The braces in \`${part.text}\` do not match.`, 'Write `{name}`.');
      continue;
    }
    const { parameter } = part;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(parameter)) {
      problems.error(
        node.pathOf('path'),
        `\`{${parameter}}\` is not a parameter.`,
        'Write the name of a property: `{order_id}`.',
      );
    } else if (seen.has(parameter))
      problems.error(node.pathOf('path'), `\`{${parameter}}\` is there twice.`, 'Keep one.');
    else checkParameter(node, operation, parameter, problems);
    seen.add(parameter);
  }
}

function checkParameter(node: DefinitionNode, operation: ToolOperation, parameter: string, problems: Problems): void {
  const properties = propertiesOf(operation);
  if (!properties) return;
  const names = Object.keys(properties);
  if (!names.includes(parameter)) {
    const detail = `The path takes \`{${parameter}}\`, which the request does not have.`;
    problems.error(node.pathOf('path'), detail, didYouMean(parameter, names) ?? `Add it to \`request.properties\`.`);
  } else if (!requiredOf(operation).includes(parameter)) {
    const detail = `The path takes \`{${parameter}}\`, which the request may leave out.`;
    problems.warning(node.pathOf('path'), detail, `Add \`${parameter}\` to \`request.required\`.`);
  }
}

/** The declared properties of an operation's request; undefined where any object is accepted. */
export function propertiesOf(operation: ToolOperation): JsonObject | undefined {
  const properties = operation.request?.schema.properties;
  return isJsonObject(properties) && Object.keys(properties).length > 0 ? properties : undefined;
}

export function requiredOf(operation: ToolOperation): string[] {
  const required = operation.request?.schema.required;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function checkReconcile(node: DefinitionNode, operation: ToolOperation, { compiled, problems }: CheckInput): void {
  if (!operation.reconcile) return;
  const reconcile = node.child('reconcile');
  const path = reconcile.pathOf('operation');
  if (operation.scope === 'read')
    problems.warning(node.pathOf('reconcile'), 'A read is simply repeated: `reconcile` is never used.', 'Remove it.');
  const reader = resolveOperation(operation.reconcile.operation, path, compiled, problems);
  if (!reader) return;
  if (reader.scope !== 'read') {
    const reads = [...compiled.operations.values()].filter(
      (one) => one.tool === operation.tool && one.scope === 'read',
    );
    const detail = `\`${reader.fullName}\` is a write: finding out must not change anything.`;
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

function checkOverrides(tool: DefinitionNode, problems: Problems): void {
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
