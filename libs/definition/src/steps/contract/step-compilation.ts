import type { JsonValue } from '@app/kernel';
import type { CompileContext, ScopeExtras } from '../../compile/context/compile-context.js';
import type { DefinitionNode } from '../../compile/context/definition-node.js';
import type { Place } from '../../compile/context/places.js';
import type { Path } from '../../compile/context/problems.js';
import type { StepScope } from '../../compile/context/step-scope.js';
import type { Condition, Expression, Template } from '../../expressions/expression.js';
import type { CompiledStep, RetryPolicy } from '../../model/compiled-step.js';

/** Where the steps of a list are: it decides what their expressions see. */
export interface Surroundings {
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

/** Compiles the list of steps below `steps` of a node. */
type CompileSteps = (nodes: readonly DefinitionNode[], at: Surroundings, context: CompileContext) => CompiledStep[];

/** One step that is compiled, and how its parts become expressions and steps. */
export class StepCompilation {
  private readonly extras: ScopeExtras;

  constructor(
    readonly node: DefinitionNode,
    readonly at: Surroundings,
    readonly context: CompileContext,
    private readonly compileSteps: CompileSteps,
  ) {
    this.extras = { variables: at.variables, stepProblem: (name) => at.scope.problem(name) };
  }

  template(source: JsonValue, path: Path): Template {
    return this.context.template(source, path, this.at.place, this.extras);
  }

  optionalTemplate(node: DefinitionNode, key: string): Template | null {
    return this.context.optionalTemplate(node, key, this.at.place, this.extras);
  }

  condition(node: DefinitionNode, key: string): Condition {
    return this.context.condition(node.text(key), node.pathOf(key), this.at.place, this.extras);
  }

  optionalCondition(node: DefinitionNode, key: string): Condition | null {
    return this.context.optionalCondition(node, key, this.at.place, this.extras);
  }

  expressions(node: DefinitionNode, key: string): Expression[] {
    return this.context.expressions(node, key, this.at.place, this.extras);
  }

  /**
   * Compiles the steps of a block. `blockRetry` is the retry of the step around them; `differing` is what else is
   * different inside.
   */
  steps(
    block: DefinitionNode,
    blockRetry: RetryPolicy | null,
    differing: Partial<Pick<Surroundings, 'scope' | 'variables'>>,
  ): CompiledStep[] {
    return this.compileSteps(block.items('steps'), { ...this.at, blockRetry, ...differing }, this.context);
  }
}
