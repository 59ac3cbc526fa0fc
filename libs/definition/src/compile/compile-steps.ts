import { invariant, type JsonValue } from '@app/kernel';
import type { RetryPolicy } from '../model/retry-policy.js';
import { type CompiledStep, STEP_KINDS, type StepKind } from '../model/compiled-step.js';
import { celTypeOf, type CelType } from '../expressions/cel-types.js';
import { isWholeExpression } from '../expressions/template.js';
import { compileRetry } from './compile-rules.js';
import type { CompileContext, ScopeExtras } from './compile-context.js';
import { type DefinitionNode } from './definition-node.js';
import type { Place } from './places.js';
import type { Path } from './problems.js';
import { type StepScope } from './step-scope.js';

const DEFAULT_TOP_K = 8;

interface Common {
  readonly id: string;
  readonly pointer: string;
  readonly if: CompiledStep['if'];
  readonly timeoutMs: number | null;
  readonly retry: RetryPolicy | null;
  readonly continueOnError: boolean;
}

/** Where the steps stand: it decides what their expressions see. */
interface Surroundings {
  readonly place: Place;
  readonly scope: StepScope;
  /** Names of the items of the `for_each` steps around. */
  readonly variables: readonly string[];
  readonly defaultRetry: RetryPolicy;
  /** That of the blocks around, which holds for the steps inside; null: the definition's. */
  readonly blockRetry?: RetryPolicy | null;
  /** Full names of a tool's operations, or of one operation. */
  readonly operationsOf: (reference: string) => string[];
}

/** Compiles a list of steps; each one sees the outputs of those before it. */
export function compileSteps(
  nodes: readonly DefinitionNode[],
  at: Surroundings,
  context: CompileContext,
): CompiledStep[] {
  return nodes.map((node) => {
    const step = compileStep(node, at, context);
    at.scope.add(step.id);
    context.outputTypes.set(step.id, outputTypeOf(step));
    return step;
  });
}

/** What later steps know about the output of this one. */
function outputTypeOf(step: CompiledStep): CelType {
  // Its output is null after a failure.
  if (step.continueOnError) return 'dyn';
  switch (step.kind) {
    case 'let':
      return step.values.type;
    case 'output':
      return step.value.type;
    case 'assert':
      return 'bool';
    case 'for_each':
    case 'parallel':
      return 'list';
    case 'approval':
      return APPROVAL_OUTPUT;
    case 'retrieve':
      return RETRIEVE_OUTPUT;
    case 'agent':
      return step.output ? celTypeOf(step.output.schema) : 'dyn';
    default:
      return 'dyn';
  }
}

const SCALAR_NAMES: Readonly<Record<string, string>> = { string: 'text', bool: 'true or false', double: 'a number' };

/** A passage: `{document: {id, title, url, version}, chunk, heading, text, score, start, end}`. */
const RETRIEVE_OUTPUT: CelType = { passages: 'list' };

const APPROVAL_OUTPUT: CelType = { decision: 'string', decided_by: 'list<string>', comment: 'dyn' };

function compileStep(node: DefinitionNode, at: Surroundings, context: CompileContext): CompiledStep {
  const id = node.text('id');
  at.scope.enter(id);
  const extras: ScopeExtras = { variables: at.variables, stepProblem: (name) => at.scope.problem(name) };
  const retry = node.optionalChild('retry');
  const common: Common = {
    id,
    pointer: node.pointer,
    if: context.optionalCondition(node, 'if', at.place, extras),
    timeoutMs: node.durationOr('timeout', null),
    retry: retry ? compileRetry(retry, at.blockRetry ?? at.defaultRetry) : (at.blockRetry ?? null),
    continueOnError: node.flagOr('continue_on_error', false),
  };
  return new StepCompiler(node, at, context, extras, common).compile();
}

/** Which of the keys that make a kind is there. */
export function kindOf(node: DefinitionNode): StepKind {
  const kind = STEP_KINDS.find((key) => node.has(key));
  invariant(kind !== undefined, () => `${node.pointer} of a definition is a step of a known kind`);
  return kind;
}

class StepCompiler {
  constructor(
    private readonly node: DefinitionNode,
    private readonly at: Surroundings,
    private readonly context: CompileContext,
    private readonly extras: ScopeExtras,
    private readonly common: Common,
  ) {}

  compile(): CompiledStep {
    const { common, node } = this;
    const kind = kindOf(node);
    switch (kind) {
      case 'tool':
        return {
          ...common,
          kind,
          operation: node.text('tool'),
          with: this.template(node.raw('with') ?? {}, node.pathOf('with')),
        };
      case 'retrieve': {
        const retrieve = node.child(kind);
        const query = this.template(retrieve.text('query'), retrieve.pathOf('query'));
        return { ...common, kind, base: retrieve.text('base'), query, topK: retrieve.numberOr('top_k', DEFAULT_TOP_K) };
      }
      case 'let':
        return { ...common, kind, values: this.template(node.child(kind).value, node.pathOf(kind)) };
      case 'assert': {
        const condition = this.context.condition(node.text(kind), node.pathOf(kind), this.at.place, this.extras);
        return { ...common, kind, condition, message: this.optional(node, 'message') };
      }
      case 'output':
        return { ...common, kind, value: this.template(node.raw(kind) ?? null, node.pathOf(kind)) };
      case 'approval':
        return {
          ...common,
          kind,
          approval: node.text(kind),
          show: this.context.expressions(node, 'show', this.at.place, this.extras),
        };
      case 'wait':
        return {
          ...common,
          kind,
          for: this.optional(node.child(kind), 'for'),
          until: this.optional(node.child(kind), 'until'),
        };
      case 'hand_off':
        return { ...common, kind, to: node.child(kind).texts('to'), reason: this.optional(node.child(kind), 'reason') };
      case 'fail': {
        const written = node.raw(kind);
        if (typeof written === 'string') return { ...common, kind, message: this.template(written, node.pathOf(kind)) };
        const fail = node.child(kind);
        return { ...common, kind, message: this.template(fail.text('message'), fail.pathOf('message')) };
      }
      default:
        return this.compileNested(kind);
    }
  }

