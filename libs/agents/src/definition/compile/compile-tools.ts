import type { JsonValue } from '@app/kernel';
import {
  type CompiledTool,
  HTTP_METHODS,
  type HttpCall,
  OPERATION_EFFECTS,
  OPERATION_SCOPES,
  type OperationEffect,
  type OperationScope,
  type PathPart,
  type Reconciliation,
  type ToolAuth,
  type ToolOperation,
} from '../compiled-tool.js';
import type { Template } from '../expressions/expression.js';
import type { CompileContext, ScopeExtras } from './compile-context.js';
import { DefinitionNode } from './definition-node.js';
import type { Path } from './problems.js';

const DEFAULT_TIMEOUT_MS = 30_000;
/** The name of the tool that every definition has: it mails the admins of the workspace. */
export const BUILT_IN_EMAIL_TOOL = 'notify';
export const EMAIL_OPERATION = 'send';

const EMAIL_REQUEST = {
  type: 'object',
  required: ['subject', 'text'],
  additionalProperties: false,
  properties: {
    subject: { type: 'string', minLength: 1, maxLength: 500 },
    text: { type: 'string', maxLength: 100_000 },
  },
};

/** Every tool of a definition by its name, and `notify` where the definition has none of that name. */
export function compileTools(root: DefinitionNode, context: CompileContext): Map<string, CompiledTool> {
  const tools = new Map<string, CompiledTool>();
  for (const node of root.items('tools')) {
    const name = node.text('name');
    if (tools.has(name))
      context.problems.error(node.pathOf('name'), `There are two tools named \`${name}\`.`, 'Rename one.');
    else tools.set(name, new ToolCompiler(node, context).compile());
  }
  if (!tools.has(BUILT_IN_EMAIL_TOOL)) tools.set(BUILT_IN_EMAIL_TOOL, builtInEmailTool(context));
  return tools;
}

function builtInEmailTool(context: CompileContext): CompiledTool {
  const node = new DefinitionNode({ name: BUILT_IN_EMAIL_TOOL, type: 'email' }, ['tools', BUILT_IN_EMAIL_TOOL]);
  return new ToolCompiler(node, context).compile();
}

class ToolCompiler {
  private readonly name: string;
  private readonly secretNames = new Set<string>();

  constructor(
    private readonly node: DefinitionNode,
    private readonly context: CompileContext,
  ) {
    this.name = node.text('name');
  }

  compile(): CompiledTool {
    const { node } = this;
    const auth = this.compileAuth();
    const headers = this.compileHeaders();
    const base = {
      name: this.name,
      description: node.optionalText('description'),
      auth,
      headers,
      secretNames: [...this.secretNames],
    };
    switch (node.text('type')) {
      case 'http':
        return {
          ...base,
          kind: 'http',
          baseUrl: trimSlash(node.text('base_url')),
          operations: this.compileHttpOperations(),
        };
      case 'openapi': {
        const spec = node.child('spec');
        const baseUrl = node.has('base_url') ? trimSlash(node.text('base_url')) : null;
        const pinned = { url: spec.text('url'), sha256: spec.text('sha256') };
        return {
          ...base,
          kind: 'openapi',
          spec: pinned,
          baseUrl,
          include: node.texts('include'),
          operations: this.compileIncluded(),
        };
      }
      case 'mcp': {
        const isStdio = node.text('transport') === 'stdio';
        const transport = isStdio
          ? ({ kind: 'stdio', command: node.text('command'), args: node.texts('args') } as const)
          : ({ kind: 'streamable_http', url: node.text('url') } as const);
        return { ...base, kind: 'mcp', transport, include: node.texts('include'), operations: this.compileIncluded() };
      }
      default: {
        const operations = new Map([[EMAIL_OPERATION, this.emailOperation()]]);
        return { ...base, kind: 'email', to: node.has('to') ? node.texts('to') : null, operations };
      }
    }
  }

  private compileAuth(): ToolAuth | null {
    const auth = this.node.optionalChild('auth');
    if (!auth) return null;
    const template = (key: string): Template =>
      this.context.template(auth.text(key), auth.pathOf(key), 'toolAuth', this.noting(auth.pathOf(key)));
    switch (auth.text('type')) {
      case 'bearer':
        return { kind: 'bearer', token: template('token') };
      case 'basic':
        return { kind: 'basic', username: template('username'), password: template('password') };
      default:
        return { kind: 'header', name: auth.text('name'), value: template('value') };
    }
  }

