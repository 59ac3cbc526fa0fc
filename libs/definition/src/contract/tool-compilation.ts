import { schemaValidator } from '@app/json-schema';
import {
  OPERATION_EFFECTS,
  OPERATION_SCOPES,
  type OpenapiTool,
  type OperationEffect,
  type OperationScope,
  type ToolBase,
  type ToolOperation,
} from '../model/compiled-tool.js';
import type { DescribedOperation, ToolDescription } from '../model/tool-description.js';
import type { CompileContext, ScopeExtras } from './compile-context.js';
import { DefinitionNode } from './definition-node.js';
import { requestShape } from './known-shapes.js';
import type { Path } from './problems.js';
import type { Template } from '@app/cel';
import { compileAuth } from './compile-auth.js';
import { includedOperations } from './included-operations.js';

const DEFAULT_TIMEOUT_MS = 30_000;

export class ToolCompilation {
  readonly name: string;
  /**
   * Names of the secrets that the tool reads. The result of `base()` contains this list. The list is complete only
   * after the operations are compiled, because compiling them adds names.
   */
  private readonly secretNames: string[] = [];
  /** Properties of the request that the headers of the tool read. */
  readonly namedByHeaders = new Set<string>();

  /** @param description the operations of an openapi or mcp tool, as stored with the version; otherwise undefined */
  constructor(
    readonly node: DefinitionNode,
    readonly context: CompileContext,
    private readonly description?: ToolDescription,
  ) {
    this.name = node.text('name');
  }

  base(): ToolBase {
    return {
      name: this.name,
      description: this.node.optionalText('description'),
      auth: compileAuth(this),
      headers: this.compileHeaders(),
      secretNames: this.secretNames,
    };
  }

  /** Compiles an operation. Its `scope`, `effect`, `timeout` and `simulate` are read from `node`. */
  operation(node: DefinitionNode, name: string, scopeByDefault: OperationScope): ToolOperation {
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

  requestOf(node: DefinitionNode): ScopeExtras {
    return { request: requestShape(`${this.name}.${node.optionalText('name') ?? ''}`, node.raw('request')) };
  }

  /**
   * Returns the included operations with their stored description. Without a description, an operation is a write
   * unless `overrides` sets its scope.
   */
  describedOperations(): Pick<OpenapiTool, 'include' | 'isDescribed' | 'operations'> {
    const { node, description } = this;
    const included = includedOperations(node);
    const overrides = new Map(node.objects('overrides'));
    const operations = included.map(({ id, name }): [string, ToolOperation] => {
      const override = overrides.get(name) ?? overrides.get(id) ?? new DefinitionNode({}, node.pathOf('include'));
      const described =
        description && Object.hasOwn(description.operations, name) ? description.operations[name] : undefined;
      const operation = this.describedOperation(override, name, described);
      return [name, id === name ? operation : { ...operation, id }];
    });
    const include = included.map(({ name }) => name);
    return { include, isDescribed: description !== undefined, operations: new Map(operations) };
  }

  private compileHeaders(): Record<string, Template> {
    const headers: Record<string, Template> = {};
    for (const [name, value, path] of this.node.entries('headers')) {
      const mentions = { ...this.recordSecrets(path), onMention: noteMember(this.namedByHeaders) };
      headers[name] = this.context.template(value, path, 'toolHeader', mentions);
    }
    return headers;
  }

  /** Returns callbacks that record the secrets that the template at this path reads. */
  recordSecrets(path: Path): ScopeExtras {
    return {
      onSecret: (name) => {
        if (!this.secretNames.includes(name)) this.secretNames.push(name);
        this.context.secretUses.push({ name, path });
      },
    };
  }

  private describedOperation(override: DefinitionNode, name: string, described?: DescribedOperation): ToolOperation {
    const operation = this.operation(override, name, described?.readsOnly ? 'read' : 'write');
    if (!described) return operation;
    const { description, request, http } = described;
    return { ...operation, description, request: schemaValidator(request), http };
  }
}

/** Collects the properties of the request that a template reads. */
export function noteMember(named: Set<string>): NonNullable<ScopeExtras['onMention']> {
  return (name, member) => {
    if (name === 'request' && member !== undefined) named.add(member);
  };
}