  private compileNested(kind: 'switch' | 'for_each' | 'parallel' | 'agent'): CompiledStep {
    const { common, node } = this;
    switch (kind) {
      case 'switch':
        return this.compileSwitch();
      case 'for_each':
        return this.compileForEach();
      case 'parallel': {
        // A branch does not see the others, which run at the same time; what follows sees all of them.
        const scopes = node
          .items(kind)
          .map((branch) => ({ branch, scope: this.at.scope.branch('runs at the same time') }));
        const branches = scopes.map(({ branch, scope }) => this.steps(branch, { ...this.inside, scope }));
        for (const { scope } of scopes) this.at.scope.adopt(scope);
        return { ...common, kind, branches };
      }
      case 'agent':
        return this.compileAgent();
    }
  }

  /** One branch runs at the most, so none sees another one; what follows sees all of them. */
  private compileSwitch(): CompiledStep {
    const scopes: StepScope[] = [];
    const branches = this.node.items('switch').map((branch) => {
      const when = this.context.optionalCondition(branch, 'when', this.at.place, this.extras);
      const scope = this.at.scope.branch('is in another branch');
      scopes.push(scope);
      return { when, steps: this.steps(branch, { ...this.inside, scope }) };
    });
    for (const scope of scopes) this.at.scope.adopt(scope);
    return { ...this.common, kind: 'switch', branches };
  }

  private compileForEach(): CompiledStep {
    const { common, node } = this;
    const as = node.optionalText('as') ?? 'item';
    const items = this.template(node.raw('for_each') ?? [], node.pathOf('for_each'));
    this.checkItems(items.type, node);
    const inner = {
      ...this.inside,
      scope: this.at.scope.branch('is inside a loop'),
      variables: [...this.at.variables, as],
    };
    return {
      ...common,
      kind: 'for_each',
      items,
      as,
      maxParallel: node.numberOr('max_parallel', 1),
      steps: this.steps(node, inner),
    };
  }

  private checkItems(type: CelType, node: DefinitionNode): void {
    const { isTrusted, problems } = this.context;
    const source = node.raw('for_each');
    // Text with something around its expression is reported by the check of the step.
    if (isTrusted || typeof source !== 'string' || !isWholeExpression(source)) return;
    if (type === 'dyn' || (typeof type === 'string' && type.startsWith('list'))) return;
    const given = (typeof type === 'string' && SCALAR_NAMES[type]) || 'an object';
    const remedy = given === 'an object' ? ' To go through an object, loop over its keys: `o.map(key, key)`.' : '';
    problems.error(
      node.pathOf('for_each'),
      `\`for_each\` goes through a list, and this is ${given}.`,
      `Give it a list, for example \`\${{ [1, 2] }}\`.${remedy}`,
    );
  }

  private compileAgent(): CompiledStep {
    const { common, node } = this;
    const agent = node.child('agent');
    return {
      ...common,
      kind: 'agent',
      instructions: this.template(agent.text('instructions'), agent.pathOf('instructions')),
      with: this.optional(node, 'with'),
      operations: agent.has('tools') ? [...new Set(agent.texts('tools').flatMap(this.at.operationsOf))] : null,
      output: this.context.schema(agent.raw('output'), agent.pathOf('output')),
      maxSteps: agent.numberOr('max_steps', null),
    };
  }

  /** Where the steps inside of a block stand. */
  private get inside(): Surroundings {
    return { ...this.at, blockRetry: this.common.retry };
  }

  private steps(parent: DefinitionNode, at: Surroundings): CompiledStep[] {
    return compileSteps(parent.items('steps'), at, this.context);
  }

  private template(source: JsonValue, path: Path) {
    return this.context.template(source, path, this.at.place, this.extras);
  }

  private optional(node: DefinitionNode, key: string) {
    return this.context.optionalTemplate(node, key, this.at.place, this.extras);
  }
}

/** Every step node below `parent[key]`, outer ones first, in the order of the document. */
export function allStepNodes(parent: DefinitionNode, key = 'steps'): DefinitionNode[] {
  const nodes: DefinitionNode[] = [];
  addStepNodes(parent, key, nodes);
  return nodes;
}

function addStepNodes(parent: DefinitionNode, key: string, nodes: DefinitionNode[]): void {
  for (const node of parent.items(key)) {
    nodes.push(node);
    for (const block of ['switch', 'parallel'])
      if (Array.isArray(node.value[block]))
        for (const branch of node.items(block)) addStepNodes(branch, 'steps', nodes);
    if (node.has('for_each')) addStepNodes(node, 'steps', nodes);
  }
}
