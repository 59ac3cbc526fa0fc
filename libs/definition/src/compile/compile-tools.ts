import type { JsonObject, JsonValue } from '@app/kernel';
import {
  type CompiledTool,
  HTTP_METHODS,
  type HttpCall,
  OPERATION_EFFECTS,
  OPERATION_SCOPES,
  type OpenapiTool,
  type OperationEffect,
  type OperationScope,
  type Reconciliation,
  type ToolAuth,
  type ToolOperation,
} from '../model/compiled-tool.js';
import type { Template } from '../expressions/expression.js';
import { schemaValidator } from '../json-schema/json-schema.js';
import type { DescribedOperation, ToolDescription, ToolDescriptions } from '../model/tool-description.js';
import type { CompileContext, ScopeExtras } from './compile-context.js';
import { DefinitionNode } from './definition-node.js';
import { parsePath } from './http-path.js';
import { requestShape } from './known-shapes.js';
import { KNOWLEDGE_TOOL, knowledgeTool } from './knowledge-tool.js';
import type { Path } from './problems.js';

const DEFAULT_TIMEOUT_MS = 30_000;
/** The name of the tool that every definition has: it mails the admins of the workspace. */
const BUILT_IN_EMAIL_TOOL = 'notify';
const EMAIL_OPERATION = 'send';
const AGENT_OPERATION = 'run';

/** `to` and `cc` choose among the recipients of the tool; without them everybody gets the mail. */
function emailRequest(recipients: readonly string[] | null): JsonObject {
  const address: JsonObject = recipients ? { enum: [...recipients] } : { type: 'string', maxLength: 254 };
  const addresses: JsonObject = {
    anyOf: [address, { type: 'array', items: address, minItems: 1, maxItems: 50, uniqueItems: true }],
  };
  return {
    type: 'object',
    required: ['subject', 'text'],
    additionalProperties: false,
    properties: {
      to: { description: 'An address or a list of addresses. Left out: all recipients of the tool.', ...addresses },
      cc: { description: 'An address or a list of addresses that get a copy.', ...addresses },
      // A line break would begin another header.
      subject: { type: 'string', minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f]*$' },
      text: { type: 'string', maxLength: 100_000 },
      html: { type: 'string', maxLength: 200_000 },
    },
  };
}

/** Every tool of a definition by its name, and `notify` where the definition has none of that name. */
export function compileTools(
  root: DefinitionNode,
  context: CompileContext,
  descriptions: ToolDescriptions,
): Map<string, CompiledTool> {
  const tools = new Map<string, CompiledTool>();
  for (const node of root.items('tools')) {
    const name = node.text('name');
    if (name === KNOWLEDGE_TOOL)
      context.problems.error(
        node.pathOf('name'),
        '`knowledge` is the name of a built-in tool.',
        'Choose another name.',
      );
    else if (tools.has(name))
      context.problems.error(node.pathOf('name'), `There are two tools named \`${name}\`.`, 'Rename one.');
    else {
      const description = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
      tools.set(name, new ToolCompiler(node, context, description).compile());
    }
  }
  const knowledge = knowledgeTool(root);
  if (knowledge) tools.set(KNOWLEDGE_TOOL, knowledge);
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
    private readonly description?: ToolDescription,
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
        const pinned = spec.has('url') ? { url: spec.text('url'), sha256: spec.text('sha256') } : null;
        const baseUrl = node.has('base_url') ? trimSlash(node.text('base_url')) : null;
        return { ...base, kind: 'openapi', spec: pinned, baseUrl, ...this.compileDescribed() };
      }
      case 'mcp': {
        const isStdio = node.text('transport') === 'stdio';
        const transport = isStdio
          ? ({ kind: 'stdio', command: node.text('command'), args: node.texts('args') } as const)
          : ({ kind: 'streamable_http', url: node.text('url') } as const);
        const overrides = node.objects('overrides').map(([name]) => name);
        return { ...base, kind: 'mcp', transport, overrides, ...this.compileDescribed() };
      }
      case 'agent': {
        const operations = new Map([[AGENT_OPERATION, this.agentOperation()]]);
        return { ...base, kind: 'agent', agent: node.text('agent'), operations };
      }
      default: {
        const to = node.has('to') ? node.texts('to') : null;
        return { ...base, kind: 'email', to, operations: new Map([[EMAIL_OPERATION, this.emailOperation(to)]]) };
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
    const path = parsePath(node.text('path'));
    const http: HttpCall = { method, path, placement, parameters: [], baseUrl: null };
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
    const extras = this.requestOf(node);
    return {
      operation: operation.startsWith(`${this.name}.`) ? operation : `${this.name}.${operation}`,
      with: this.context.template(source, reconcile.pathOf('with'), 'reconcileRequest', extras),
      appliedIf: this.context.condition(
        reconcile.text('applied_if'),
        reconcile.pathOf('applied_if'),
        'reconcileResponse',
        extras,
      ),
    };
  }

  /** What `request` is in the expressions of an operation. */
  private requestOf(node: DefinitionNode): ScopeExtras {
    return { request: requestShape(`${this.name}.${node.optionalText('name') ?? ''}`, node.raw('request')) };
  }

  /** Operations that the tool itself describes; without a description they count as writes. */
  private compileDescribed(): Pick<OpenapiTool, 'include' | 'isDescribed' | 'operations'> {
    const { node, description } = this;
    const include = node.texts('include');
    const overrides = new Map(node.objects('overrides'));
    const operations = include.map((name): [string, ToolOperation] => {
      const override = overrides.get(name) ?? new DefinitionNode({}, node.pathOf('include'));
      const described =
        description && Object.hasOwn(description.operations, name) ? description.operations[name] : undefined;
      return [name, this.describedOperation(override, name, described)];
    });
    return { include, isDescribed: description !== undefined, operations: new Map(operations) };
  }

  private describedOperation(override: DefinitionNode, name: string, described?: DescribedOperation): ToolOperation {
    const operation = this.operation(override, name, described?.readsOnly ? 'read' : 'write');
    if (!described) return operation;
    const { description, request, http } = described;
    return { ...operation, description, request: schemaValidator(request), http };
  }

  /** Starting it again under the same key starts nothing, so a lost start is repeated. */
  private agentOperation(): ToolOperation {
    const operation = this.operation(this.node, AGENT_OPERATION, 'write');
    const effect = operation.scope === 'read' ? 'read' : 'idempotent';
    return { ...operation, effect, description: this.node.optionalText('description') };
  }

  private emailOperation(recipients: readonly string[] | null): ToolOperation {
    const node = new DefinitionNode({}, this.node.path);
    const operation = this.operation(node, EMAIL_OPERATION, 'write');
    return {
      ...operation,
      description: this.node.optionalText('description'),
      request: this.context.schema(emailRequest(recipients), []),
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
      simulate: this.context.optionalTemplate(node, 'simulate', 'simulate', this.requestOf(node)),
      http: null,
    };
  }
}

function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
