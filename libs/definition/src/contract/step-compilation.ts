import type { JsonValue } from '@app/kernel';
import type { CarriedValues, CompileContext, ScopeExtras } from './compile-context.js';
import type { CallbackPlaces } from './callback-places.js';
import type { DefinitionNode } from './definition-node.js';
import type { Place } from './places.js';
import type { Path } from './problems.js';
import type { StepScope } from './step-scope.js';
import type { Condition, Expression, Template } from '@app/cel';
import { schemaValidator, type SchemaValidator } from '@app/json-schema';
import type { CompiledStep, RetryPolicy } from '../model/compiled-step.js';

/**
 * The position of a list of steps in the plan. It determines the names that the expressions of these steps can read.
 */
export interface StepPosition {
  readonly place: Place;
  readonly scope: StepScope;
  readonly variables: readonly string[];
  readonly carry?: CarriedValues | undefined;
  readonly defaultRetry: RetryPolicy;
  /** The retry policy of the innermost enclosing block that has one. If null, the policy of the definition applies. */
  readonly blockRetry?: RetryPolicy | null;
  /** Returns the full names of the operations that `reference` names: one operation, or all operations of a tool. */
  readonly operationsOf: (reference: string) => string[];
  readonly callbacks: CallbackPlaces;
}

type CompileSteps = (
  nodes: readonly DefinitionNode[],
  position: StepPosition,
  context: CompileContext,
) => CompiledStep[];

export class StepCompilation {
  private readonly extras: ScopeExtras;

  constructor(
    readonly node: DefinitionNode,
    readonly position: StepPosition,
    readonly context: CompileContext,
    private readonly compileSteps: CompileSteps,
  ) {
    const { variables, carry, scope } = position;
    this.extras = { variables, carry, stepProblem: (name) => scope.problem(name) };
  }

  /** @param more names that the template can read in addition to those of its step */
  template(source: JsonValue, path: Path, more: ScopeExtras = {}): Template {
    return this.context.template(source, path, this.position.place, { ...this.extras, ...more });
  }

  /** Compiles a required JSON Schema, whose defaults are applied to values. */
  requiredSchema(node: DefinitionNode, key: string): SchemaValidator {
    return this.context.schemaWithDefaults(node.raw(key), node.pathOf(key)) ?? schemaValidator({});
  }

  optionalTemplate(node: DefinitionNode, key: string): Template | null {
    return this.context.optionalTemplate(node, key, this.position.place, this.extras);
  }

  condition(node: DefinitionNode, key: string): Condition {
    return this.context.condition(node.text(key), node.pathOf(key), this.position.place, this.extras);
  }

  optionalCondition(node: DefinitionNode, key: string): Condition | null {
    return this.context.optionalCondition(node, key, this.position.place, this.extras);
  }

  expressions(node: DefinitionNode, key: string): Expression[] {
    return this.context.expressions(node, key, this.position.place, this.extras);
  }

  /**
   * Returns a compilation for the expressions of this step that are evaluated inside its block. Such expressions can
   * read the names that are in scope inside the block.
   */
  inside(differing: Partial<StepPosition>): StepCompilation {
    return new StepCompilation(this.node, { ...this.position, ...differing }, this.context, this.compileSteps);
  }

  /**
   * Compiles the steps of a block. `blockRetry` is the retry policy of the step that contains the block. `differing`
   * contains the other properties of the position that change inside the block.
   */
  steps(
    block: DefinitionNode,
    blockRetry: RetryPolicy | null,
    differing: Partial<Pick<StepPosition, 'scope' | 'variables' | 'carry'>>,
  ): CompiledStep[] {
    return this.compileSteps(block.items('steps'), { ...this.position, blockRetry, ...differing }, this.context);
  }
}