  private compileHeaders(): Record<string, Template> {
    const headers: Record<string, Template> = {};
    for (const [name, value, path] of this.node.entries('headers')) {
      headers[name] = this.context.template(value, path, 'toolHeader', this.noting(path));
    }
    return headers;
  }

  private noting(path: Path): ScopeExtras {
    return {
      onSecret: (name) => {
        this.secretNames.add(name);
        this.context.secretUses.push({ name, path });
      },
    };
  }

  private compileHttpOperations(): Map<string, ToolOperation> {
    const operations = new Map<string, ToolOperation>();
    for (const node of this.node.items('operations')) {
      const name = node.text('name');
      if (operations.has(name)) {
        this.context.problems.error(
          node.pathOf('name'),
          `\`${this.name}\` has two operations named \`${name}\`.`,
          'Rename one.',
        );
      } else operations.set(name, this.compileHttpOperation(node, name));
    }
    return operations;
  }

  private compileHttpOperation(node: DefinitionNode, name: string): ToolOperation {
    const method = node.choiceOr('method', HTTP_METHODS, 'GET');
    const placement = ['GET', 'HEAD', 'DELETE'].includes(method) ? 'query' : 'body';
    const http: HttpCall = { method, path: parsePath(node.text('path')), placement };
    const byMethod: OperationScope = method === 'GET' || method === 'HEAD' ? 'read' : 'write';
    const idempotency = node.optionalChild('idempotency');
    return {
      ...this.operation(node, name, byMethod),
      description: node.optionalText('description'),
      request: this.context.schema(node.raw('request'), node.pathOf('request')),
      idempotencyHeader: idempotency ? (idempotency.optionalText('header') ?? 'Idempotency-Key') : null,
      reconcile: this.compileReconcile(node),
      http,
    };
  }

  private compileReconcile(node: DefinitionNode): Reconciliation | null {
    const reconcile = node.optionalChild('reconcile');
    if (!reconcile) return null;
    const operation = reconcile.text('operation');
    const source: JsonValue = reconcile.raw('with') ?? {};
    return {
      operation: operation.startsWith(`${this.name}.`) ? operation : `${this.name}.${operation}`,
      with: this.context.template(source, reconcile.pathOf('with'), 'reconcileRequest'),
      appliedIf: this.context.condition(
        reconcile.text('applied_if'),
        reconcile.pathOf('applied_if'),
        'reconcileResponse',
      ),
    };
  }

  /** Operations that the tool itself describes; until then they count as writes. */
  private compileIncluded(): Map<string, ToolOperation> {
    const overrides = new Map(
      this.node.entries('overrides').map(([name, value, path]) => [name, DefinitionNode.at(value, path)]),
    );
    return new Map(
      this.node.texts('include').map((name) => {
        const node = overrides.get(name) ?? new DefinitionNode({}, this.node.pathOf('include'));
        return [name, this.operation(node, name, 'write')];
      }),
    );
  }

  private emailOperation(): ToolOperation {
    const node = new DefinitionNode({}, this.node.path);
    const operation = this.operation(node, EMAIL_OPERATION, 'write');
    return {
      ...operation,
      description: this.node.optionalText('description'),
      request: this.context.schema(EMAIL_REQUEST, []),
    };
  }

  private operation(node: DefinitionNode, name: string, scopeByDefault: OperationScope): ToolOperation {
    const given = node.choiceOr('effect', OPERATION_EFFECTS, null);
    const scope = node.choiceOr(
      'scope',
      OPERATION_SCOPES,
      given === null ? scopeByDefault : given === 'read' ? 'read' : 'write',
    );
    const effect: OperationEffect = given ?? (scope === 'read' ? 'read' : 'at_most_once');
    return {
      fullName: `${this.name}.${name}`,
      tool: this.name,
      name,
      description: null,
      scope,
      effect,
      request: null,
      timeoutMs: node.durationOr('timeout', DEFAULT_TIMEOUT_MS),
      idempotencyHeader: null,
      reconcile: null,
      simulate: this.context.optionalTemplate(node, 'simulate', 'simulate'),
      http: null,
    };
  }
}

/** `/orders/{order_id}/lines` → text, parameter, text. */
function parsePath(path: string): PathPart[] {
  return path
    .split(/(\{[^{}]*\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? { parameter: part.slice(1, -1) } : { text: part }));
}

function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
